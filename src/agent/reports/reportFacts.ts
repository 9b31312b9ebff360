/**
 * Collects the facts for a session's report, from the journal and from what this process knows
 * about the runs.
 */
import type { RunId } from '../../base/ids.ts';
import { cleanText, oneLine } from '../../base/text.ts';
import { rowStatus } from '../../experiments/ledger.ts';
import type {
  BriefFacts,
  CostFacts,
  QuestionFacts,
  RunFacts,
  SessionFacts,
} from '../../reports/facts.ts';
import { billText, costLines } from '../budget/costs.ts';
import type { SessionReading } from '../contract/sessions.ts';
import type { EndReason, JournalEvent } from '../journal/events.ts';
import { happeningsOf, sleepsOf } from './reportHappenings.ts';
import type { RunState, SessionState } from '../journal/state.ts';

/** Facts about a run that are not in the journal. */
export interface AboutRun {
  /** Returns the path of the run's output file on the run's machine. */
  outputPath(run: RunState): string | undefined;
  gpu(runId: RunId): RunFacts['gpu'];
}

export type ReportSource = Pick<SessionReading, 'state' | 'events' | 'ledger'>;

export function briefFacts({ state, events, ledger }: ReportSource, about: AboutRun): BriefFacts {
  const { target, end } = state;
  const tails = outputTails(events);
  return {
    session: sessionFacts(state),
    ...(target && { target }),
    ledger,
    runs: [...state.runs.values()].map((run) => runFacts(run, tails.get(run.spec.id), about)),
    evidence: (end?.evidence ?? []).flatMap(({ runId, ...evidence }) => {
      const number = state.runs.get(runId)?.spec.number;
      return number === undefined ? [] : [{ ...evidence, run: number }];
    }),
    cost: costFacts(state),
    questions: [...state.questions.values()].map(
      ({ id, text, fallback, deadlineMs, answer }): QuestionFacts => ({
        id,
        text,
        fallback,
        deadlineMs,
        ...(answer && { answer }),
      }),
    ),
    happenings: happeningsOf(events, state),
    sleeps: sleepsOf(events),
  };
}

function sessionFacts(state: SessionState): SessionFacts {
  const { id, goal, workFolder, startedMs, lastEventMs, turns, end, phase, pausedBy } = state;
  const isBlocked = end?.reason === 'blocked';
  const stuck = isBlocked ? end.summary : phase === 'paused' ? pausedBy : undefined;
  return {
    id,
    goal,
    workFolder,
    startedMs,
    lastEventMs,
    turns,
    model: isDemo(state)
      ? 'offline demo (scripted, not a language model)'
      : `${state.provider} ${state.model}`,
    outcome: end === undefined ? phaseText(state) : reasonText(end.reason),
    ...(stuck !== undefined && { stuck }),
    ...(end !== undefined && !isBlocked && { summary: end.summary }),
  };
}

const isDemo = ({ provider }: SessionState): boolean => provider === 'demo';

function phaseText({ phase }: SessionState): string {
  return phase === 'paused' ? 'Paused: it continues with the next message.' : 'It has not ended.';
}

function reasonText(reason: EndReason): string {
  switch (reason) {
    case 'goal':
      return 'The goal is met.';
    case 'answered':
      return 'The question is answered.';
    case 'blocked':
      return 'Blocked: only the user can help.';
    case 'budget':
      return 'The budget is used up.';
    case 'no_progress':
      return 'Ended: no progress.';
    case 'plateau':
      return 'Ended: the latest experiments brought no improvement.';
    case 'user':
      return 'Stopped by the user.';
    case 'error':
      return 'Ended by an error.';
  }
}

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

function statusOf({
  verdict,
  process,
  notStarted,
}: RunState): Pick<RunFacts, 'status' | 'outcome'> {
  if (notStarted !== undefined)
    return { status: `not started: ${oneLine(notStarted, 160)}`, outcome: 'bad' };
  const started = process && { startedMs: process.startedMs };
  const status = rowStatus({ ...(verdict && { verdict }), ...started });
  return { status, outcome: verdict === undefined ? 'open' : verdict.kind === 'ok' ? 'ok' : 'bad' };
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

function costFacts(state: SessionState): CostFacts {
  if (isDemo(state))
    return { total: 'nothing: the offline demo is scripted, no model was called', lines: [] };
  const unknown = state.hasUnknownCost ? '; the price of some calls is unknown' : '';
  return { total: `${billText(state)}${unknown}`, lines: costLines(state) };
}
