/** The Experiments tree: sessions, their experiments, and the runs of each. */
import { billText, costLines } from '../../presentation/costs.ts';
import { budgetText } from '../../presentation/limits.ts';
import type { SessionOwner, SessionSummary } from '../../agent/contract/sessions.ts';
import { counted, oneLine } from '../../base/text.ts';
import { plannedRows } from './experimentRow.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';
import { runRow } from '../runs/runRows.ts';
import {
  bestText,
  phaseText,
  runningCount,
  costText,
  endText,
} from '../../presentation/sessions/sessionText.ts';
import { endIcon, phaseIcon, type Icon } from '../ui/icons.ts';
import { groupedByAge } from '../ui/sessionGroups.ts';
import { withSweeps } from '../runs/sweepRows.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import { exactTime } from '../../base/localTime.ts';
import { plain } from '../../base/markdown.ts';
import { relativeTime } from '../../base/span.ts';

export interface ExperimentsView {
  /** Sessions of this window, with the output of their runs so far. */
  readonly open: readonly OpenSessionView[];
  readonly listed: readonly SessionSummary[];
  /** Processes that own sessions which are not open in this window. */
  readonly owners?: ReadonlyMap<string, SessionOwner>;
  readonly nowMs: number;
  /** Reads a session that is not open in this window. Called when the session's row is expanded. */
  readonly read: (sessionId: SessionSummary['id']) => Promise<OpenSessionView>;
}

/**
 * Returns the rows of the tree: newest session first, older sessions in groups. Sessions of this
 * window are expanded.
 */
export function experimentRows(view: ExperimentsView): readonly TreeNode[] {
  const openIds = new Set(view.open.map(({ state }) => state.id));
  const open = [...view.open].sort((a, b) => b.state.startedMs - a.state.startedMs);
  const closed = view.listed.filter((summary) => !openIds.has(summary.id));
  return [
    ...open.map((session) => openRow(session, view.nowMs)),
    ...groupedByAge(closed, view.nowMs, (summary) => closedRow(summary, view)),
  ];
}

/** Number of active runs, shown as the badge of the tree. */
export const runningRuns = (open: readonly OpenSessionView[]): number =>
  open.reduce((sum, { state }) => sum + runningCount(state), 0);

function openRow({ state, ledger, facts }: OpenSessionView, nowMs: number): TreeNode {
  const isEnded = state.phase === 'ended';
  const best = bestText(ledger);
  const phase = phaseText(state, nowMs);
  return sessionRow({
    id: state.id,
    goal: state.goal,
    icon: phaseIcon(state),
    description: [
      best ?? '',
      oneLine(phase, 60),
      isEnded ? relativeTime(state.lastEventMs, nowMs) : costText(state),
    ],
    tooltip: [
      phase,
      `Started ${exactTime(state.startedMs)} · last event ${exactTime(state.lastEventMs)}`,
      `Turn ${state.turns} · ${billText(state)} · budget ${budgetText(state.budget)}`,
      `${state.provider}/${state.model}`,
      ...costLines(state),
    ],
    context: isEnded
      ? 'session ended'
      : state.phase === 'paused'
        ? 'session open paused'
        : 'session open',
    spoken: `${oneLine(state.goal, 120)}, ${phase}${best ? `, best ${best}` : ''}`,
    isExpanded: !isEnded,
    children: runRows({ state, ledger, ...(facts && { facts }) }, nowMs),
  });
}

function closedRow(summary: SessionSummary, view: ExperimentsView): TreeNode {
  const { endReason } = summary;
  const owner = endReason === undefined ? view.owners?.get(summary.id) : undefined;
  const phase = endReason === undefined ? placeText(summary, owner) : endText(endReason);
  const icon: Icon =
    endReason === undefined
      ? { id: owner === undefined ? 'debug-disconnect' : 'eye' }
      : endIcon(endReason);
  return sessionRow({
    id: summary.id,
    goal: summary.goal,
    icon,
    description: [summary.best ?? '', phase, relativeTime(summary.lastEventMs, view.nowMs)],
    tooltip: [
      phase,
      `Started ${exactTime(summary.startedMs)} · last event ${exactTime(summary.lastEventMs)}`,
      `${counted(summary.turns, 'turn')} · ${counted(summary.runs, 'run')} · ${costText(summary)}`,
    ],
    context: endReason === undefined ? 'session unfinished' : 'session ended',
    spoken: `${oneLine(summary.goal, 120)}, ${phase}${summary.best ? `, best ${summary.best}` : ''}`,
    ...(summary.runs > 0 && {
      children: async () => runRows(await view.read(summary.id), view.nowMs),
    }),
  });
}

const places = {
  window: 'in another window',
  terminal: 'in a terminal',
  detached: 'in the background',
} as const;

function placeText({ phase }: SessionSummary, owner: SessionOwner | undefined): string {
  if (owner === undefined) return 'Not ended';
  return `${phase === 'paused' ? 'Paused' : 'Running'} ${owner.kind === undefined ? 'in another process' : places[owner.kind]}`;
}

interface SessionRow extends Pick<TreeNode, 'id' | 'spoken' | 'isExpanded' | 'children'> {
  readonly goal: string;
  readonly icon: Icon;
  readonly description: readonly string[];
  readonly tooltip: readonly string[];
  readonly context: string;
}

const sessionRow = ({ goal, description, tooltip, ...row }: SessionRow): TreeNode => ({
  ...row,
  // A resumed session gets a new row id: VS Code then expands the row, even if the user had
  // collapsed the old one.
  id: row.context === 'session unfinished' ? `saved/${row.id}` : row.id,
  label: oneLine(goal, 80),
  description: description.filter((part) => part !== '').join(' · '),
  tooltip: [`**${plain(goal, 400)}**`, ...tooltip.map((part) => plain(part, 200))].join('\n\n'),
  target: { kind: 'session', sessionId: row.id },
});

/** Returns the session's run rows, newest first. */
function runRows({ state, ledger, facts }: OpenSessionView, nowMs: number): readonly TreeNode[] {
  const place = {
    sessionId: state.id,
    decisive: ledger.decisive,
    nowMs,
    idPrefix: state.id,
    facts,
  };
  const runs = ledger.rows.map((row) => runRow(row, place));
  const planned = new Set(ledger.experiments.flatMap(({ plan }) => plan?.id ?? []));
  const isBare = (index: number): boolean => !planned.has(ledger.rows[index]?.experimentId ?? '');
  const bare = withSweeps(
    runs.filter((_, index) => isBare(index)),
    state,
    { ...ledger, rows: ledger.rows.filter((_, index) => isBare(index)) },
  );
  const rows = [...bare, ...plannedRows(runs, state.id, ledger)].toReversed();
  const failed = [...state.runs.values()].filter((run) => run.notStarted !== undefined);
  return [
    ...rows,
    ...failed.map(({ spec, notStarted = '' }): TreeNode => ({
      id: `${state.id}/${spec.id}`,
      label: `Run ${spec.number}`,
      description: `did not start · ${oneLine(notStarted, 80)}`,
      tooltip: plain(notStarted, 400),
      icon: { id: 'error', color: 'testing.iconFailed' },
      context: 'run failed',
      spoken: `Run ${spec.number} did not start: ${oneLine(notStarted, 120)}`,
      target: { kind: 'run', runId: spec.id, sessionId: state.id },
    })),
  ];
}
