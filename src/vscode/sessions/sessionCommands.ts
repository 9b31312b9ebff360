/** Commands on a session: message, pause, stop, resume, show. */
import { commands, Uri, window } from 'vscode';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { counted, oneLine } from '../../base/text.ts';
import type { SessionId } from '../../base/ids.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import { journalFolder } from '../window/documents.ts';
import {
  pickGoing,
  pickOne,
  sessionChoice,
  summaryChoice,
  type Choice,
  anySession,
} from '../window/pick.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { sessionIdOf } from '../ui/commandTarget.ts';
import { journalDocument } from './journalDocument.ts';
import { actionsText } from '../../presentation/sessions/actionsText.ts';
import { approvalLine } from '../../presentation/sessions/approvalText.ts';
import { effectVerb, runningCount, sessionName } from '../../presentation/sessions/sessionText.ts';
import { showSession } from './goalCommands.ts';

export function sessionCommands(deps: WindowDeps, showView: (id: SessionId) => Promise<void>) {
  return {
    'helios.say': (argument) => say(deps, argument),
    'helios.pause': async (argument) =>
      (await going(deps, argument, 'Select a session to pause'))?.interrupt(),
    'helios.stop': (argument) => stop(deps, argument),
    'helios.resumeSession': (argument) => resume(deps, argument),
    'helios.openSession': async (argument) => {
      const id = await sessionFor(deps, argument);
      if (id !== undefined) await showView(id);
    },
    'helios.openJournal': (argument) => openJournal(deps, argument),
    'helios.showWhatItDid': (argument) => showWhatItDid(deps, argument),
    'helios.unpause': (argument) => unpause(deps, argument),
  } satisfies Handlers;
}

async function going(
  deps: WindowDeps,
  argument: unknown,
  title: string,
): Promise<Session | undefined> {
  const id = sessionIdOf(argument);
  await deps.host.get();
  return (id === undefined ? undefined : deps.sessions.get(id)) ?? pickGoing(deps.sessions, title);
}

async function unpause(deps: WindowDeps, argument: unknown): Promise<void> {
  await deps.host.get();
  const id = sessionIdOf(argument);
  const paused = deps.sessions.going().filter(({ state }) => state.phase === 'paused');
  if (paused.length === 0)
    throw new UserFacing(
      'No session is paused in this window.',
      'To resume an ended session, run “Helios: Resume Session”.',
    );
  const choices = paused.map((session) => sessionChoice(session, deps.sessions));
  const session =
    paused.find((each) => each.id === id) ?? (await pickOne(choices, 'Select a session to resume'));
  await session?.unpause();
}

/** `proposal`: message that the input box proposes. */
async function say(deps: WindowDeps, argument: unknown, proposal = ''): Promise<void> {
  const session = await going(deps, argument, 'Select a session for the message');
  if (session === undefined) return;
  const text = await window.showInputBox({
    title: oneLine(sessionName(session.state), 60),
    prompt: 'A message for the session, which reads it on its next turn',
    value: proposal,
    ignoreFocusOut: true,
  });
  if (text !== undefined && text.trim() !== '') await session.say(text.trim());
}

async function stop(deps: WindowDeps, argument: unknown): Promise<void> {
  const session = await going(deps, argument, 'Select a session to stop');
  if (session === undefined) return;
  const running = runningCount(session.state);
  if (running === 0) return session.stop();
  const runs = counted(running, 'run is active', 'runs are active');
  const choices: Choice<boolean>[] = [
    {
      label: 'Stop the session and keep its runs running',
      detail: 'Their output and metrics are kept.',
      value: false,
    },
    {
      label: 'Stop the session and its runs',
      detail: 'Their output and saved files are kept.',
      value: true,
    },
  ];
  const killRuns = await pickOne(
    choices,
    `Stop “${oneLine(sessionName(session.state), 50)}”: ${runs}`,
  );
  if (killRuns !== undefined) await session.stop({ killRuns });
}

