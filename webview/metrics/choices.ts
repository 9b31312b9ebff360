/** Choices of the user in the panel, as far as its state can follow them. */
import {
  axisMetric,
  type PanelMetric,
  type PanelState,
  type XAxis,
} from '../../src/protocol/metricsPanel.ts';
import type { Sort } from './columns.ts';
import type { ViewState } from './viewState.ts';

/** The choices that belong to one session, as they are for another one. */
export const freshChoices = {
  zoom: {},
  filter: '',
  parameter: '',
  hidden: [],
  shown: [],
  isAllDrawn: false,
  expanded: [],
  addedSessions: [],
} satisfies Partial<ViewState>;

/** Returns the names of the metrics that can be a horizontal axis. */
export const countersOf = ({ metrics }: PanelState): readonly string[] =>
  metrics.flatMap(({ name, isCounter }) => (isCounter ? name : []));

/**
 * Returns the axis that the user chose; steps, if no run has its metric. A card of what Helios
 * measured has no steps.
 */
export function axisOf(state: PanelState, { axis }: ViewState, card?: PanelMetric): XAxis {
  const metric = axisMetric(axis);
  const known = metric === undefined || countersOf(state).includes(metric) ? axis : 'step';
  return card?.isSystem === true && known !== 'clock' ? 'time' : known;
}

/** Returns the metric of the list of runs that the user chose; the first, if no run has it. */
export const tableMetricOf = ({ metrics }: PanelState, { metric }: ViewState): string =>
  metrics.some(({ name }) => name === metric) ? metric : (metrics[0]?.name ?? '');

export function withShown(
  { hidden, shown }: ViewState,
  ids: readonly string[],
  isShown: boolean,
): Pick<ViewState, 'hidden' | 'shown'> {
  const without = (list: readonly string[]) => list.filter((id) => !ids.includes(id));
  return {
    hidden: isShown ? without(hidden) : [...without(hidden), ...ids],
    shown: isShown ? [...without(shown), ...ids] : without(shown),
  };
}

/** Returns the order as words for screen readers. */
export function orderText(sort: Sort | undefined): string {
  if (sort === undefined) return 'Not sorted';
  return sort.isDescending ? 'Sorted descending' : 'Sorted ascending';
}
