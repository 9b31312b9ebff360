/** Changes of the state of the metrics panel, so that a point of one run sends only that run. */
import { NotificationType } from 'vscode-jsonrpc';
import { changedList, listChange, type ListChange } from './listChange.ts';
import type {
  PanelDecisive,
  PanelGroup,
  PanelMetric,
  PanelRun,
  PanelState,
} from './metricsPanel.ts';

/** Changes since the state that the view has. Omitted parts have not changed. */
export interface PanelDelta {
  readonly sessionId?: string;
  readonly title?: string;
  readonly isOpen?: boolean;
  readonly runs?: ListChange<PanelRun, string>;
  readonly groups?: ListChange<PanelGroup, number>;
  readonly ranking?: ListChange<number, number>;
  /** `null` if there is none any more. */
  readonly decisive?: PanelDecisive | null;
  readonly metrics?: ListChange<PanelMetric, string>;
}

/** Sends what has changed since the answer to `ready`, or since the last change. */
export const stateChanged = new NotificationType<PanelDelta>('state.changed');

const idOf = ({ id }: PanelRun): string => id;
const numberOf = ({ number }: PanelGroup): number => number;
const nameOf = ({ name }: PanelMetric): string => name;
const itself = (number: number): number => number;

/**
 * Returns the change; `undefined` if there is none. Runs, groups and metrics that did not change
 * must be the same objects in both states, or they are sent again.
 */
export function panelDelta(before: PanelState, after: PanelState): PanelDelta | undefined {
  const runs = listChange(before.runs, after.runs, idOf);
  const groups = listChange(before.groups, after.groups, numberOf);
  const ranking = listChange(before.ranking, after.ranking, itself);
  const metrics = listChange(before.metrics, after.metrics, nameOf);
  const isDecisive = JSON.stringify(before.decisive) === JSON.stringify(after.decisive);
  const delta: PanelDelta = {
    ...(before.sessionId !== after.sessionId && { sessionId: after.sessionId }),
    ...(before.title !== after.title && { title: after.title }),
    ...(before.isOpen !== after.isOpen && { isOpen: after.isOpen }),
    ...(runs && { runs }),
    ...(groups && { groups }),
    ...(ranking && { ranking }),
    ...(metrics && { metrics }),
    ...(!isDecisive && { decisive: after.decisive ?? null }),
  };
  return Object.keys(delta).length === 0 ? undefined : delta;
}

/** Returns the state after the change. Does not change `before`. */
export function changedState(before: PanelState, delta: PanelDelta): PanelState {
  const { decisive: decisiveBefore, ...rest } = before;
  const { sessionId = before.sessionId, title = before.title, isOpen = before.isOpen } = delta;
  const decisive = delta.decisive === undefined ? decisiveBefore : (delta.decisive ?? undefined);
  return {
    ...rest,
    sessionId,
    title,
    isOpen,
    runs: changedList(before.runs, delta.runs, idOf),
    groups: changedList(before.groups, delta.groups, numberOf),
    ranking: changedList(before.ranking, delta.ranking, itself),
    metrics: changedList(before.metrics, delta.metrics, nameOf),
    ...(decisive && { decisive }),
  };
}
