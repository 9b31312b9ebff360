/**
 * Finds attempts of earlier sessions of the home that are like a new launch, and imported results
 * of its code.
 */
import { delay, type Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { capText, oneLine } from '../../base/text.ts';
import { attemptKeys, type Attempt } from '../../experiments/duplicates.ts';
import type { CodeState } from '../../experiments/experiment.ts';
import type { ExperimentRow, ImportedResult, Ledger, LedgerRow } from '../../experiments/ledger.ts';
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
 * - `same`: same code, same arguments
 * - `seed`: arguments that differ only in seed, workers or logging
 */
export type EarlierAttempt = FoundAttempt & { readonly likeness: 'same' | 'seed' };

/** A launch waits at most this long for the index, then uses what is indexed. */
const withinMs = 50;
const maxAsked = 500;
const maxFound = 50;
/** The newest attempts of one session that are indexed. */
const maxIndexed = 200;
const maxToldChars = 300;

export class EarlierAttempts {
  readonly #deps: EarlierDeps;
  #refreshing: Promise<void> | undefined;

  constructor(deps: EarlierDeps) {
    this.#deps = deps;
  }

  /** Starts to read what other sessions did since, which makes `like` faster. */
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
   * Returns the attempts of other sessions, newest first, that are known within 50 ms. Attempts
   * without a repository are skipped.
   */
  async like(
    attempts: readonly Attempt[],
    sessionId: SessionId,
  ): Promise<readonly EarlierAttempt[]> {
    const asked = attempts.filter(({ code }) => code.kind === 'git').slice(0, maxAsked);
    if (asked.length === 0) return [];
    this.prepare();
    const { index, clock } = this.#deps;
    const known = new AbortController();
    const late = delay(clock, withinMs, known.signal).catch(() => undefined);
    await Promise.race([this.#refreshing, late]);
    known.abort();
    const keys = asked.map(attemptKeys);
    const same = new Set(keys.map((key) => key.same));
    const seeds = [...new Set(keys.map((key) => key.seed))];
    return index
      .attemptsLike(seeds, sessionId, maxFound)
      .map((found) => ({ ...found, likeness: same.has(found.same) ? 'same' : 'seed' }));
  }
}

/** Returns the attempts of a session for the index. */
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
  { runId, verdict, metrics }: LedgerRow,
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
    isKnown: verdict?.kind === 'ok' && metrics.some(({ best }) => Number.isFinite(best)),
    told: capText(words, maxToldChars).text,
  };
}

/**
 * Returns whether the earlier attempt ran exactly this tree with the same arguments and has a known
 * result, so that a repetition would add nothing.
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

/** Explains why nothing is launched. `of`: number of commands to launch. */
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

/** Returns notes about earlier attempts for a launch that proceeded. */
export const earlierNotes = (found: readonly EarlierAttempt[]): string[] =>
  earlierLines(found).map((line) => `Earlier: ${line}`);

/** Returns notes about imported results of the commit that is about to run. */
export function importedNotes(imported: readonly ImportedResult[], code: CodeState): string[] {
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
