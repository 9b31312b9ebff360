/**
 * Collects the facts for a session's report, from the journal and from what this process knows
 * about the runs.
 */
import { relative } from 'node:path';
import type { RunId } from '../../base/ids.ts';
import { cleanText, oneLine } from '../../base/text.ts';
import type {
  BriefFacts,
  CostFacts,
  QuestionFacts,
  RunFacts,
  SessionFacts,
} from '../../reports/facts.ts';
import { costLines, sessionBill } from '../budget/costs.ts';
import type { SessionReading } from '../contract/sessions.ts';
import type { JournalEvent } from '../journal/events.ts';
import { editsOfCheckout } from '../edits/undoEdits.ts';
import { endMs, workedMs } from '../journal/sessionEnd.ts';
import { judgeLaunches } from '../../experiments/target/launchLimits.ts';
import { launchedRuns } from '../experiments/launchLimits.ts';
import { uncheckedTexts } from '../../experiments/target/requirements.ts';
import { happeningsOf, sleepsOf } from './reportHappenings.ts';
import type { RunState, SessionState } from '../journal/state.ts';
import { runStatus } from '../journal/runText.ts';
import { shortHeadline, endReasonsOfModel, endText } from '../journal/factText.ts';

/** Facts about a run that are not in the journal. */
export interface AboutRun {
  /** Returns the path of the run's output file on the run's machine. */
  outputPath(run: RunState): string | undefined;
  gpu(runId: RunId): RunFacts['gpu'];
}

export type ReportSource = Pick<SessionReading, 'state' | 'events' | 'ledger'>;

export function briefFacts({ state, events, ledger }: ReportSource, about: AboutRun): BriefFacts {
  const { target, targetBy, earlierTargets, end, requirements } = state;
  const unchecked =
    requirements === undefined ? [] : uncheckedTexts(requirements, target, targetBy);
  const tails = outputTails(events);
  return {
    session: sessionFacts(state),
    ...(target && { target }),
    ...(earlierTargets && { earlierTargets }),
    unchecked,
    demands: demandsOf(state, events),
    ledger,
    runs: [...state.runs.values()].map((run) => runFacts(run, tails.get(run.spec.id), about)),
    // Omit the evidence if the outcome already contains what was compared with the target.
    evidence: (end?.checked?.length ? [] : (end?.evidence ?? [])).flatMap(
      ({ runId, ...evidence }) => {
        const number = state.runs.get(runId)?.spec.number;
        return number === undefined ? [] : [{ ...evidence, run: number }];
      },
    ),
    cost: costFacts(state),
    questions: [...state.questions.values()].map(
      ({ id, text, fallback, deadlineMs, refused, answer }): QuestionFacts => ({
        id,
        text,
        fallback,
        deadlineMs,
        ...(refused && { isRefusedCall: true }),
        ...(answer && { answer }),
      }),
    ),
    edits: editsOfCheckout(events, state.id).map(({ path, by }) => ({
      path: shortPath(path, state.workFolder),
      by,
    })),
    happenings: happeningsOf(events, state),
    sleeps: sleepsOf(events),
  };
}

function demandsOf(
  state: SessionState,
  events: readonly JournalEvent[],
): NonNullable<BriefFacts['demands']> {
  const { requirements, end } = state;
  return {
    unchanged: (requirements?.unchanged ?? []).map(({ path }) => path),
    checks: requirements?.checks ?? [],
    checked: end?.checked ?? [],
    launches: judgeLaunches(requirements ?? {}, launchedRuns(state)),
    tries: events.filter((event) => event.type === 'check.ended'),
  };
}

function shortPath(path: string, folder: string): string {
  const inside = relative(folder, path);
  return inside.startsWith('..') ? path : inside;
}

function sessionFacts(state: SessionState): SessionFacts {
  const { id, goal, workFolder, startedMs, turns, end, phase, pausedBy } = state;
  const isBlocked = end?.reason === 'blocked';
  const stuck = isBlocked ? end.summary : phase === 'paused' ? pausedBy : undefined;
  return {
    id,
    goal,
    workFolder,
    startedMs,
    workedMs: workedMs(state, endMs(state)),
    lastEventMs: endMs(state),
    turns,
    model: isDemo(state)
      ? 'offline demo (scripted, not a language model)'
      : `${state.provider} ${state.model}`,
    outcome: phase === 'paused' ? 'Paused' : end ? shortHeadline(end) : endText(undefined),
    ...(stuck !== undefined && { stuck }),
    ...(end !== undefined && endTexts(end)),
  };
}

/** Returns the text of an end as the words of the model or of Helios, whichever wrote it. */
function endTexts({
  reason,
  summary,
}: NonNullable<SessionState['end']>): Pick<SessionFacts, 'summary' | 'cause'> {
  if (reason === 'blocked' || reason === 'user') return {};
  return endReasonsOfModel.has(reason) ? { summary } : { cause: summary };
}

const isDemo = ({ provider }: SessionState): boolean => provider === 'demo';

function runFacts(run: RunState, tail: string | undefined, about: AboutRun): RunFacts {
  const { spec, process, endedMs, alarms } = run;
  const lastLine = tail === undefined ? undefined : lastLineOf(tail);
  const outputPath = about.outputPath(run);
  const gpu = about.gpu(spec.id);
  return {
    id: spec.id,
    number: spec.number,
    machineId: spec.machineId,
    label: spec.label,
    command: spec.command,
    ...statusOf(run),
    alarms,
    ...(process !== undefined && endedMs !== undefined && { tookMs: endedMs - process.startedMs }),
    ...(lastLine !== undefined && { lastLine }),
    ...(outputPath !== undefined && { outputPath }),
    ...(gpu && { gpu }),
  };
}

/** Leaves out the alarms, because the report has a section for them and groups runs by status. */
const statusOf = (run: RunState): Pick<RunFacts, 'status' | 'outcome'> => ({
  status: oneLine(runStatus({ ...run, alarms: [] }), 160),
  outcome: outcomeOf(run),
});

function outcomeOf({ verdict, notStarted, alarms }: RunState): RunFacts['outcome'] {
  if (notStarted !== undefined) return 'bad';
  if (verdict === undefined) return 'open';
  if (verdict.kind === 'killed')
    return alarms.some(({ action }) => action === 'kill') ? 'bad' : 'stopped';
  return verdict.kind === 'ok' ? 'ok' : 'bad';
}

const outputTails = (events: readonly JournalEvent[]): ReadonlyMap<RunId, string> =>
  new Map(
    events.flatMap((event): [RunId, string][] =>
      event.type === 'run.ended' && event.outputTail !== undefined
        ? [[event.runId, event.outputTail]]
        : [],
    ),
  );

const lastLineOf = (tail: string): string | undefined =>
  cleanText(tail)
    .split(/[\r\n]+/)
    .findLast((line) => line.trim() !== '');

const costFacts = (state: SessionState): CostFacts => ({
  total: sessionBill(state),
  lines: isDemo(state) ? [] : costLines(state),
});
