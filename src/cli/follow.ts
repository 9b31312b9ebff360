/** Shows a session in a view until the session ends. Ctrl+C stops the session. */
import type { Attachment } from '../agent/contract/attachment.ts';
import path from 'node:path';
import type { Engine } from '../agent/contract/engine.ts';
import type { Session } from '../agent/contract/sessions.ts';
import type { EndReason } from '../agent/journal/events.ts';
import type { SessionState } from '../agent/journal/state.ts';
import { costLines, sessionBill } from '../presentation/costs.ts';
import { DisposableStore } from '../base/disposable.ts';
import { adviceOf } from '../base/errors.ts';
import { cleanText, counted, formatDuration, formatValue } from '../base/text.ts';
import { endText, workedMs } from '../presentation/sessions/sessionText.ts';
import { steerByLine } from './steerLine.ts';
import type { Asking } from './asking.ts';
import type { Style } from './screen/style.ts';
import type { SessionView } from './screen/views.ts';
import { exitCodes, type CliDeps } from './cliDeps.ts';

export interface Following {
  readonly session: Session;
  readonly view: SessionView;
  readonly engine: Engine;
  readonly deps: CliDeps;
  readonly style: Style;
  /** A message for the session, sent after all listeners are attached. */
  readonly say?: string;
  readonly attachments?: readonly Attachment[];
  /**
   * The option ` --home <folder>`, repeated in the command to resume the session; empty if the user
   * did not pass it.
   */
  readonly homeOption: string;
  readonly asking: Asking;
  /** Hands the session over to the background. */
  handOver(): Promise<void>;
}

/** Shows the session until it ends. Resolves with the exit code. */
export async function follow(following: Following): Promise<number> {
  const { session, view, deps, say, attachments } = following;
  const owned = new DisposableStore();
  let isInterrupted = false;
  try {
    for (const event of eventsSinceOpened(session)) view.event(event, session);
    owned.add(
      session.onDidRecord((event) => {
        view.event(event, session);
        // A session that an error paused waits until the user resumes it. The command line cannot
        // do that while the session is open, so the session is stopped.
        if (event.type === 'session.paused' && event.by === 'error') stop(following);
      }),
    );
    owned.add(session.onDidStream((event) => view.stream(event)));
    const onInterrupt = (): void => {
      if (following.asking.interrupt())
        return view.notice('Answered no. Press Ctrl+C again to stop the session.');
      if (isInterrupted) return deps.exit(exitCodes.interrupted);
      isInterrupted = true;
      view.notice('Stopping. Runs continue. Press Ctrl+C again to exit immediately.');
      stop(following);
    };
    owned.add(deps.onInterrupt(onInterrupt));
    const onLine = (line: string): void => void steerByLine(line, following);
    following.asking.listen(onLine);
    view.listen?.({ onLine, onInterrupt });
    const hangUp = Promise.withResolvers<'hung up'>();
    owned.add(
      deps.onHangUp(() => {
        following
          .handOver()
          .catch(() => undefined)
          .finally(() => hangUp.resolve('hung up'));
      }),
    );
    if (say !== undefined) await session.say(say, attachments);
    const reason = await Promise.race([session.ended, hangUp.promise]);
    if (reason === 'hung up') return exitCodes.ended;
    const code = isInterrupted ? exitCodes.interrupted : codeFor(reason);
    view.end(await lastLines(following, reason, code));
    return code;
  } finally {
    owned.dispose();
  }
}

function stop({ session, view }: Following): void {
  session
    .stop()
    .catch((error: unknown) => view.notice(`The session could not be stopped: ${adviceOf(error)}`));
}

/**
 * Returns the events to show: all events of a new session; for a resumed session, the events since
 * it was resumed.
 */
function eventsSinceOpened(session: Session): ReturnType<Session['events']> {
  const events = session.events();
  return events.slice(
    Math.max(
      0,
      events.findLastIndex((event) => event.type === 'session.resumed'),
    ),
  );
}

/** Returns the exit code for the end of a session. */
export const codeFor = (reason: EndReason): number =>
  reason === 'goal' || reason === 'best_found' || reason === 'answered'
    ? exitCodes.goal
    : reason === 'error'
      ? exitCodes.error
      : exitCodes.ended;

/** Why the exit code is not 0. Omitted for the ends with which it is. */
const exitReasons: Readonly<Partial<Record<EndReason, string>>> = {
  claimed: 'nothing could check whether the goal is met',
  blocked: 'the goal is not met, and the agent cannot go on',
  budget: 'a limit was reached before the goal',
  no_progress: 'the goal is not met, and the session made no progress',
  plateau: 'the goal is not met, and the results no longer improved',
  user: 'the session was stopped before the goal',
  error: 'an error stopped the session',
};

/** Returns the exit code with its reason, unless it is 0. */
function exitTexts(code: number, reason: EndReason): readonly string[] {
  const why = code === exitCodes.interrupted ? 'interrupted' : exitReasons[reason];
  return code === exitCodes.goal || why === undefined ? [] : [`Exit code ${code}: ${why}.`];
}

/** Returns what was checked or, for a goal that could not be checked, what was measured. */
function evidenceLines(end: SessionState['end']): string[] {
  const { checked = [], evidence = [] } = end ?? {};
  if (checked.length > 0) return checked.map((text) => `  ${cleanText(text)}`);
  return evidence.map(
    ({ run, metric, last, best }) =>
      `  ${run}: ${metric} ${formatValue(last)} (best ${formatValue(best)}), measured`,
  );
}

/**
 * Returns how the session ended: met or not, what was measured and by which runs, the cost, the
 * time that it worked, and why the exit code is not 0.
 */
export function outcomeLines(
  state: SessionState,
  reason: EndReason,
  { bold, good, bad, dim }: Style,
  code = codeFor(reason),
): string[] {
  return [
    '',
    bold((codeFor(reason) === exitCodes.goal ? good : bad)(endText(reason))),
    ...(reason === 'user' ? [] : [cleanText(state.end?.marked ?? state.end?.summary ?? '')]),
    ...evidenceLines(state.end),
    dim(
      [
        counted(state.turns, 'turn'),
        counted(state.runs.size, 'run'),
        sessionBill(state),
        formatDuration(workedMs(state, state.lastEventMs)),
      ].join(' · '),
    ),
    ...exitTexts(code, reason),
  ];
}

async function lastLines(following: Following, reason: EndReason, code: number): Promise<string[]> {
  const { session, engine, style, homeOption, deps } = following;
  const command = deps.env['npm_lifecycle_event'] === 'start' ? 'npm start --' : 'helios';
  const { state } = session;
  const { dim } = style;
  const report = await engine.reports.afterEnd(session.id);
  const running = [...state.runs.values()].filter(
    (run) => run.process && run.verdict === undefined,
  ).length;
  return [
    ...outcomeLines(state, reason, style, code),
    ...(state.provider === 'demo' ? [] : costLines(state).map((line) => dim(`  ${line}`))),
    ...(running > 0 ? [`${running} ${running === 1 ? 'run continues' : 'runs continue'}.`] : []),
    '',
    ...(report === undefined ? [] : [`Report   ${report.file}`]),
    `Journal  ${path.join(session.folder, 'journal.jsonl')}`,
    `Notes    ${path.join(session.folder, 'memory')}`,
    `Metrics  ${path.join(engine.home, 'runs')}`,
    ...(reason === 'goal' ? [] : [`Resume   ${command}${homeOption} --resume ${session.id}`]),
  ];
}
