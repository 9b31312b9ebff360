/**
 * Stores the code of an experiment with one script in three steps: surveys the worktree, inspects
 * the files that it is told, and makes the commit of those that are selected.
 */
import { delay, type Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { comparePart, GitFailure, runGit, scriptStart } from './gitScript.ts';
import { inspectLocal } from './inspectLocal.ts';
import { intakeOf, toInspect, type Intake } from './intake.ts';
import { secretPatterns, type LeaveOutLimits } from './leaveOut.ts';
import { quoteName } from './quotedNames.ts';
import {
  inspectInput,
  inspectPart,
  newMark,
  parseInspected,
  parseSurvey,
  sectionOf,
  surveyArguments,
  surveyPart,
  type HeadEntry,
  type Inspected,
  type Survey,
} from './survey.ts';
import { formatDuration } from '../../base/text.ts';

export interface Capture {
  readonly machine: Machine;
  readonly folder: string;
  readonly clock: Clock;
  /** Name of the ref under which the commit is stored. If empty, no commit is made. */
  readonly ref: string;
  /**
   * Set for a worktree that Helios created: the parent of the new commit. A commit is then made
   * only if something has changed, and is checked out in the worktree. If omitted, the parent is
   * the checked-out commit, which stays checked out.
   */
  readonly following?: string;
  readonly message: string;
  readonly limits: LeaveOutLimits;
  /** Paths that a command names, relative to `folder`. Files that git ignores are only hashed. */
  readonly files?: readonly string[];
  /** Trees to compare with the stored tree. */
  readonly others?: readonly string[];
  /** Returns the remaining time, in milliseconds. */
  leftMs(): number;
  readonly signal?: AbortSignal;
}

export interface Captured {
  /** Absolute path of the root of the worktree. */
  readonly top: string;
  readonly head?: string;
  readonly tree: string;
  /** The tree of `head`; the empty tree if there is no commit yet. */
  readonly headTree: string;
  /** The new commit. Omitted if the repository is not writable or nothing has changed. */
  readonly commit?: string;
  readonly leftOut: ReadonlyMap<string, string>;
  /** Hashes of the requested files that git ignores: name → hash of the content. */
  readonly ignored: ReadonlyMap<string, string>;
  /** Output of `compare_trees` about the other trees; maybe only its beginning. */
  readonly differences: string;
}

const keepPart = shellText('./keep.sh', import.meta.url);
const captureScript = `${scriptStart}${comparePart}${surveyPart}${inspectPart}${keepPart}`;

/** Stores the code of a worktree, in one command. Rejects with `GitFailure`. */
export async function capture(request: Capture): Promise<Captured> {
  await ready(request);
  const { following: base, limits, ref, message } = request;
  const place = { ...request, ...(base !== undefined && { base }), timeoutMs: request.leftMs() };
  const mark = newMark();
  const blocks = String(Math.ceil(limits.maxFileBytes / 512) + 1);
  const selection = new Selection(mark, request);
  const text = await runGit({
    ...place,
    script: captureScript,
    args: [
      ...surveyArguments(place, mark),
      ...[blocks, secretPatterns.join('\n')],
      ...[ref, message, String(Math.floor(request.clock.now() / 1000))],
      (request.others ?? []).join('\n'),
    ],
    stdin: {
      question: `${mark}\0ask\0`,
      replies: [(output) => selection.survey(output), (output) => selection.inspect(output)],
    },
  });
  const [tree = '', headTree = '', commit] = sectionOf(text, mark, 'kept').split('\0');
  const differences = sectionOf(text, mark, 'differences');
  return { ...selection.result, tree, headTree, differences, ...(commit && { commit }) };
}

/** Selects the files to store while the script waits. */
class Selection {
  readonly #mark: string;
  readonly #request: Pick<Capture, 'machine' | 'limits'>;
  #survey: Survey;
  /** Omitted if the script inspects the files. */
  #inspected: Inspected | undefined;
  #leftOut: Captured['leftOut'] = new Map();

  constructor(mark: string, request: Pick<Capture, 'machine' | 'limits'>) {
    this.#mark = mark;
    this.#request = request;
    this.#survey = parseSurvey('', mark);
  }

  /** Resolves with the files that the script has to inspect. */
  async survey(output: string): Promise<string> {
    this.#survey = parseSurvey(output, this.#mark);
    const names = toInspect(this.#survey);
    if (this.#request.machine.kind === 'local')
      this.#inspected = await inspectLocal(this.#survey.top, names);
    return inspectInput(this.#inspected === undefined ? names : []);
  }

  /** Returns the files to store. */
  inspect(output: string): string {
    const seen = this.#inspected ?? parseInspected(output, this.#mark, toInspect(this.#survey));
    const intake = intakeOf(this.#survey, seen, this.#request.limits);
    this.#leftOut = intake.leftOut;
    return keepInput(this.#survey, intake);
  }

  get result(): Pick<Captured, 'top' | 'head' | 'leftOut' | 'ignored'> {
    const { top, head, ignored } = this.#survey;
    return { top, ...(head !== undefined && { head }), leftOut: this.#leftOut, ignored };
  }
}

/** Returns the input of `keep.sh`. */
function keepInput(
  { unwatched, staged, emptyTree }: Survey,
  { asTheyStand, leftOut }: Intake,
): string {
  const nothing: HeadEntry = { mode: '0', hash: '0'.repeat(emptyTree.length) };
  const unwatchedNames = unwatched.map(quoteName);
  // In the temporary copy of the index, staged files that are omitted are reset to the version of
  // the commit, or removed if the commit does not have them.
  const asInHead = [...staged].filter(([name]) => leftOut.has(name));
  const blocks = new Map([
    ['V', unwatchedNames],
    ['S', unwatchedNames],
    ['A', asTheyStand.map(quoteName)],
    [
      'H',
      asInHead.map(([name, { mode, hash } = nothing]) => `${mode} ${hash}\t${quoteName(name)}`),
    ],
  ]);
  const filled = [...blocks].filter(([, lines]) => lines.length > 0);
  const kinds = filled.map(([kind]) => kind).join('');
  const lines = filled.flatMap(([, names]) => [...names, '']);
  return [kinds, ...lines, 'end', ''].join('\n');
}

/** Waits until the machine is ready, at most for the remaining time of the capture. */
async function ready({ machine, clock, leftMs }: Capture): Promise<void> {
  if (machine.ready === undefined) return;
  const answered = new AbortController();
  const limitMs = leftMs();
  const late = delay(clock, limitMs, answered.signal).then(() => {
    throw new GitFailure(
      'timeout',
      `${machine.id} did not answer within ${formatDuration(limitMs)}.`,
    );
  });
  late.catch(() => undefined);
  try {
    await Promise.race([machine.ready(), late]);
  } finally {
    answered.abort();
  }
}
