/** Types of memory: a tree of notes, each with a gist. */

/**
 * A name in the tree. One name may be both a note and a folder of notes (`best.md` next to the
 * folder `best/`).
 */
export interface MemoryNode {
  readonly path: string;
  /** Single line; may be empty. */
  readonly gist: string;
  /** `file`: the node has content. */
  readonly type: 'dir' | 'file';
  /** Milliseconds since the epoch: of the note's file, or of the folder if there is no note. */
  readonly updatedMs: number;
}

export interface MemoryNote extends MemoryNode {
  /** `null` for a node with only a gist or child notes. */
  readonly content: string | null;
  /** Absolute path of the note's file; `undefined` if there is none. */
  readonly file: string | undefined;
}
