/**
 * Reads results that were made outside Helios from files on a machine. Needs python3 there. Changes
 * nothing on the machine.
 */
import { StringDecoder } from 'node:string_decoder';
import { UserFacing } from '../../base/errors.ts';
import { cleanText, oneLine, shellQuote } from '../../base/text.ts';
import { quotedReason } from '../../base/untrusted.ts';
import type { Machine, StreamResult } from '../../machines/machine.ts';
import { importScript } from './readerScript.ts';

/** A run with its rows as JSON lines, oldest first. */
export interface FoundRun {
  /** Path relative to the folder that was named, or the name in a database. */
  readonly name: string;
  /** Absolute path on the machine. */
  readonly file: string;
  /** Format of the file, such as `table` or `TensorBoard`. */
  readonly format: string;
  readonly modifiedMs: number;
  readonly state: 'ok' | 'failed' | 'unknown';
  /** Name that the program gave the run; may be empty. */
  readonly note: string;
  readonly rows: readonly string[];
}

/** A file with one line per experiment, split into cells; the first line is the header. */
export interface FoundLedger {
  readonly name: string;
  readonly file: string;
  readonly modifiedMs: number;
  readonly lines: readonly (readonly string[])[];
}

export interface FoundFiles {
  readonly runs: readonly FoundRun[];
  readonly ledgers: readonly FoundLedger[];
  /** Files that could not be read, and why. */
  readonly problems: readonly string[];
}

const maxProblems = 10;
const maxProblemChars = 300;

/**
 * Reads a file or a folder. `path` is absolute. Rejects with `UserFacing` if nothing can be read,
 * and with `MachineFailure`.
 */
export async function readImport(
  machine: Pick<Machine, 'stream'>,
  path: string,
  signal?: AbortSignal,
): Promise<FoundFiles> {
  const answer = new Answer();
  const result = await machine.stream(`exec python3 -I - ${shellQuote(path)}`, {
    cwd: '/',
    stdin: script(),
    onStdout: (bytes) => answer.add(bytes),
    ...(signal && { signal }),
  });
  signal?.throwIfAborted();
  const why = answer.refusal ?? failureOf(result);
  if (why !== undefined) throw refused(path, why);
  const { runs, ledgers, problems } = answer;
  if (runs.length + ledgers.length === 0)
    throw refused(path, problems.join('. ') || 'it has no values');
  return { runs, ledgers, problems };
}

async function* script(): AsyncGenerator<Uint8Array, void, void> {
  yield await Promise.resolve(Buffer.from(importScript));
}

const refused = (path: string, why: string): UserFacing =>
  new UserFacing(
    `${path} was not imported: ${why}.`,
    'Name a file, or a folder with files, of CSV, JSON lines, TensorBoard, W&B, MLflow or Trackio, or a results.tsv.',
  );

function failureOf({ outcome, stderr }: StreamResult): string | undefined {
  if (outcome.kind === 'exited' && outcome.code === 0) return undefined;
  if (outcome.kind === 'exited' && outcome.code === 127) return 'this needs python3 on the machine';
  if (outcome.kind === 'signalled' || (outcome.kind === 'exited' && outcome.code > 128))
    return 'reading took longer than two minutes, or was ended';
  const last = cleanText(stderr).trim().split('\n').at(-1) ?? '';
  return `its reader failed (${quotedReason(last, 'the reader', 'it gave no reason')})`;
}

type Head = Omit<FoundRun, 'rows'>;

/**
 * Collects and parses the output of the import program on the machine: each line is a letter and
 * JSON.
 */
class Answer {
  readonly runs: (Head & { readonly rows: string[] })[] = [];
  readonly ledgers: FoundLedger[] = [];
  readonly problems: string[] = [];
  refusal: string | undefined;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  add(bytes: Uint8Array): void {
    const lines = (this.#rest + this.#decoder.write(Buffer.from(bytes))).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#take(line.charAt(0), line.slice(1));
  }

  #take(letter: string, json: string): void {
    if (letter === 'R') this.runs.at(-1)?.rows.push(json);
    else if (letter === 'H') this.runs.push({ ...(JSON.parse(json) as Head), rows: [] });
    else if (letter === 'L') this.ledgers.push(JSON.parse(json) as FoundLedger);
    else if (letter === 'F') this.refusal = problemText(json);
    else if (letter === 'P' && this.problems.length < maxProblems)
      this.problems.push(problemText(json));
  }
}

const problemText = (json: string): string =>
  oneLine(cleanText(JSON.parse(json) as string), maxProblemChars);
