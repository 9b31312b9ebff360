/**
 * Judges a `finish` call of the model. Uses only values that the engine read from the output of
 * runs, and files that the engine read itself, never values that the model reports.
 */
import { ToolFailure } from '../../base/errors.ts';
import { counted, formatValue, oneLine } from '../../base/text.ts';
import { summaryFor, type Ledger, type LedgerRow } from '../../experiments/ledger.ts';
import {
  countedRows,
  isPrinted,
  judgeChampion,
  judgeRows,
  runsThatMeet,
  targetIn,
  type GroupResult,
} from '../../experiments/target/judgeTarget.ts';
import { numbersInGoal } from '../../experiments/target/statedNumbers.ts';
import { isOpen, type Target } from '../../experiments/target/target.ts';
import { runName, runNames } from '../../runs/run.ts';
import type { FinishRequest } from '../../tools/session/finish.ts';
import type { EndReason, Evidence } from '../journal/events.ts';

export interface EvidenceDeps {
  readonly goal: string;
  readonly target: Target | undefined;
  readonly ledger: Ledger;
  /**
   * Returns the runs of a reference to a run, an experiment or a sweep; empty if there are none.
   */
  rows(reference: string): readonly LedgerRow[];
  /**
   * Checks the requirements of the goal besides numbers, on the code of the runs. Resolves with
   * what was checked; rejects with `ToolFailure` if a requirement is not met.
   */
  requirements(rows: readonly LedgerRow[]): Promise<readonly string[]>;
  /**
   * Resolves with a sentence about the line of output that is most similar to the metric;
   * `undefined` if there is none.
   */
  nearest(metric: string, rows: readonly LedgerRow[]): Promise<string | undefined>;
  /** Describes a file with its size and hash. Rejects with `ToolFailure` if it cannot be read. */
  file(path: string): Promise<string>;
}

export interface FinishVerdict {
  readonly reason: EndReason;
  readonly evidence: readonly Evidence[];
  /** Texts that say what the engine checked. */
  readonly checked: readonly string[];
}

const maxNames = 20;

/** Rejects with a `ToolFailure` that says which claim no measured value supports. */
export async function judgeFinish(
  request: FinishRequest,
  deps: EvidenceDeps,
): Promise<FinishVerdict> {
  const claims = request.evidence.map((claim) => ({ ...claim, rows: rowsOf(claim.runs, deps) }));
  const evidence = claims.flatMap(({ rows, metric }) => measured(rows, metric));
  if (request.outcome === 'blocked') return { reason: 'blocked', evidence, checked: [] };
  if (request.outcome === 'best_found') return await bestFound(deps, evidence);
  const files = await Promise.all(request.files.map((path) => deps.file(path)));
  const rows = claims.flatMap((claim) => claim.rows);
  if (rows.length + files.length + request.checks.length === 0)
    throw new ToolFailure(
      `goal_met needs evidence: the runs whose measured values show it, files or checks. Runs: ${namesOf(deps.ledger.rows)}.`,
    );
  refuseWithoutResult(rows, deps.ledger);
  const compared = await checkTarget(rows, deps);
  const checked = [...compared, ...files, ...(await deps.requirements(rows))];
  if (compared.length + files.length + request.checks.length > 0)
    return { reason: 'goal', evidence, checked };
  return claims.every(({ metric }) => metric === undefined)
    ? { reason: 'goal', evidence, checked: [...rows.map(successText), ...checked] }
    : { reason: 'claimed', evidence, checked };
}

function rowsOf(references: readonly string[], deps: EvidenceDeps): readonly LedgerRow[] {
  return references.flatMap((reference) => {
    const rows = deps.rows(reference);
    if (rows.length > 0) return rows;
    if (/^i\d+/i.test(reference.trim()))
      throw new ToolFailure(
        `${reference} was imported and not measured by Helios, so it is no evidence. Name runs of this session.`,
      );
    throw new ToolFailure(
      `There is no run ${reference} in this session, and no experiment or sweep ${reference} that has launched one. Runs: ${namesOf(deps.ledger.rows)}.`,
    );
  });
}

const namesOf = (rows: readonly LedgerRow[]): string =>
  rows.length === 0
    ? 'none'
    : `${rows.length > maxNames ? '… ' : ''}${rows
        .slice(-maxNames)
        .map(({ number }) => runName(number))
        .join(', ')}`;

/**
 * Returns the last values of the metric in the runs. Throws if none of the runs measured the
 * metric.
 */
function measured(rows: readonly LedgerRow[], wanted: string | undefined): Evidence[] {
  if (wanted === undefined || rows.length === 0) return [];
  const found = rows.flatMap((row): Evidence[] => {
    const summary = summaryFor(row.metrics, wanted);
    if (summary === undefined || summary.count === 0) return [];
    const { metric, last, best, lastStep, count } = summary;
    return [{ runId: row.runId, run: runName(row.number), metric, last, best, lastStep, count }];
  });
  if (found.length > 0) return found;
  const printed = [...new Set(rows.flatMap(({ metrics }) => metrics.map(({ metric }) => metric)))];
  throw new ToolFailure(
    `No value of ${wanted} was measured in ${namesOf(rows)}. Measured: ${printed.join(', ') || 'nothing'}.`,
  );
}

/** Throws `ToolFailure` if none of the runs has a result that can be evidence. */
function refuseWithoutResult(rows: readonly LedgerRow[], ledger: Ledger): void {
  const usable = new Set(countedRows(ledger).map(({ runId }) => runId));
  const [refused] = rows.filter(({ runId }) => !usable.has(runId));
  if (refused === undefined || rows.some(({ runId }) => usable.has(runId))) return;
  throw new ToolFailure(
    `${runName(refused.number)} is no evidence: it did not end successfully, or its experiment was decided invalid. Name runs that ended ok.`,
  );
}

