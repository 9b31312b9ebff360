/** Objections to the end of a session that the model gets once each. */
import { formatSpan } from '../../base/span.ts';
import { formatValue } from '../../base/text.ts';
import { resultValueText, type Ledger, type LedgerRow } from '../../experiments/ledger.ts';
import { resultGroups, summaryOfRepeats } from '../../experiments/ledgerExperiments.ts';
import { withMarks } from '../../reports/claims.ts';
import { valuesOfOtherRuns } from '../../reports/claimedValues.ts';
import { budgetEndMs, isHard, measuresOf, nothingSpent } from '../budget/measures.ts';
import { numbersOf, unmeasuredIn, type Measured } from '../experiments/unmeasured.ts';
import type { SessionState } from '../journal/state.ts';
import { undecidedText, type FinishVerdict } from '../loop/verdict.ts';

/** The end that the model asks for, as `judgeFinish` accepted it. */
export interface PlannedEnd extends FinishVerdict {
  readonly summary: string;
  /** Runs that the model named as evidence. */
  readonly rows: readonly LedgerRow[];
}

export interface EndSituation {
  readonly state: SessionState;
  readonly ledger: Ledger;
  readonly nowMs: number;
}

type Kind = 'open goal' | 'numbers' | 'values of other runs';

export class EndObjections {
  /** Kind of objection → turn in which it was first made. Calls of that turn cannot answer it. */
  readonly #turns = new Map<Kind, number>();

  /**
   * Returns what speaks against the end; `undefined` if nothing does, if the model has read it in
   * an earlier turn, or if the limits leave no turn for an answer.
   */
  against(end: PlannedEnd, now: EndSituation): string | undefined {
    if (!leavesTurn(now)) return undefined;
    const texts = [
      this.#once('open goal', now, end.reason === 'best_found' ? lastLook(now) : ''),
      this.#once('numbers', now, numbersText(end, now)),
      this.#once('values of other runs', now, otherRunsText(end, now)),
    ].filter((text) => text !== '');
    return texts.length === 0
      ? undefined
      : `Not ended yet: ${texts.join(' Also, ')} To end, call finish again.`;
  }

  #once(kind: Kind, { state }: EndSituation, text: string): string {
    if (text === '' || (this.#turns.get(kind) ?? state.turns) !== state.turns) return '';
    this.#turns.set(kind, state.turns);
    return text;
  }
}

/** Largest used part of a limit at which the model is still asked to answer an objection. */
const maxUsed = 0.95;

const leavesTurn = ({ state, nowMs }: EndSituation): boolean =>
  measuresOf({ state, today: nothingSpent, nowMs })
    .filter(isHard)
    .every(({ limit, used, of }) => used < (limit === 'turns' ? of : maxUsed * of));

/**
 * Returns what is left of the limits and what the last experiment gained, for a goal that has no
 * number to reach.
 */
function lastLook({ state, ledger, nowMs }: EndSituation): string {
  const endMs = budgetEndMs(state);
  const parts = [
    endMs === undefined ? 'no limit of time' : `${formatSpan(Math.max(0, endMs - nowMs))} left`,
    ...(state.budget.turns === undefined ? [] : [`${state.budget.turns - state.turns} turns left`]),
    ...bestText(ledger),
    lastGain(ledger),
    undecidedText(ledger),
  ];
  return `${parts.filter((part) => part !== '').join('; ')}. If another experiment may still help, make it.`;
}

const bestText = ({ best }: Ledger): readonly string[] =>
  best === undefined ? [] : [`best ${resultValueText(best)}`];

function lastGain({ experiments, decisive }: Ledger): string {
  const measured = experiments.flatMap(({ id, result }) => (result ? [{ id, ...result }] : []));
  const last = measured.at(-1);
  const before = measured.slice(0, -1).map(({ mean }) => mean);
  if (last === undefined || before.length === 0 || decisive === undefined) return '';
  const isLower = decisive.direction === 'lower';
  const rival = isLower ? Math.min(...before) : Math.max(...before);
  if (rival === 0) return '';
  const gain = ((isLower ? rival - last.mean : last.mean - rival) / Math.abs(rival)) * 100;
  return gain > 0
    ? `the last experiment (${last.id}) was ${gain.toPrecision(2)} % better than all before`
    : `the last experiment (${last.id}) was no better than those before`;
}

const maxNamed = 10;

/** Names the numbers of the summary that no run measured, and says what was measured. */
function numbersText(end: PlannedEnd, { state, ledger }: EndSituation): string {
  const names = unmeasuredIn(end.summary, { state, ledger });
  if (names.length === 0) return '';
  const more = names.length > maxNamed ? ' …' : '';
  return `no run measured these numbers of the summary: ${names.slice(0, maxNamed).join(', ')}${more}. Measured: ${measuredText(end, ledger)}. Correct them, or leave them: they are then marked as not measured.`;
}

/** Names the values of the target's metric in the summary that other runs than the evidence have. */
function otherRunsText(end: PlannedEnd, { state, ledger }: EndSituation): string {
  const { decisive, rows, experiments } = ledger;
  const named = [...end.rows, ...(end.reason === 'best_found' ? (ledger.best?.runs ?? []) : [])];
  if (state.target === undefined || decisive === undefined || named.length === 0) return '';
  const known = numbersOf({ state, ledger });
  const groups = resultGroups(experiments, decisive);
  const references = rows.filter(({ decision }) => decision?.decision === 'reference');
  const baseline = references.length > 0 ? references : (groups[0] ?? []);
  const found = valuesOfOtherRuns(end.summary, {
    metric: decisive.metric,
    known,
    thresholds: state.target.conditions.map(({ value }) => value),
    runs: numbersIn([...named, ...baseline]),
    runsOf: (reference) =>
      numbersIn(rows.filter((row) => [row.experimentId, row.sweepId].includes(reference))),
    valuesOf(runs) {
      const own = groups.filter((group) => group.some(({ number }) => runs.includes(number)));
      const chosen = rows.filter(({ number }) => runs.includes(number));
      const summaries = [...own, named, chosen].flatMap(
        (group) => summaryOfRepeats(group, decisive) ?? [],
      );
      const means = summaries.flatMap(({ mean, best, spread = mean }) => [mean, best, spread]);
      const values = runs.flatMap((number) => [...(known.byRun.get(number) ?? [])]);
      return Float64Array.from([...values, ...means]).sort();
    },
  });
  if (found.length === 0) return '';
  const texts = found.slice(0, maxNamed).map(({ text, sentence }) => `${text} in "${sentence}"`);
  return `the evidence did not measure these values of ${decisive.metric} in the summary: ${texts.join('; ')}. The evidence: ${measuredText(end, ledger)}. Correct them, or name their runs in the same sentence.`;
}

const numbersIn = (rows: readonly LedgerRow[]): readonly number[] =>
  rows.map(({ number }) => number);

/**
 * Returns the summary with a mark after each number that no run measured; `undefined` if there is
 * no such number.
 */
export function markedSummary(summary: string, measured: Measured): string | undefined {
  const text = withMarks(summary, numbersOf(measured));
  return text === summary ? undefined : text;
}

function measuredText({ checked = [], evidence }: PlannedEnd, ledger: Ledger): string {
  const values = evidence.map(({ metric, last, run }) => `${metric} ${formatValue(last)} (${run})`);
  const texts = [checked, values, bestText(ledger)].find((each) => each.length > 0) ?? [];
  return texts.slice(0, maxNamed).join('; ') || 'nothing';
}
