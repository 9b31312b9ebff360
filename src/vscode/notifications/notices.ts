/**
 * VS Code notifications: messages of the notification channel `vscode`, and approval questions with
 * answer buttons.
 */
import { commands, window } from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/emitter.ts';
import { oneLine } from '../../base/text.ts';
import type { Message } from '../../notify/notification.ts';
import { isUrgent } from '../../compose/notifications.ts';
import type { NotifyEvent } from '../../notify/settings.ts';
import type { Approval, Approvals } from '../window/approvals.ts';
import { run } from '../ui/commandRegistry.ts';
import type { CommandId } from '../ui/contributions.ts';
import type { FollowTarget } from '../window/followTarget.ts';
import { approvalNotification, withoutLinks } from '../../presentation/sessions/approvalText.ts';

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
  owned.add(approvals.onDidAsk((approval) => askInNotification(approval, approvals)));
  owned.add(
    onDidNotify((message) => {
      // An approval is shown by `askInNotification`, with buttons to answer.
      if (message.event !== 'approval' && !following.isFollowed(message.sessionId))
        void show(message);
    }),
  );
  return owned;
}

/** Time after which an unanswered question is shown again, because VS Code hides notifications. */
const reminderMs = 5 * 60_000;

/**
 * Asks for approval in a notification, and once more if it is still unanswered after `reminderMs`.
 * If the user closes the notification, the question can still be answered in the status bar, the
 * Inbox and the chat; if it is answered there, the notification is hidden. VS Code can only hide all
 * notifications that are shown, which are still in its list.
 */
function askInNotification(approval: Approval, approvals: Approvals): void {
  const reminder = systemClock.after(reminderMs, () => void showQuestion(approval));
  const listener = approvals.onDidChange(() => {
    if (approvals.pending().includes(approval)) return;
    listener.dispose();
    reminder.dispose();
    void commands.executeCommand('notifications.hideToasts');
  });
  void showQuestion(approval);
}

async function showQuestion(approval: Approval): Promise<void> {
  const { text, choices } = approvalNotification(approval);
  const titles = choices.map(([title]) => title);
  const chosen = await window.showWarningMessage(text, ...titles);
  const choice = choices.find(([title]) => title === chosen)?.[1];
  if (choice !== undefined) await run('helios.answerApproval', approval.id, choice);
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
  const parts = [`Helios: ${title}.`, oneLine(body, 300), oneLine(goal, 80)];
  const text = withoutLinks(parts.filter((part) => part !== '').join(' '));
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
