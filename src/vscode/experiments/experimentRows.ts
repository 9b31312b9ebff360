/** The Experiments tree: sessions, their experiments, and the runs of each experiment. */
import { sessionBill, costLines } from '../../presentation/costs.ts';
import { budgetText } from '../../presentation/limits.ts';
import type { SessionOwner, SessionSummary } from '../../agent/contract/sessions.ts';
import type { EndReason } from '../../agent/journal/events.ts';
import { counted, oneLine } from '../../base/text.ts';
import { plannedRows } from './experimentRow.ts';
import type { OpenSessionView } from '../window/sessionFacts.ts';
import { rowLabel, runRow } from '../runs/runRows.ts';
import {
  bestText,
  phaseText,
  runningCount,
  costText,
  endText,
  sessionName,
} from '../../presentation/sessions/sessionText.ts';
import { endIcon, phaseIcon, type Icon } from '../ui/icons.ts';
import { failureRow } from '../ui/failureRow.ts';
import { groupedByAge } from '../ui/sessionGroups.ts';
import { withSweeps } from '../runs/sweepRows.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import { exactTime } from '../../base/localTime.ts';
import { plain } from '../../base/markdown.ts';
import { relativeTime } from '../../base/span.ts';
import { runName, runStatus, runTitle } from '../../presentation/runs/runText.ts';

export interface ExperimentsView {
  /** Sessions that are open in this window. */
  readonly open: readonly OpenSessionView[];
  /** All stored sessions, open or not. */
  readonly listed: readonly SessionSummary[];
  /**
   * By session id: the process that works on the session. Contains only sessions that are not open
   * in this window.
   */
  readonly owners?: ReadonlyMap<string, SessionOwner>;
  readonly nowMs: number;
  /** Whether experiments are below the one that they built on. Default: false. */
  readonly isTree?: boolean;
  /** Reads a session that is not open in this window. Called when the session's row is expanded. */
  readonly read: (sessionId: SessionSummary['id']) => Promise<OpenSessionView>;
}

/**
 * Returns the rows of the tree: the open sessions of this window, newest first, then all other
 * sessions, with older sessions in groups. Open sessions that have not ended are expanded.
 */
export function experimentRows(view: ExperimentsView): readonly TreeNode[] {
  const openIds = new Set(view.open.map(({ state }) => state.id));
  const open = [...view.open].sort((a, b) => b.state.startedMs - a.state.startedMs);
  const closed = view.listed.filter((summary) => !openIds.has(summary.id));
  return [
    ...open.map((session) => rowOr(session.state, () => openRow(session, view))),
    ...groupedByAge(closed, view.nowMs, (summary) =>
      rowOr(summary, () => closedRow(summary, view)),
    ),
  ];
}

/** Returns the row of a session; a row that says why, if a journal of a newer version prevents it. */
function rowOr(
  { id, ...named }: Pick<SessionSummary, 'id' | 'goal' | 'title'>,
  row: () => TreeNode,
): TreeNode {
  try {
    return row();
  } catch (error) {
    return {
      ...failureRow(oneLine(String(sessionName(named)), 80), error, id),
      context: 'session',
    };
  }
}

/** Returns the number of active runs, which is the badge of the tree. */
export const runningRuns = (open: readonly OpenSessionView[]): number =>
  open.reduce((sum, { state }) => sum + runningCount(state), 0);

function openRow({ state, ledger, facts }: OpenSessionView, view: ExperimentsView): TreeNode {
  const { nowMs } = view;
  const isEnded = state.phase === 'ended';
  const best = bestText(ledger);
  const phase = phaseText(state, nowMs);
  const children = runRows({ state, ledger, ...(facts && { facts }) }, view);
  return sessionRow({
    id: state.id,
    name: sessionName(state),
    goal: state.goal,
    icon: phaseIcon(state),
    best,
    description: [
      oneLine(phase, 60),
      isEnded ? relativeTime(state.lastEventMs, nowMs) : costText(state),
    ],
    tooltip: [
      phase,
      `Started ${exactTime(state.startedMs)} · last event ${exactTime(state.lastEventMs)}`,
      `Turn ${state.turns} · ${sessionBill(state)} · budget ${budgetText(state.budget)}`,
      `${state.provider}/${state.model}`,
      ...costLines(state),
    ],
    context: isEnded
      ? endedContext(state.end?.reason)
      : state.phase === 'paused'
        ? 'session open paused'
        : 'session open',
    spoken: `${oneLine(sessionName(state), 120)}, ${phase}${best ? `, best ${best}` : ''}`,
    isExpanded: !isEnded,
    ...(children.length > 0 && { children }),
  });
}

