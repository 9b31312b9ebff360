/** A document that compares two runs side by side. */
import { rowStatus } from '../../experiments/ledger.ts';
import { formatValue } from '../../base/text.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import type { Judgement, MetricComparison } from '../../metrics/compare.ts';
import { codeBlock, plain } from '../../base/markdown.ts';
import { runTitle } from '../../runs/run.ts';
import { groupDifference, repeatsText } from './noiseText.ts';
import { groupName, type RunGroup } from './runGroups.ts';
import { settingColumns } from './settingColumns.ts';

export { compareRuns } from '../../metrics/compare.ts';

/** Facts that a comparison shows besides measured values. */
export interface ComparisonExtras {
  /** Names of the states of the code, if they are known: `9fceb02`. */
  readonly code?: readonly [baseline: string, experiment: string];
  /** Changed files of the code with their lines: `train.py, 10 lines`. */
  readonly files?: string | undefined;
  /** Changes between the recorded environments, such as packages; omitted if not both are known. */
  readonly environment?: readonly string[] | undefined;
  /** Pictures of metrics with the curves of both sides, as SVG documents. */
  readonly charts?: readonly { readonly metric: string; readonly svg: string }[];
}

export interface ComparedRuns extends ComparisonExtras {
  readonly baseline: LedgerRow;
  readonly experiment: LedgerRow;
  readonly metrics: readonly MetricComparison[];
  /** The runs that repeat each run, with it, by which noise is judged. */
  readonly repeats?: readonly [baseline: RunGroup, experiment: RunGroup];
}

export const comparisonTitle = ({
  baseline,
  experiment,
}: Pick<ComparedRuns, 'baseline' | 'experiment'>): string =>
  `${runTitle(baseline.number)} vs. ${runTitle(experiment.number)}`;

/** Returns Markdown: what differs first, then the metrics, with a column per run, and the curves. */
export function comparisonDocument(compared: ComparedRuns): string {
  const { baseline, experiment, metrics } = compared;
  const heads = [runTitle(baseline.number), runTitle(experiment.number)] as const;
  return [
    `# ${comparisonTitle(compared)}`,
    differences(compared, heads),
    metrics.length === 0 ? 'Neither run printed a metric.' : metricsTable(metrics, heads),
    ...equalStepTable(metrics, heads),
    ...noisePart(compared),
    ...changesPart(compared),
    ...chartsPart(compared),
    '## Commands',
    ...[baseline, experiment].map(
      ({ command, number }) => `${runTitle(number)}\n\n${codeBlock(command, 'sh')}`,
    ),
    '',
  ].join('\n\n');
}

type Heads = readonly [baseline: string, experiment: string];

export const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => ':--'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Returns a table of the options, code, machine and result, as far as they differ. */
function differences({ baseline, experiment, code }: ComparedRuns, heads: Heads): string {
  const rows = differingRows([[baseline], [experiment]], code, [
    ['Machine', baseline.machineId, experiment.machineId],
    ['Result', rowStatus(baseline), rowStatus(experiment)],
  ]);
  const table = rows.length === 0 ? 'Nothing but the values.' : tableOf(['', ...heads], rows);
  return `## What differs\n\n${table}`;
}

/** Returns the options, the code and other facts in which two sides differ, as rows of cells. */
export function differingRows(
  sides: readonly (readonly LedgerRow[])[],
  code: ComparisonExtras['code'],
  others: readonly (readonly [string, string, string])[] = [],
): readonly (readonly string[])[] {
  const { names, values } = settingColumns(sides);
  const [before = [], after = []] = values;
  const cell = (text = ''): string => plain(text, 60);
  const facts = [['Code', code?.[0] ?? '', code?.[1] ?? ''] as const, ...others];
  return [
    ...names.map((name, at) => [cell(name), cell(before[at]), cell(after[at])]),
    ...facts.filter(([, one, other]) => one !== other).map((texts) => texts.map(cell)),
  ];
}

const maxChanges = 30;

/** Returns the parts about changed files of the code, and about the environment. */
export function changesPart({ files, environment }: ComparisonExtras): string[] {
  const changes = environment?.slice(0, maxChanges).map((text) => `- ${plain(text, 160)}`) ?? [];
  const rest = (environment?.length ?? 0) - changes.length;
  const more = rest > 0 ? [`- … and ${rest} more`] : [];
  return [
    ...(files === undefined ? [] : [`## Code\n\n${plain(files, 400)}`]),
    ...(environment === undefined
      ? []
      : [
          `## Environment\n\n${changes.length === 0 ? 'The recorded environments are the same.' : [...changes, ...more].join('\n')}`,
        ]),
  ];
}

export const chartsPart = ({ charts = [] }: ComparisonExtras): string[] =>
  charts.map(({ metric, svg }) => `![${plain(metric, 40)}](${pictureOf(svg)})`);

/** Compares the means of the settings of the runs, if one of them was repeated. */
function noisePart({ repeats, metrics }: ComparedRuns): string[] {
  if (repeats === undefined || repeats.every(({ rows }) => rows.length < 2)) return [];
  const rows = metrics.flatMap(({ metric, direction }) => {
    const found = groupDifference(repeats, metric, direction);
    if (found === undefined) return [];
    const { baseline, experiment, text } = found;
    return [[plain(metric, 40), repeatsText(baseline), repeatsText(experiment), text]];
  });
  const heads = repeats.map((group) => groupName(group));
  return rows.length === 0
    ? []
    : [`## With their repeats\n\n${tableOf(['Metric', ...heads, 'Difference'], rows)}`];
}

function metricsTable(metrics: readonly MetricComparison[], [one, other]: Heads): string {
  const rows = metrics.flatMap(({ metric, baseline, experiment, atEnd, atBest }) => [
    [plain(metric, 40), 'last', valueOf(baseline?.last), valueOf(experiment?.last), judged(atEnd)],
    ['', 'best', valueOf(baseline?.best), valueOf(experiment?.best), judged(atBest)],
  ]);
  return `## Metrics\n\n${tableOf(['Metric', '', one, other, ''], rows)}`;
}

/**
 * Compares the runs at the last step that both reached, because a run that ended earlier would
 * otherwise be at a disadvantage.
 */
function equalStepTable(metrics: readonly MetricComparison[], [one, other]: Heads): string[] {
  const rows = metrics.flatMap(({ metric, atEqualStep: at }) => {
    if (at === undefined) return [];
    const where = at.by === 'step' ? `step ${at.position}` : `point ${at.position + 1}`;
    const values = [formatValue(at.baseline), formatValue(at.experiment)];
    return [[plain(metric, 40), where, ...values, judged(at)]];
  });
  if (rows.length === 0) return [];
  return [`## At equal step\n\n${tableOf(['Metric', 'At', one, other, ''], rows)}`];
}

const pictureOf = (svg: string): string =>
  `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;

const valueOf = (value: number | undefined): string =>
  value === undefined ? '' : formatValue(value);

function judged(judgement: Judgement | undefined): string {
  if (judgement === undefined || judgement.verdict === 'n/a') return '';
  if (judgement.verdict === 'same') return '= same';
  const { delta, relativeDelta, verdict } = judgement;
  const percent = Number.isFinite(relativeDelta)
    ? ` ${Math.abs(relativeDelta * 100).toFixed(1)} %`
    : '';
  return `${delta > 0 ? '▲' : '▼'}${percent} ${verdict}`;
}