async function resume(deps: WindowDeps, argument: unknown): Promise<void> {
  const engine = await deps.host.get();
  const id = sessionIdOf(argument) ?? (await pickSaved(deps));
  if (id === undefined) return;
  const session = await engine.sessions.resume(id, { takesOver: true });
  if (session.state.phase === 'paused') await session.unpause();
  if (session.state.phase === 'ended') await say(deps, id, 'Continue.');
  else await showSession(deps, session);
}

async function pickSaved({ host, sessions }: WindowDeps): Promise<SessionId | undefined> {
  const listed = await (await host.get()).sessions.list();
  const saved = listed.filter(({ id }) => sessions.get(id) === undefined);
  if (saved.length === 0) throw new UserFacing('There is no other session to resume.');
  const choices = saved.map(summaryChoice);
  const picked = await window.showQuickPick(choices, {
    title: 'Select a session to resume',
    matchOnDetail: true,
  });
  return picked?.value.id;
}

async function openJournal(
  { host, sessions, documents }: WindowDeps,
  argument: unknown,
): Promise<void> {
  const engine = await host.get();
  const id = await sessionFor({ host, sessions }, argument);
  if (id === undefined) return;
  await documents.open(`${journalFolder(id)}Journal.md`, async () => {
    const reading = await engine.sessions.read(id);
    return journalDocument(reading, Date.now());
  });
}

async function showWhatItDid(deps: WindowDeps, argument: unknown): Promise<void> {
  const { sessions } = await deps.host.get();
  const id = await sessionFor(deps, argument);
  if (id === undefined) return;
  await deps.documents.open(`${journalFolder(id)}What Helios Did`, async () => {
    const { text, files } = actionsText(await sessions.actions(id));
    const kept = new Set((await sessions.edits(id)).map(({ path }) => path));
    const targetOf = (path: string): Uri => (kept.has(path) ? changesOf(id, path) : Uri.file(path));
    return { text, links: files.map(({ line, path }) => ({ line, target: targetOf(path) })) };
  });
}

/** Returns the link that opens what a session changed in a file. */
const changesOf = (id: SessionId, path: string): Uri =>
  Uri.from({
    scheme: 'command',
    path: 'helios.openEdit',
    query: JSON.stringify([id, path]),
  });

/** Returns the session in the command's argument; without one, lets the user select a session. */
async function sessionFor(
  { host, sessions }: Pick<WindowDeps, 'host' | 'sessions'>,
  argument: unknown,
): Promise<SessionId | undefined> {
  const engine = await host.get();
  return sessionIdOf(argument) ?? (await anySession(engine.sessions.list(), sessions.all()[0]?.id));
}

/** Shows a quick pick of actions. Called by a click on the status bar item. */
export async function showActions({ sessions, approvals }: WindowDeps): Promise<void> {
  const action = (icon: string, label: string, command: string, args: readonly string[] = []) => ({
    label: `$(${icon}) ${label}`,
    command,
    args,
  });
  const approvalActions = approvals.pending().map((approval) => ({
    ...action('shield', `Answer: ${effectVerb(approval.effect)}?`, 'helios.answerApproval', [
      approval.id,
    ]),
    detail: approvalLine(approval, 200),
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
        ? of('debug-continue', 'Resume', 'helios.unpause')
        : of('debug-pause', 'Pause', 'helios.pause'),
      of('pin', 'Add Sticky Note', 'helios.pinNote'),
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
    action('shield', 'Change Permission Mode', 'helios.changePermissionMode'),
    action('server-process', 'Select Model', 'helios.selectModel'),
    action('key', 'Set API Key', 'helios.setApiKey'),
    action('output', 'Show Output Channel', 'helios.showOutput'),
  ];
  const picked = await window.showQuickPick([...approvalActions, ...actions, ...always], {
    title: 'Helios',
  });
  if (picked !== undefined) await commands.executeCommand(picked.command, ...picked.args);
}
