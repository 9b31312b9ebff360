/** Commands on a session: say, pause, stop, resume, read. */
import { commands, window } from 'vscode';
import type { ApprovalAnswer, ApprovalRequest } from '../../agent/contract/ports.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { counted, oneLine } from '../../base/text.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import { journalFolder } from '../window/documents.ts';
import { pickGoing, pickOne, sessionChoice, summaryChoice, type Choice, anySession } from '../window/pick.ts';
import type { Parts } from '../window/parts.ts';
import { callIdOf, sessionIdOf } from '../ui/commandTarget.ts';
import { journalDocument } from './journalDocument.ts';
import { approvalText, effectVerb, runningCount } from '../../presentation/sessions/sessionText.ts';
import { approvalAnswers } from '../notifications/notices.ts';
import { showSession } from './goalCommands.ts';

export function sessionCommands(parts: Parts, showView: (id: SessionId) => Promise<void>): Handlers {
  return {
    'helios.say': (argument) => say(parts, argument),
    'helios.pause': async (argument) => (await going(parts, argument, 'Pause which session?'))?.interrupt(),
    'helios.stop': (argument) => stop(parts, argument),
    'helios.resumeSession': (argument) => resume(parts, argument),
    'helios.openSession': async (argument) => {
      const id = await sessionFor(parts, argument);
      if (id !== undefined) await showView(id);
    },
    'helios.openJournal': (argument) => openJournal(parts, argument),
    'helios.unpause': (argument) => unpause(parts, argument),
    'helios.answerApproval': (argument, answer) => answerApproval(parts, callIdOf(argument), answer),
  };
}

async function going(parts: Parts, argument: unknown, title: string): Promise<Session | undefined> {
  const id = sessionIdOf(argument);
  await parts.host.get();
  return (id === undefined ? undefined : parts.sessions.get(id)) ?? pickGoing(parts.sessions, title);
}

async function unpause(parts: Parts, argument: unknown): Promise<void> {
  await parts.host.get();
  const id = sessionIdOf(argument);
  const paused = parts.sessions.going().filter(({ state }) => state.phase === 'paused');
  if (paused.length === 0) throw new UserFacing('No session is paused in this window.');
  const choices = paused.map((session) => sessionChoice(session, parts.sessions));
  const session = paused.find((each) => each.id === id) ?? (await pickOne(choices, 'Go on with which session?'));
  await session?.unpause();
}

async function say(parts: Parts, argument: unknown): Promise<void> {
  const session = await going(parts, argument, 'Send a message to which session?');
  if (session === undefined) return;
  const text = await window.showInputBox({
    title: oneLine(session.state.goal, 60),
    prompt: 'A message for the session: it is read with its next turn',
    ignoreFocusOut: true,
  });
  if (text !== undefined && text.trim() !== '') await session.say(text.trim());
}

async function stop(parts: Parts, argument: unknown): Promise<void> {
  const session = await going(parts, argument, 'Stop which session?');
  if (session === undefined) return;
  const running = runningCount(session.state);
  if (running === 0) return session.stop();
  const runs = counted(running, 'run is going', 'runs are going');
  const choices: Choice<boolean>[] = [
    { label: 'Stop the session, let its runs go on', detail: 'Their output and metrics are kept.', value: false },
    { label: 'Stop the session and its runs', detail: 'What they have printed and saved is kept.', value: true },
  ];
  const killRuns = await pickOne(choices, `Stop “${oneLine(session.state.goal, 50)}”: ${runs}`);
  if (killRuns !== undefined) await session.stop({ killRuns });
}

async function resume(parts: Parts, argument: unknown): Promise<void> {
  const engine = await parts.host.get();
  const id = sessionIdOf(argument) ?? (await pickSaved(parts));
  if (id === undefined) return;
  const session = await engine.sessions.resume(id, { takesOver: true });
  if (session.state.phase === 'ended') await say(parts, id);
  else await showSession(parts, session);
}

