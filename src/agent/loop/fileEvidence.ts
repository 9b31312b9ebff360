import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { exactTime } from '../../base/localTime.ts';
import { counted } from '../../base/text.ts';

const maxBytes = 64 * 1024 * 1024;

export interface FileReading {
  /** The session's folder. Absolute path. */
  readonly workFolder: string;
  /** Reads a regular file of at most `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Times of the session's runs. */
  readonly runs: readonly { readonly startedMs?: number; readonly endedMs?: number }[];
}

/**
 * Describes a file of the working folder with its size, when it was written, and the beginning of its
 * SHA-256. A file that was written while no run was going is marked as not the result of a run.
 * Rejects with `ToolFailure` for a file that is missing, empty or outside the folder.
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
    const { mtimeMs } = await stat(real);
    const facts = [
      counted(bytes.length, 'byte'),
      `written ${exactTime(mtimeMs)}`,
      ...(isOfRun(mtimeMs, reading.runs) ? [] : ['not the result of a run']),
      `SHA-256 ${hash}…`,
    ];
    return `${path} exists (${facts.join(', ')})`;
  } catch (error) {
    throw new ToolFailure(`${path} is no evidence: ${messageOf(error)}`);
  }
}

/** Accuracy of the times of files and runs. */
const toleranceMs = 1000;

const isOfRun = (writtenMs: number, runs: FileReading['runs']): boolean =>
  runs.some(
    ({ startedMs = Infinity, endedMs = Infinity }) =>
      writtenMs >= startedMs - toleranceMs && writtenMs <= endedMs + toleranceMs,
  );
