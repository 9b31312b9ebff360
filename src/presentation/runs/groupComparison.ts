/** A document that compares two groups of repeats side by side. */
import { codeBlock, plain } from '../../base/markdown.ts';
import { summaryFor, type Decisive } from '../../experiments/ledger.ts';
import {
  changesPart,
  chartsPart,
  differingRows,
  tableOf,
  type ComparisonExtras,
} from './comparison.ts';
import { groupDifference, repeatsText } from './noiseText.ts';
import { groupName, type RunGroup } from './runGroups.ts';

export interface ComparedGroups extends ComparisonExtras {
  readonly groups: readonly [baseline: RunGroup, experiment: RunGroup];
  /** The metric that decides, which is listed first. */
  readonly decisive?: Decisive | undefined;
}

const headOf = (group: RunGroup): string => {
  const name = groupName(group);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
};

export const groupsTitle = ([baseline, experiment]: ComparedGroups['groups']): string =>
  `${headOf(baseline)} vs. ${headOf(experiment)}`;

/** Returns Markdown: the verdict per metric, then what differs, the curves and the commands. */
export function groupComparisonDocument({ groups, decisive, ...extras }: ComparedGroups): string {
  const heads = groups.map(headOf);
  const rows = metricsOf({ groups, decisive }).flatMap((metric) => {
    const found = groupDifference(groups, metric, directionOf(groups, metric, decisive));
    if (found === undefined) return [];
    const { baseline, experiment, text } = found;
    return [[plain(metric, 40), repeatsText(baseline), repeatsText(experiment), text]];
  });
  const differing = differingRows(
    groups.map((group) => group.rows),
    extras.code,
  );
  return [
    `# ${groupsTitle(groups)}`,
    rows.length === 0
      ? 'No metric was measured on both sides.'
      : `## Means of last values\n\n${tableOf(['Metric', ...heads, 'Difference'], rows)}`,
    `## What differs\n\n${differing.length === 0 ? 'No option and no code.' : tableOf(['', ...heads], differing)}`,
    ...changesPart(extras),
    ...chartsPart(extras),
    '## Commands',
    ...groups.map(
      (group) => `${headOf(group)}\n\n${codeBlock(group.rows[0]?.command ?? '', 'sh')}`,
    ),
    '',
  ].join('\n\n');
}

/** Returns the metrics of both groups, the one that decides first. */
export function metricsOf({
  groups: [baseline, experiment],
  decisive,
}: Pick<ComparedGroups, 'groups' | 'decisive'>): readonly string[] {
  const names = new Set(
    baseline.rows.flatMap(({ metrics }) => metrics.map(({ metric }) => metric)),
  );
  const shared = [...names].filter((name) =>
    experiment.rows.some(({ metrics }) => summaryFor(metrics, name) !== undefined),
  );
  const first = decisive?.metric;
  return shared.toSorted((a, b) => Number(b === first) - Number(a === first));
}

function directionOf(
  groups: readonly RunGroup[],
  metric: string,
  decisive: Decisive | undefined,
): Decisive['direction'] | 'none' {
  if (metric === decisive?.metric) return decisive.direction;
  const summaries = groups.flatMap(({ rows }) =>
    rows.flatMap(({ metrics }) => summaryFor(metrics, metric) ?? []),
  );
  return summaries[0]?.direction ?? 'none';
}