async function pickSaved({ host, sessions }: Parts): Promise<SessionId | undefined> {
  const listed = await (await host.get()).sessions.list();
  const saved = listed.filter(({ id }) => sessions.get(id) === undefined);
  if (saved.length === 0) throw new UserFacing('There is no other session to resume.');
  const choices = saved.map(summaryChoice);
  const picked = await window.showQuickPick(choices, { title: 'Resume which session?', matchOnDetail: true });
  return picked?.value.id;
}

async function openJournal({ host, sessions, documents }: Parts, argument: unknown): Promise<void> {
  const engine = await host.get();
  const id = await sessionFor({ host, sessions }, argument);
  if (id === undefined) return;
  await documents.open(`${journalFolder(id)}Journal.md`, async () => {
    // The reading is of the file, the ledger of an open session is live.
    const reading = await engine.sessions.read(id);
    return journalDocument(reading, Date.now());
  });
}

/** The session that the command was called on, or the one that the user picks. */
async function sessionFor(
  { host, sessions }: Pick<Parts, 'host' | 'sessions'>,
  argument: unknown,
): Promise<SessionId | undefined> {
  const engine = await host.get();
  return sessionIdOf(argument) ?? (await anySession(engine.sessions.list(), sessions.all()[0]?.id));
}

async function answerApproval({ approvals }: Parts, callId: string | undefined, answer: unknown): Promise<void> {
  const pending = approvals.pending();
  const request = pending.find((each) => each.callId === callId) ?? (callId === undefined ? pending[0] : undefined);
  if (request === undefined) throw new UserFacing('This question was answered or withdrawn already.');
  const given = Object.values(approvalAnswers).find((each) => each === answer) ?? (await pickAnswer(request));
  if (given !== undefined) approvals.answer(request.callId, given);
}

async function pickAnswer(request: ApprovalRequest): Promise<ApprovalAnswer | undefined> {
  const choices = Object.entries(approvalAnswers).map(([label, value]) => ({ label, value }));
  const options = { title: 'Helios', placeHolder: approvalText(request) };
  return (await window.showQuickPick(choices, options))?.value;
}

/** The quick pick behind the status bar. */
export async function showActions({ sessions, approvals }: Parts): Promise<void> {
  const action = (icon: string, label: string, command: string, args: readonly string[] = []) => ({
    label: `$(${icon}) ${label}`,
    command,
    args,
  });
  const asked = approvals.pending().map((request) => ({
    ...action('shield', `Answer: ${effectVerb(request.effect)}?`, 'helios.answerApproval', [request.callId]),
    detail: oneLine(approvalText(request), 200),
  }));
  const actions = sessions.going().flatMap((session) => {
    const { label, detail = '' } = sessionChoice(session, sessions);
    const of = (icon: string, title: string, command: string) => ({
      ...action(icon, title, command, [session.id]),
      description: oneLine(label, 50),
    });
    return [
      { ...of('comment-discussion', 'Follow in Chat', 'helios.follow'), detail },
      of('comment', 'Send Message', 'helios.say'),
      session.state.phase === 'paused'
        ? of('debug-continue', 'Go On', 'helios.unpause')
        : of('debug-pause', 'Pause', 'helios.pause'),
      of('pin', 'Pin Note', 'helios.pinNote'),
      of('server-environment', 'Keep Running in Background', 'helios.keepRunning'),
      of('debug-stop', 'Stop', 'helios.stop'),
      of('graph-line', 'Show Metrics', 'helios.showMetrics'),
      of('history', 'Open Session', 'helios.openSession'),
      of('notebook', 'Open Journal', 'helios.openJournal'),
    ];
  });
  const always = [
    action('add', 'Start Goal', 'helios.startGoal'),
    action('debug-continue', 'Resume Session', 'helios.resumeSession'),
    action('server-process', 'Select Model', 'helios.selectModel'),
    action('key', 'Set API Key', 'helios.setApiKey'),
    action('output', 'Show Output Channel', 'helios.showOutput'),
  ];
  const picked = await window.showQuickPick([...asked, ...actions, ...always], { title: 'Helios' });
  if (picked !== undefined) await commands.executeCommand(picked.command, ...picked.args);
}
