import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { counted } from '../../base/text.ts';

const maxBytes = 64 * 1024 * 1024;

export interface FileReading {
  /** The session's folder. Absolute path. */
  readonly workFolder: string;
  /** Reads a regular file of at most `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
}

/**
 * Describes a file of the working folder with its size and the beginning of its SHA-256. Rejects
 * with `ToolFailure` for a file that is missing, empty or outside the folder.
 */
export async function fileEvidence(path: string, reading: FileReading): Promise<string> {
  try {
    const root = await realpath(reading.workFolder);
    const real = await realpath(resolve(root, path));
    if (!real.startsWith(root + sep))
      throw new ToolFailure('it is outside the working folder; name a file inside it.');
    const bytes = await reading.read(real, maxBytes);
    if (bytes.length === 0) throw new ToolFailure('it is empty.');
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    return `${path} exists (${counted(bytes.length, 'byte')}, SHA-256 ${hash}…)`;
  } catch (error) {
    throw new ToolFailure(`${path} is no evidence: ${messageOf(error)}`);
  }
}
