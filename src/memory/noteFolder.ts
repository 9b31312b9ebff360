/** Reads one folder of notes on disk. Skips symbolic links and files that are not notes. */
import { lstat, readdir } from 'node:fs/promises';
import { codeOf } from '../base/errors.ts';
import { openRegularFile } from '../base/regularFile.ts';
import { decodeSegment, encodeSegment, isSegment } from './memoryPath.ts';
import { parseNote } from './noteText.ts';

/**
 * A node's entry in a folder on disk: `note` is the name of its file (`best.md`), `folder` the name
 * of its folder (`best`).
 */
export interface FolderEntry {
  readonly name: string;
  note?: string;
  folder?: string;
  /** Whether a symbolic link has this name. */
  isLink?: boolean;
}

/** The part of a note that lists show. */
export interface NoteHead {
  readonly gist: string;
  readonly hasContent: boolean;
  readonly updatedMs: number;
}

const noteSuffix = '.md';
const headBytes = 4096;

/**
 * Returns the entries of a folder by the node's name, as used in memory paths. Returns an empty map
 * for a missing folder.
 */
export async function readEntries(folder: string): Promise<Map<string, FolderEntry>> {
  const entries = new Map<string, FolderEntry>();
  for (const found of await readdir(folder, { withFileTypes: true }).catch(noEntries)) {
    const isNote = found.name.endsWith(noteSuffix) && (found.isFile() || found.isSymbolicLink());
    if (found.name.startsWith('.') || !(isNote || found.isDirectory() || found.isSymbolicLink()))
      continue;
    const bare = isNote ? found.name.slice(0, -noteSuffix.length) : found.name;
    const name = decodeSegment(bare);
    if (!isSegment(name)) continue;
    const entry = entries.get(name) ?? { name };
    entries.set(name, entry);
    if (found.isSymbolicLink()) entry.isLink = true;
    else if (isNote) entry.note = preferred(entry.note, found.name, name);
    else entry.folder = preferred(entry.folder, found.name, name);
  }
  return entries;
}

export const noteFileOf = (name: string): string => encodeSegment(name) + noteSuffix;

/**
 * Chooses between two file names that stand for the same node name, one with composed and one with
 * decomposed accents (Unicode): prefers the spelling that Helios writes.
 */
function preferred(known: string | undefined, found: string, name: string): string {
  const isOurs = found === noteFileOf(name) || found === encodeSegment(name);
  return known === undefined || isOurs ? found : known;
}

function noEntries(error: unknown): [] {
  if (codeOf(error) === 'ENOENT') return [];
  throw error;
}

interface CachedHead extends NoteHead {
  readonly sizeBytes: number;
  readonly inode: number;
}

/** Cache of the gist of each note's file. Reads a gist again when its file has changed. */
export class NoteHeads {
  readonly #known = new Map<string, CachedHead>();

  /** Resolves with the head of a note's file; `undefined` if the file does not exist. */
  async read(file: string): Promise<NoteHead | undefined> {
    try {
      const { mtimeMs: updatedMs, size: sizeBytes, ino: inode } = await lstat(file);
      const known = this.#known.get(file);
      if (known?.updatedMs === updatedMs && known.sizeBytes === sizeBytes && known.inode === inode)
        return known;
      const { gist, content } = parseNote(await readHead(file));
      const head = {
        gist,
        hasContent: content !== '' || sizeBytes > headBytes,
        updatedMs,
        sizeBytes,
        inode,
      };
      this.#known.set(file, head);
      return head;
    } catch (error) {
      this.#known.delete(file);
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

async function readHead(file: string): Promise<string> {
  const handle = await openRegularFile(file);
  try {
    const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(headBytes) });
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
}
