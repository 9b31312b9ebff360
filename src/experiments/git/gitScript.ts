/**
 * Runs git scripts on a machine. Input is passed as arguments, and never becomes part of the script
 * text.
 */
import { delay, type Clock } from '../../base/clock.ts';
import { HeliosError, messageOf } from '../../base/errors.ts';
import { shellText } from '../../base/shellText.ts';
import { shellQuote, formatDuration } from '../../base/text.ts';
import { quotedReason } from '../../base/untrusted.ts';
import type { Machine, StreamResult } from '../../machines/machine.ts';

export type GitFailureReason =
  | 'no_git'
  | 'no_folder'
  | 'no_repository'
  | 'ignored'
  | 'bare'
  | 'missing'
  | 'exists'
  | 'beside'
  | 'name'
  | 'timeout'
  | 'unreachable'
  | 'git';

/** A git failure. `message` describes the problem in whole sentences, for users and models. */
export class GitFailure extends HeliosError {
  readonly reason: GitFailureReason;

  constructor(reason: GitFailureReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Returns the absolute path of the folder of Helios on a machine. */
export const heliosFolder = ({ path, runsFolder }: Machine): string => path.dirname(runsFolder);

/** Input that depends on what the script prints. */
export interface Conversation {
  /** The text after which the script waits for input. */
  readonly question: string;
  /** For each question: gets the output since the question before, returns the input (latin1). */
  readonly replies: readonly ((output: string) => string | Promise<string>)[];
}

export interface GitCall {
  readonly machine: Machine;
  /**
   * A script for POSIX sh. Its arguments are `$1` …, and it can use the functions of `scriptStart`.
   */
  readonly script: string;
  readonly args: readonly string[];
  readonly stdin?: Uint8Array | Conversation;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const maxOutputBytes = 256 * 1024 * 1024;

/**
 * Runs the script. Resolves with its output, after the last question of a conversation, as latin1:
 * one character per byte. Rejects with `GitFailure`.
 */
export async function runGit(call: GitCall): Promise<string> {
  const { machine, clock, timeoutMs, signal } = call;
  const over = new AbortController();
  const late = new AbortController();
  void delay(clock, timeoutMs, over.signal).then(
    () => late.abort(),
    () => undefined,
  );
  const output = new Output();
  try {
    const result = await machine.stream(commandOf(call), {
      cwd: '/',
      signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
      onStdout: (bytes) => output.take(bytes),
      ...(call.stdin !== undefined && { stdin: inputOf(call.stdin, output) }),
    });
    if (late.signal.aborted) throw tooSlow(machine, timeoutMs);
    return checked(machine, result, output.text());
  } catch (error) {
    if (error instanceof GitFailure) throw error;
    if (late.signal.aborted) throw tooSlow(machine, timeoutMs);
    throw new GitFailure('unreachable', messageOf(error), { cause: error });
  } finally {
    over.abort();
  }
}

const commandOf = ({ script, args }: GitCall): string =>
  `set -- ${args.map(shellQuote).join(' ')}\n${script}`;

async function* inputOf(
  stdin: Uint8Array | Conversation,
  output: Output,
): AsyncIterable<Uint8Array> {
  if (stdin instanceof Uint8Array) yield await Promise.resolve(stdin);
  else
    for (const reply of stdin.replies)
      yield Buffer.from(await reply(await output.until(stdin.question)), 'latin1');
}

const tooSlow = ({ id }: Machine, timeoutMs: number): GitFailure =>
  new GitFailure('timeout', `git on ${id} did not end within ${formatDuration(timeoutMs)}.`);

class Output {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #onTake = (): void => undefined;

  take(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > maxOutputBytes) throw new GitFailure('git', 'git printed too much output.');
    this.#chunks.push(Uint8Array.from(bytes));
    this.#onTake();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('latin1');
  }

  /** Takes the output out as soon as it ends with `end`, which is omitted. */
  until(end: string): Promise<string> {
    return new Promise((resolve) => {
      this.#onTake = () => {
        if (!this.#tail(end.length).endsWith(end)) return;
        const text = this.text().slice(0, -end.length);
        this.#chunks = [];
        resolve(text);
      };
      this.#onTake();
    });
  }

  /** Returns at least as many of the last bytes. */
  #tail(bytes: number): string {
    let tail = '';
    for (const chunk of this.#chunks.toReversed()) {
      if (tail.length >= bytes) break;
      tail = Buffer.from(chunk.subarray(-bytes)).toString('latin1') + tail;
    }
    return tail;
  }
}

/** Exit codes of `scriptStart`, with the failure that each means. */
const refusals: Readonly<Record<number, readonly [GitFailureReason, string]>> = {
  81: ['no_git', 'The machine has no git, or a git older than 2.17.'],
  82: ['no_folder', 'There is no such folder.'],
  83: ['no_repository', 'The folder is not in a git repository.'],
  84: ['bare', 'The repository is bare: it has no worktree.'],
  85: ['missing', 'There is no such experiment or revision.'],
  86: ['exists', 'A branch or folder of this name exists already.'],
  87: ['name', 'The branch name is not valid.'],
  88: [
    'ignored',
    'The folder is inside a git repository that ignores it, so its files are not code of that repository.',
  ],
  89: ['beside', 'Git does not allow a branch name that is also the folder of another branch.'],
};

function checked(machine: Machine, { outcome, stderr }: StreamResult, text: string): string {
  if (outcome.kind === 'exited' && outcome.code === 0) return text;
  const [reason, what] = (outcome.kind === 'exited' ? refusals[outcome.code] : undefined) ?? [
    'git' as const,
    undefined,
  ];
  const detail = quotedReason(
    stderr.replace(/^(?:fatal|error): /gm, ''),
    `git on ${machine.id}`,
    '',
  );
  if (what !== undefined)
    throw new GitFailure(reason, detail === '' ? what : `${what} (${detail})`);
  throw new GitFailure(reason, `git on ${machine.id} failed: ${detail || outcome.kind}`);
}

/**
 * The text with which every git script begins. Clears the environment variables that redirect git.
 * Defines functions that call git without fetching and without starting the user's hooks, filters,
 * watchers or garbage collection: `g` (git in the repository of the current folder), `enter` (goes
 * to the root of the worktree), `begin_own` and `own_dir` (make the private git folder `$own`), and
 * `p` (git with `$own` instead of the user's git folder).
 */
export const scriptStart = shellText('./gitStart.sh', import.meta.url);

/** Text that defines `compare_trees`, which compares the trees that it reads. */
export const comparePart = shellText('./compareTrees.sh', import.meta.url);
