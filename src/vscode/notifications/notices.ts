/**
 * VS Code notifications: messages of the notification channel `vscode`, and approval questions with
 * answer buttons.
 */
import { window } from 'vscode';
import type { ApprovalAnswer, ApprovalRequest } from '../../agent/contract/ports.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/emitter.ts';
import { oneLine } from '../../base/text.ts';
import type { Message } from '../../notify/notification.ts';
import { isUrgent } from '../../compose/notifications.ts';
import type { NotifyEvent } from '../../notify/settings.ts';
import type { Approvals } from '../window/approvals.ts';
import { run } from '../ui/commandRegistry.ts';
import type { CommandId } from '../ui/contributions.ts';
import type { FollowTarget } from '../window/followTarget.ts';
import { approvalText } from '../../presentation/sessions/sessionText.ts';

export const approvalAnswers: Readonly<Record<string, ApprovalAnswer>> = {
  Allow: 'allow',
  'Allow for This Session': 'allow_session',
  Deny: 'deny',
};

/**
 * Shows approval questions and messages as notifications. Omits messages of sessions that the chat
 * is following, because the chat shows the same events.
 */
export function createNotices(
  onDidNotify: Event<Message>,
  approvals: Approvals,
  following: FollowTarget,
): Disposable {
  const owned = new DisposableStore();
  owned.add(approvals.onDidAsk((request) => void askInNotification(request, approvals)));
  owned.add(
    onDidNotify((message) => {
      // An approval is shown by `askInNotification`, with buttons to answer.
      if (message.event !== 'approval' && !following.isFollowed(message.sessionId))
        void show(message);
    }),
  );
  return owned;
}

/**
 * Asks for approval in a notification. If the user closes the notification, the question can still
 * be answered in the status bar, the Inbox and the chat.
 */
async function askInNotification(request: ApprovalRequest, approvals: Approvals): Promise<void> {
  const choice = await window.showInformationMessage(
    approvalText(request),
    ...Object.keys(approvalAnswers),
  );
  const answer = choice === undefined ? undefined : approvalAnswers[choice];
  if (answer !== undefined) approvals.answer(request.callId, answer);
}

type Buttons = Readonly<Record<string, CommandId>>;

const endButtons: Buttons = {
  'Open Brief': 'helios.openBrief',
  'Open Session': 'helios.openSession',
};
const buttonsOf: Partial<Record<NotifyEvent, Buttons>> = {
  goal_met: endButtons,
  session_ended: endButtons,
  budget: { Follow: 'helios.follow', Stop: 'helios.stop' },
  error: { Follow: 'helios.follow', 'Send Message': 'helios.say' },
  question: { Answer: 'helios.answerQuestion', Follow: 'helios.follow' },
};
const otherButtons: Buttons = { Follow: 'helios.follow', 'Show Metrics': 'helios.showMetrics' };

async function show(message: Message): Promise<void> {
  const { event, title, body, goal, sessionId } = message;
  const isOfSession = sessionId !== '';
  const text = [`Helios: ${title}.`, oneLine(body, 300), oneLine(goal, 80)]
    .filter((part) => part !== '')
    .join(' ');
  const buttons = isOfSession ? (buttonsOf[event] ?? otherButtons) : {};
  const buttonTitles = Object.keys(buttons);
  const shown = isUrgent(message)
    ? window.showWarningMessage(text, ...buttonTitles)
    : window.showInformationMessage(text, ...buttonTitles);
  await offer(shown, buttons, ...(isOfSession ? [sessionId] : []));
}

export async function offer(
  shown: Thenable<string | undefined>,
  buttons: Buttons,
  ...args: readonly string[]
): Promise<void> {
  const choice = await shown;
  const command = choice === undefined ? undefined : buttons[choice];
  if (command !== undefined) await run(command, ...args);
}
