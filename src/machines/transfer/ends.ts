/** Runs commands on the two machines of a transfer through their shells. */
import { formatBytes, shellQuote } from '../../base/text.ts';
import { MachineFailure, type Machine, type StreamResult } from '../machine.ts';
import { remoteFileFailure } from '../remote/remoteFiles.ts';

/** A file or folder on a machine. */
export interface Place {
  readonly machine: Machine;
  /** Absolute. */
  readonly path: string;
}

/** Text with one character per byte. Used for file names, which may not be valid UTF-8. */
export type Bytes = string;

export const bytesOf = (text: string): Bytes => Buffer.from(text).toString('latin1');
export const textOf = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString();

/** Quotes a word for a shell that treats characters as bytes. */
export const quoted = (bytes: Bytes): string => `'${bytes.replaceAll("'", `'\\''`)}'`;

export const placeText = ({ machine, path }: Place): string =>
  machine.kind === 'local' ? path : `${path} on ${machine.id}`;

/** Returns a command line that runs `script` in the POSIX shell, whatever the user's locale. */
export const shellLine = (script: string): string =>
  `exec env LC_ALL=C /bin/sh -c ${shellQuote(script)}`;

export interface Answer {
  readonly stdout: Bytes;
  readonly stderr: string;
  readonly code: number;
}

interface Question {
  readonly stdin?: Bytes | AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum length of an answer: the listing of about a million files. */
const maxAnswerBytes = 128 * 2 ** 20;

/**
 * Runs a script on a machine. Rejects with `MachineFailure`, or with the signal's reason. The
 * caller must check the exit code.
 */
export async function ask(
  machine: Machine,
  script: string,
  { stdin, signal }: Question,
): Promise<Answer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const result = await machine.stream(shellLine(script), {
    cwd: '/',
    ...(stdin !== undefined && { stdin: typeof stdin === 'string' ? inOnePiece(stdin) : stdin }),
    onStdout: (bytes) => {
      length += bytes.length;
      if (length > maxAnswerBytes) throw tooLong(machine);
      parts.push(bytes);
    },
    ...(signal && { signal }),
  });
  return {
    stdout: Buffer.concat(parts).toString('latin1'),
    stderr: result.stderr,
    code: exitCode(result, signal),
  };
}

const tooLong = ({ id }: Machine): MachineFailure =>
  new MachineFailure(
    'io',
    `The answer of ${id} is too long: more than ${formatBytes(maxAnswerBytes)}. Exclude files, or transfer the folder in parts.`,
  );

/**
 * Runs any number of shell lines. The shell parses all lines before it runs the first, so that
 * truncated input has no effect. If a line fails, `stderr` has its message, and the next lines
 * still run.
 */
export const run = (
  machine: Machine,
  lines: readonly Bytes[],
  signal?: AbortSignal,
): Promise<Answer> =>
  ask(machine, 'exec /bin/sh', { stdin: `{\n${lines.join('\n')}\n:\n}\n`, signal });

function exitCode({ outcome }: StreamResult, signal: AbortSignal | undefined): number {
  signal?.throwIfAborted();
  if (outcome.kind === 'exited') return outcome.code;
  throw new MachineFailure(
    'io',
    `A command of the transfer was killed (${outcome.kind}). Retry the transfer.`,
  );
}

/**
 * Converts an error message of a machine to a failure of the whole transfer. `operation` is a verb
 * for the failure's message, such as `write to`.
 */
export const failureAt = (place: Place, message: string, operation: string): MachineFailure =>
  remoteFileFailure(message, operation, placeText(place));

export async function* inOnePiece(bytes: Bytes): AsyncGenerator<Uint8Array> {
  yield Buffer.from(bytes, 'latin1');
}