function closedRow(summary: SessionSummary, view: ExperimentsView): TreeNode {
  const { endReason } = summary;
  const owner = endReason === undefined ? view.owners?.get(summary.id) : undefined;
  const phase = owner === undefined ? endText(endReason) : placeText(summary, owner);
  const icon: Icon =
    endReason === undefined
      ? { id: owner === undefined ? 'debug-disconnect' : 'eye' }
      : endIcon(endReason);
  return sessionRow({
    id: summary.id,
    name: sessionName(summary),
    goal: summary.goal,
    icon,
    best: summary.best,
    description: [phase, relativeTime(summary.lastEventMs, view.nowMs)],
    tooltip: [
      phase,
      `Started ${exactTime(summary.startedMs)} · last event ${exactTime(summary.lastEventMs)}`,
      `${counted(summary.turns, 'turn')} · ${counted(summary.runs, 'run')} · ${costText(summary)}`,
    ],
    context: endReason === undefined ? 'session unfinished' : endedContext(endReason),
    spoken: `${oneLine(sessionName(summary), 120)}, ${phase}${summary.best ? `, best ${summary.best}` : ''}`,
    ...(summary.runs > 0 && {
      children: async () => runRows(await view.read(summary.id), view),
    }),
  });
}

/** Ends after which the session can go on as it was, unlike one that reached what it was for. */
const resumable: ReadonlySet<EndReason> = new Set<EndReason>([
  'user',
  'error',
  'blocked',
  'budget',
  'no_progress',
  'plateau',
]);

const endedContext = (reason: EndReason | undefined): string =>
  `session ended${reason !== undefined && resumable.has(reason) ? ' resumable' : ''}`;

const places = {
  window: 'in another window',
  terminal: 'in a terminal',
  detached: 'in the background',
} as const;

const placeText = ({ phase }: SessionSummary, owner: SessionOwner): string =>
  `${phase === 'paused' ? 'Paused' : 'Running'} ${owner.kind === undefined ? 'in another process' : places[owner.kind]}`;

interface SessionRow extends Pick<TreeNode, 'id' | 'spoken' | 'isExpanded' | 'children'> {
  readonly name: string;
  readonly goal: string;
  readonly best: string | undefined;
  readonly icon: Icon;
  readonly description: readonly string[];
  readonly tooltip: readonly string[];
  readonly context: string;
}

const sessionRow = ({ name, goal, best, description, tooltip, ...row }: SessionRow): TreeNode => ({
  ...row,
  // A session's row gets a new id when the session is resumed or has its first run, because VS Code
  // applies `isExpanded` only to new rows.
  id: `${row.context === 'session unfinished' ? 'saved/' : ''}${row.children ? '' : 'empty/'}${row.id}`,
  label: rowLabel(best?.split(/ ± | \(/)[0], oneLine(name, 80)),
  description: description.filter((part) => part !== '').join(' · '),
  tooltip: [
    `**${plain(name, 400)}**`,
    ...(name === goal ? [] : [plain(goal, 400)]),
    ...[best ?? '', ...tooltip].filter((part) => part !== '').map((part) => plain(part, 200)),
  ].join('\n\n'),
  target: { kind: 'session', sessionId: row.id },
});

/**
 * Returns the rows below a session: experiments, then runs without a planned experiment, both
 * newest first. Runs that did not start are last.
 */
function runRows(
  { state, ledger, facts }: OpenSessionView,
  { nowMs, isTree = false }: ExperimentsView,
): readonly TreeNode[] {
  const place = {
    sessionId: state.id,
    decisive: ledger.decisive,
    nowMs,
    idPrefix: state.id,
    facts,
  };
  const repeats = new Set(
    ledger.experiments.flatMap(({ result }) =>
      result !== undefined && result.runs.length > 1 ? result.runs.map(({ runId }) => runId) : [],
    ),
  );
  // Repeats are the champion by their mean, and none of them alone.
  const runs = ledger.rows.map((row) =>
    runRow(repeats.has(row.runId) ? { ...row, isChampion: false } : row, place),
  );
  const planned = new Set(ledger.experiments.flatMap(({ plan }) => plan?.id ?? []));
  const isBare = (index: number): boolean => !planned.has(ledger.rows[index]?.experimentId ?? '');
  const bare = withSweeps(
    runs.filter((_, index) => isBare(index)),
    state,
    { ...ledger, rows: ledger.rows.filter((_, index) => isBare(index)) },
  );
  const rows = [...bare, ...plannedRows(runs, state.id, { ledger, isTree })].toReversed();
  const failed = [...state.runs.values()].filter((run) => run.notStarted !== undefined);
  return [
    ...rows,
    ...failed.map((run): TreeNode => ({
      id: `${state.id}/${run.spec.id}`,
      label: rowLabel(undefined, run.spec.label),
      description: `${runName(run.spec.number)} · ${oneLine(runStatus(run), 80)}`,
      tooltip: plain(runStatus(run), 400),
      icon: { id: 'error', color: 'testing.iconFailed' },
      context: 'run failed',
      spoken: `${runTitle(run.spec.number)} ${oneLine(runStatus(run), 120)}`,
      target: { kind: 'run', runId: run.spec.id, sessionId: state.id },
    })),
  ];
}
