/** The few notifications: an answer is needed, a session ended or stands still while nobody watches it. */
import { window } from 'vscode';
import { noticeText } from '../agent/budget/notices.ts';
import type { ApprovalAnswer, ApprovalRequest, Session } from '../agent/engine.ts';
import type { JournalEvent } from '../agent/events.ts';
import { oneLine } from '../base/text.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import type { Approvals } from './approvals.ts';
import { run } from './commandRegistry.ts';
import type { CommandId } from './contributions.ts';
import type { FollowTarget } from './followTarget.ts';
import type { OpenSessions } from './openSessions.ts';
import { approvalText, endText } from './present/sessionText.ts';

export const approvalAnswers: Readonly<Record<string, ApprovalAnswer>> = {
  Allow: 'allow',
  'Allow for This Session': 'allow_session',
  Deny: 'deny',
};

export function createNotices(sessions: OpenSessions, approvals: Approvals, following: FollowTarget): Disposable {
  const owned = new DisposableStore();
  owned.add(approvals.onDidAsk((request) => void askInNotification(request, approvals)));
  owned.add(
    sessions.onDidRecord(({ session, event }) => {
      if (!following.isFollowed(session.id)) void tellOf(session, event);
    }),
  );
  return owned;
}

/** Closing the notification leaves the question open: the status bar and the chat still ask it. */
async function askInNotification(request: ApprovalRequest, approvals: Approvals): Promise<void> {
  const choice = await window.showInformationMessage(approvalText(request), ...Object.keys(approvalAnswers));
  const answer = choice === undefined ? undefined : approvalAnswers[choice];
  if (answer !== undefined) approvals.answer(request.callId, answer);
}

async function tellOf(session: Session, event: JournalEvent): Promise<void> {
  const goal = oneLine(session.state.goal, 80);
  if (event.type === 'session.ended' && event.reason !== 'user') {
    const why = event.reason === 'budget' ? ` ${oneLine(event.summary, 300)}` : '';
    const text = `Helios: ${endText(event.reason)}.${why} ${goal}`;
    const buttons: Record<string, CommandId> = {
      'Open Brief': 'helios.openBrief',
      'Show Metrics': 'helios.showMetrics',
    };
    await offer(window.showInformationMessage(text, ...Object.keys(buttons)), buttons, session.id);
  }
  // The end by a limit tells of itself; what an experiment may cost is the model's to know.
  if (event.type === 'budget.noticed' && event.percent === 80 && event.scope !== 'experiment') {
    const text = `Helios: ${noticeText(event)}. ${goal}`;
    const buttons: Record<string, CommandId> = { Follow: 'helios.follow', Stop: 'helios.stop' };
    await offer(window.showInformationMessage(text, ...Object.keys(buttons)), buttons, session.id);
  }
  if (event.type === 'session.paused' && event.by === 'error') {
    const text = `Helios is paused: ${oneLine(event.detail ?? 'an error', 200)}. ${goal}`;
    const buttons: Record<string, CommandId> = { Follow: 'helios.follow', 'Send Message': 'helios.say' };
    await offer(window.showWarningMessage(text, ...Object.keys(buttons)), buttons, session.id);
  }
}

export async function offer(
  shown: Thenable<string | undefined>,
  buttons: Readonly<Record<string, CommandId>>,
  ...args: readonly string[]
): Promise<void> {
  const choice = await shown;
  const command = choice === undefined ? undefined : buttons[choice];
  if (command !== undefined) await run(command, ...args);
}
