/**
 * Finds attempts in the home's other sessions that resemble a new launch, and imported results of
 * the commit that is launched.
 */
import { delay, type Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { capText, oneLine } from '../../base/text.ts';
import { attemptKeys, type Attempt } from '../../experiments/duplicates.ts';
import type { CodeState, Decision } from '../../experiments/experiment.ts';
import type { ExperimentRow, Ledger, LedgerRow, NamedResult } from '../../experiments/ledger.ts';
import type { FoundAttempt, IndexedAttempt } from '../../storage/sessionIndex.ts';
import { decisionText, importedLine, resultText } from './experimentLabels.ts';
import type { SessionState } from '../journal/state.ts';

/** Index of all journals; `SessionCatalogue` implements it. */
export interface AttemptIndex {
  refresh(): Promise<void>;
  attemptsLike(
    seeds: readonly string[],
    exceptSession: SessionId,
    limit: number,
  ): readonly FoundAttempt[];
}

export interface EarlierDeps {
  readonly index: AttemptIndex;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * An attempt of another session.
 * - `same`: same code and same arguments
 * - `seed`: same code, and arguments that differ only in seed, workers or logging
 */
export type EarlierAttempt = FoundAttempt & { readonly likeness: 'same' | 'seed' };

/**
 * Maximum time that a launch waits for the index. After that, the launch uses what is already
 * indexed.
 */
const withinMs = 50;
const maxAsked = 500;
const maxFound = 50;
/** Maximum number of indexed attempts per session (the newest ones). */
const maxIndexed = 200;
const maxToldChars = 300;

export class EarlierAttempts {
  readonly #deps: EarlierDeps;
  #refreshing: Promise<void> | undefined;

  constructor(deps: EarlierDeps) {
    this.#deps = deps;
  }

  /**
   * Starts to update the index with the work of other sessions, so that `like` has to wait less.
   */
  prepare(): void {
    const { index, logger } = this.#deps;
    this.#refreshing ??= index
      .refresh()
      .catch((error: unknown) =>
        logger.warn(`Earlier sessions could not be read: ${messageOf(error)}`),
      )
      .finally(() => (this.#refreshing = undefined));
  }

  /**
   * Resolves with similar attempts of other sessions, newest first. Waits at most 50 ms for the
   * index. Skips attempts whose code is in no repository.
   */
  async like(
    attempts: readonly Attempt[],
    sessionId: SessionId,
  ): Promise<readonly EarlierAttempt[]> {
    const gitAttempts = attempts.filter(({ code }) => code.kind === 'git').slice(0, maxAsked);
    if (gitAttempts.length === 0) return [];
    this.prepare();
    const { index, clock } = this.#deps;
    const waitOver = new AbortController();
    const late = delay(clock, withinMs, waitOver.signal).catch(() => undefined);
    await Promise.race([this.#refreshing, late]);
    waitOver.abort();
    const keys = gitAttempts.map(attemptKeys);
    const same = new Set(keys.map((key) => key.same));
    const seeds = [...new Set(keys.map((key) => key.seed))];
    return index
      .attemptsLike(seeds, sessionId, maxFound)
      .map((found) => ({ ...found, likeness: same.has(found.same) ? 'same' : 'seed' }));
  }
}

/** Returns the attempts of a session that the index should contain. */
export function indexedAttempts(
  state: SessionState,
  { experiments }: Pick<Ledger, 'experiments'>,
): IndexedAttempt[] {
  const attempts = experiments.flatMap((row) => row.runs.map((run) => ({ row, run })));
  const indexed = attempts
    .slice(-maxIndexed)
    .flatMap(({ row, run }) => attemptOf(state, row, run) ?? []);
  return [...new Map(indexed.map((attempt) => [attempt.same, attempt])).values()];
}

function attemptOf(
  state: SessionState,
  row: ExperimentRow,
  { runId, verdict, metrics, decision }: LedgerRow,
): IndexedAttempt | undefined {
  const { plan } = row;
  const spec = state.runs.get(runId)?.spec;
  if (plan?.code.kind !== 'git' || spec === undefined) return undefined;
  const { code, sameCodeAs } = plan;
  const words = `"${oneLine(row.hypothesis, 120)}": ${resultText(row)}; ${decisionText(row)}`;
  return {
    ...attemptKeys({ command: spec.command, cwd: spec.cwd, code, sameCodeAs }),
    tree: code.tree,
    experimentId: row.id,
    isKnown:
      verdict?.kind === 'ok' &&
      metrics.some(({ last }) => Number.isFinite(last)) &&
      !isVoid(decision?.decision),
    told: capText(words, maxToldChars).text,
  };
}

const isVoid = (decision: Decision | undefined): boolean =>
  decision === 'invalid' || decision === 'crash' || decision === 'retest';

/**
 * True when repeating the earlier attempt would add nothing: it ran exactly the same code with the
 * same arguments, and its result is known.
 */
export const isExact = ({ likeness, isKnown, tree }: EarlierAttempt, code: CodeState): boolean =>
  likeness === 'same' && isKnown && code.kind === 'git' && code.tree === tree;

const maxNamed = 3;

export const earlierName = ({ experimentId, sessionId }: EarlierAttempt): string =>
  `${experimentId} of session ${sessionId}`;

/** Returns one line per experiment. */
function earlierLines(found: readonly EarlierAttempt[]): string[] {
  const byExperiment = [...new Map(found.map((one) => [earlierName(one), one])).values()];
  return byExperiment.slice(0, maxNamed).map((one) => {
    const ran = one.likeness === 'same' ? 'the same' : 'the same with another seed';
    return `experiment ${earlierName(one)} ran ${ran}: ${one.told}`;
  });
}

/** Explains to the model why nothing is launched. `of` is the number of commands in the launch. */
export function earlierRefusal(found: readonly EarlierAttempt[], of: number): string {
  const head =
    of === 1
      ? 'Nothing was started: an earlier session tried this.'
      : `Nothing was started: an earlier session tried some of the ${of} points.`;
  return [
    head,
    ...earlierLines(found).map((line) => `- ${line}`),
    'Try something new. To repeat it on purpose: retest: "<why>".',
  ].join('\n');
}

/**
 * Returns one note per earlier experiment that resembles a launch. Used when the launch was not
 * refused.
 */
export const earlierNotes = (found: readonly EarlierAttempt[]): string[] =>
  earlierLines(found).map((line) => `Earlier: ${line}`);

/** Returns notes about imported results of the commit that is launched. */
export function importedNotes(imported: readonly NamedResult[], code: CodeState): string[] {
  if (code.kind !== 'git' || code.isDirty || code.head === undefined) return [];
  const { head } = code;
  return imported
    .filter(({ commit }) => commit.length >= 7 && head.startsWith(commit.toLowerCase()))
    .slice(0, maxNamed)
    .map(
      (result) =>
        `Imported for this commit, not measured here: ${importedLine(result).replace(/^- /, '')}`,
    );
}
