/**
 * Stores bytes that are too large for the journal as files in a folder next to the journal. The
 * name of a file is the hash of its bytes, so equal bytes share one file, and damage is detected.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf } from '../base/errors.ts';
import { writeFileAtomic } from './atomicFile.ts';

/** Reference to an attachment, as stored in the journal. */
export interface AttachmentFile {
  /** SHA-256 of the attachment's bytes, as hexadecimal digits. */
  readonly hash: string;
  readonly mediaType: string;
  readonly name?: string;
  readonly sizeBytes: number;
}

const extensions: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['application/pdf', 'pdf'],
  ['text/plain', 'txt'],
]);

/** Returns the SHA-256 of the bytes, as hexadecimal digits. */
export const hashOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

export class AttachmentFiles {
  readonly #folder: string;

  /** The folder is created when the first attachment is stored. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  pathOf({ hash, mediaType }: Pick<AttachmentFile, 'hash' | 'mediaType'>): string {
    return path.join(this.#folder, `${hash}.${extensions.get(mediaType) ?? 'bin'}`);
  }

  /** Stores the bytes and resolves once they are on the disk. Rejects with `StorageFailure`. */
  async keep(bytes: Uint8Array, mediaType: string): Promise<AttachmentFile> {
    const file = { hash: hashOf(bytes), mediaType, sizeBytes: bytes.length };
    if ((await this.read(file)) === undefined)
      await writeFileAtomic(this.pathOf(file), bytes, 0o600);
    return file;
  }

  /** Returns the stored bytes; `undefined` for a missing, damaged or unreadable file. */
  async read(file: Pick<AttachmentFile, 'hash' | 'mediaType'>): Promise<Buffer | undefined> {
    try {
      const bytes = await readFile(this.pathOf(file));
      return hashOf(bytes) === file.hash ? bytes : undefined;
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return undefined;
    }
  }
}
