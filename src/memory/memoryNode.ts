/** The words of memory: a tree of notes, each with a gist. */

/**
 * A name in the tree. One name can be a note and have notes below it (`best.md` beside the folder
 * `best/`).
 */
export interface MemoryNode {
  readonly path: string;
  /** One line; empty when nobody gave one. */
  readonly gist: string;
  /** `file`: has content of its own. */
  readonly type: 'dir' | 'file';
  /** Milliseconds since the epoch: of the note's file, or of the folder where there is no note. */
  readonly updatedMs: number;
}

export interface MemoryNote extends MemoryNode {
  /** `null` for a node that has only a gist or notes below it. */
  readonly content: string | null;
  /** The note's file, absolute; `undefined` where there is none. */
  readonly file: string | undefined;
}
