/** Types of the agent's memory: a tree of notes, each with a gist (a summary in one line). */

/**
 * A node of the tree: a note, a folder of notes, or both under one name (`best.md` next to the
 * folder `best/`).
 */
export interface MemoryNode {
  readonly path: string;
  /** Single line; may be empty. */
  readonly gist: string;
  /** `file`: the node has content. `dir`: the node has only a gist or child notes. */
  readonly type: 'dir' | 'file';
  /**
   * Time of the last change of the note's file, or of the folder if there is no note, in
   * milliseconds since the epoch; 0 for a root.
   */
  readonly updatedMs: number;
}

export interface MemoryNote extends MemoryNode {
  /** `null` for a node with only a gist or child notes. */
  readonly content: string | null;
  /** Absolute path of the note's file; `undefined` if there is none. */
  readonly file: string | undefined;
}
