/**
 * The ledger as the session view shows it: a line per experiment, and a line per run without an
 * experiment.
 */
import { codeName } from '../../presentation/runs/codeName.ts';
import type {
  ExperimentResult,
  ExperimentRow,
  Ledger,
  LedgerRow,
} from '../../experiments/ledger.ts';
import type { LedgerLine, LedgerTable, Tone } from '../../protocol/sessionView.ts';
import { costText } from '../../presentation/sessions/sessionText.ts';
import { decisionTone, verdictTone } from '../../presentation/events.ts';
import { line } from './timeline.ts';
import { settingColumns } from '../../presentation/runs/settingColumns.ts';
import { runName } from '../../presentation/runs/runText.ts';
import { experimentStatus, shortResult } from '../../presentation/experiments/experimentText.ts';

export function ledgerTable({ experiments, decisive }: Ledger): LedgerTable {
  const { names, values } = settingColumns(experiments.map(({ runs }) => runs));
  const shown = names.slice(0, maxOptions);
  return {
    options: shown,
    lines: experiments.map((row, index) => ({
      ...lineOf(row, index),
      options: shown.map((_, at) => line(values[index]?.[at] ?? '')),
    })),
    metric: decisive?.metric ?? '',
    direction: decisive?.direction ?? 'none',
  };
}

/** Maximum number of columns for options, so that the table stays readable. */
const maxOptions = 4;

function lineOf(row: ExperimentRow, index: number): Omit<LedgerLine, 'options'> {
  const { id, plan, result, cost, decision } = row;
  return {
    name: id,
    number: index + 1,
    what: line(row.hypothesis === '' ? row.command : row.hypothesis),
    decision: decision === undefined && row.verdicts !== '' ? row.verdicts : experimentStatus(row),
    tone: decision === undefined ? statusTone(row) : decisionTone(decision.decision),
    why: line(decision?.why ?? ''),
    best: result === undefined ? '' : resultText(result),
    ...(result !== undefined && { bestValue: result.mean }),
    runs: row.runs.map(({ runId, number }) => ({ id: runId, name: runName(number) })),
    ...(cost !== undefined && { usd: cost.usd }),
    cost: cost === undefined ? '' : costText(cost),
    code: plan === undefined ? '' : codeName(plan.code),
    isChampion: row.isChampion,
  };
}

const resultText = (result: ExperimentResult): string =>
  `${shortResult(result)}${result.n > 1 ? ` (${result.n})` : ''}`;

/**
 * Returns the tone of an experiment without a decision: muted if no run has started, busy while a
 * run is running, otherwise the tone of the worst run.
 */
function statusTone({ status, runs }: ExperimentRow): Tone {
  if (status === 'planned' || status === 'not_started') return 'muted';
  const tones = runs.map(({ verdict }: LedgerRow) => verdictTone(verdict));
  return (['busy', 'bad', 'warn', 'muted'] as const).find((tone) => tones.includes(tone)) ?? 'good';
}