/** Resolves with what was compared; rejects if the target is not met, or has to be stated first. */
async function checkTarget(
  rows: readonly LedgerRow[],
  deps: EvidenceDeps,
): Promise<readonly string[]> {
  const { target, ledger, goal } = deps;
  if (target === undefined) {
    const numbers = numbersInGoal(goal).filter((text) => /[.,%]/.test(text));
    if (numbers.length === 0) return [];
    throw new ToolFailure(
      `The goal has numbers (${numbers.slice(0, 4).join(', ')}), and no target was understood. State it with set_target, then call finish again.`,
    );
  }
  if (isOpen(target))
    throw new ToolFailure(
      `The goal names no number to reach (${targetIn(target, ledger)}). End it with outcome best_found, or state a number of the goal with set_target.`,
    );
  const [best] = judgeRows(target, ledger, rows);
  if (best?.isMet) return metTexts(best, judgeChampion(target, ledger));
  const texts = (best?.conditions ?? []).filter(({ isMet }) => !isMet).map(({ text }) => text);
  const facts = `${targetIn(target, ledger)}. Measured: ${texts.join('; ') || 'nothing that counts'}.`;
  const runs = runsThatMeet(target, ledger);
  throw new ToolFailure(
    runs.length === 0
      ? `The goal is not met: ${facts} ${await wayOut(target, best, deps)} If no run can reach it, call finish with outcome blocked.`
      : `This evidence does not meet the goal: ${facts} The goal is met by ${runNames(runs)}: name ${runs.length === 1 ? 'it' : 'them'} as evidence.`,
  );
}

/**
 * Returns the conditions as the champion meets them, and as the named setting does if it is
 * another one. Returns those of the named setting if the champion does not meet the target.
 */
function metTexts(named: GroupResult, champion: GroupResult | undefined): readonly string[] {
  const texts = named.conditions.map(({ text }) => text);
  const isChampion = champion?.runs.some((row) => named.runs.includes(row)) === true;
  if (champion?.isMet !== true || isChampion) return texts;
  return [
    ...champion.conditions.map(({ text }) => text),
    `named as evidence, ${runNames(named.runs.map(({ number }) => number))}: ${texts.join(', ')}`,
  ];
}

/** Resolves with advice for the model about a target that is not met. */
async function wayOut(
  target: Target,
  best: GroupResult | undefined,
  { ledger, nearest }: EvidenceDeps,
): Promise<string> {
  const unread = best?.conditions.find(({ value, isMet }) => value === undefined && !isMet);
  const metric = unread?.condition.metric;
  const isUnread = metric !== undefined && best?.runs.every((row) => !hasMetric(row, metric));
  const line = isUnread === true ? await nearest(metric, best?.runs ?? []) : undefined;
  if (line !== undefined) return line;
  const unprinted = target.conditions.find((one) => !isPrinted(ledger, one.metric));
  if (unprinted === undefined) return 'Continue with the work.';
  return `No run printed ${unprinted.metric}. Have a run print ${unprinted.metric}=<value>; if the goal means a metric that is printed under another name, state it with set_target.`;
}

const hasMetric = ({ metrics }: LedgerRow, metric: string): boolean =>
  summaryFor(metrics, metric) !== undefined;

async function bestFound(
  { target, ledger, requirements }: EvidenceDeps,
  evidence: readonly Evidence[],
): Promise<FinishVerdict> {
  if (target !== undefined && !isOpen(target))
    throw new ToolFailure(
      `The goal names a number to reach (${targetIn(target, ledger)}): best_found is for goals without one. Continue, or call finish with outcome blocked and say what was reached.`,
    );
  const { best, champion } = ledger;
  if (best === undefined || champion === undefined)
    throw new ToolFailure('Nothing was measured that could be the best. Measure first.');
  const runs = best.runs.map(({ number }) => runName(number)).join(', ');
  const checked = `${best.metric} ${formatValue(best.mean)}${best.n > 1 ? `, mean of ${best.n}` : ''} (${runs})`;
  const limits = checkLimits(target, ledger);
  const more = await requirements(best.runs);
  return { reason: 'best_found', evidence, checked: [checked, ...limits, ...more] };
}

/**
 * Returns texts that compare the best result with the limits of an open goal. Throws if the result
 * breaks a limit.
 */
function checkLimits(target: Target | undefined, ledger: Ledger): readonly string[] {
  const conditions = (target && judgeChampion(target, ledger)?.conditions) ?? [];
  const broken = conditions.filter(({ isMet }) => !isMet).map(({ text }) => text);
  if (broken.length === 0) return conditions.map(({ text }) => text);
  throw new ToolFailure(
    `No result keeps the limits of the goal; the best: ${broken.join('; ')}. Continue with the work, or call finish with outcome blocked.`,
  );
}

const successText = ({ number, command }: LedgerRow): string =>
  `${oneLine(command, 80)} succeeded (${runName(number)})`;

/**
 * Returns a sentence that names the undecided experiments when an open goal is to end; empty if
 * there are none.
 */
export function undecidedText({ experiments }: Ledger): string {
  const open = experiments.filter(
    ({ plan, decision, status }) => plan !== undefined && !decision && status === 'over',
  );
  if (open.length === 0) return '';
  return `${counted(open.length, 'experiment')} not decided: ${open.map(({ id }) => id).join(', ')}`;
}
