/** Runs commands on the two machines of a transfer through their shells. */
import { shellQuote } from '../../base/text.ts';
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

/** Returns a command line that runs `script` in the POSIX shell, whatever the user's locale. */
export const shellLine = (script: string): string =>
  `exec env LC_ALL=C /bin/sh -c ${shellQuote(script)}`;

export interface Answer {
  readonly stdout: Bytes;
  readonly stderr: string;
  readonly code: number;
}

interface Question {
  readonly stdin?: Bytes;
  readonly signal?: AbortSignal | undefined;
}

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
  const result = await machine.stream(shellLine(script), {
    cwd: '/',
    ...(stdin !== undefined && { stdin: inOnePiece(stdin) }),
    onStdout: (bytes) => void parts.push(bytes),
    ...(signal && { signal }),
  });
  return {
    stdout: Buffer.concat(parts).toString('latin1'),
    stderr: result.stderr,
    code: exitCode(result, signal),
  };
}

/**
 * Runs any number of shell lines. The shell reads all lines before it runs the first line, so that
 * truncated input has no effect. If a line fails, `stderr` has its message, and the other lines
 * still run.
 */
export const run = (
  machine: Machine,
  lines: readonly Bytes[],
  signal?: AbortSignal,
): Promise<Answer> =>
  ask(machine, 'exec /bin/sh', { stdin: `{\n${lines.join('\n')}\n:\n}\n`, signal });

export function exitCode({ outcome }: StreamResult, signal: AbortSignal | undefined): number {
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
export const failureAt = (
  { machine, path }: Place,
  message: string,
  operation: string,
): MachineFailure =>
  remoteFileFailure(
    message,
    operation,
    machine.kind === 'local' ? path : `${path} on ${machine.id}`,
  );

export async function* inOnePiece(bytes: Bytes): AsyncGenerator<Uint8Array> {
  yield Buffer.from(bytes, 'latin1');
}
