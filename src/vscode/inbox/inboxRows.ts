/** The Inbox tree: questions of the agent and sticky notes of the user. */
import type { Question, SessionState } from '../../agent/journal/state.ts';
import { oneLine } from '../../base/text.ts';
import { approvalLine } from '../../presentation/sessions/approvalText.ts';
import { effectVerb, isOpen, sessionName } from '../../presentation/sessions/sessionText.ts';
import type { TreeNode } from '../ui/treeNode.ts';
import type { Approval } from '../window/approvals.ts';
import { exactTime } from '../../base/localTime.ts';
import { formatSpan, relativeTime } from '../../base/span.ts';
import { plain } from '../../base/markdown.ts';

export interface InboxFacts {
  readonly sessions: readonly SessionState[];
  /** Tool calls that wait for the user's approval. */
  readonly approvals: readonly Approval[];
  readonly nowMs: number;
}

/**
 * Returns the rows of the Inbox: approvals and open questions, which wait for the user, come first;
 * then the sticky notes of open sessions and answered questions. An empty inbox has no rows, so that VS Code shows the
 * view's welcome text.
 */
export function inboxRows({ sessions, approvals, nowMs }: InboxFacts): readonly TreeNode[] {
  const newest = sessions.toSorted((a, b) => b.startedMs - a.startedMs);
  return [
    ...approvals.map(approvalRow),
    ...newest.flatMap((state) =>
      openOf(state).map((question) => questionRow(state, question, nowMs)),
    ),
    ...newest.filter(isOpen).map(stickyGroup),
    ...newest.flatMap((state) => answeredGroup(state, nowMs)),
  ];
}

/** Returns the number of questions and approvals that wait for the user. */
export const inboxCount = ({ sessions, approvals }: InboxFacts): number =>
  approvals.length + sessions.reduce((sum, state) => sum + openOf(state).length, 0);

/** Returns the questions that can still be answered, earliest deadline first. */
function openOf(state: SessionState): Question[] {
  if (!isOpen(state)) return [];
  return [...state.questions.values()]
    .filter(({ answer }) => answer === undefined)
    .sort((a, b) => a.deadlineMs - b.deadlineMs);
}

/**
 * Returns the row of an approval question. The row has no button that approves, because it shows
 * only a part of the call; a click opens the whole call.
 */
function approvalRow(approval: Approval): TreeNode {
  return {
    id: `approval ${approval.id}`,
    label: `Allow Helios to ${effectVerb(approval.effect)}?`,
    description: oneLine(approval.detail, 120),
    tooltip: plain(approvalLine(approval, 400), 800),
    icon: { id: 'shield', color: 'charts.yellow' },
    context: 'approval',
    spoken: `Answer needed: ${approvalLine(approval, 400)}`,
    target: { kind: 'approval', approvalId: approval.id, sessionId: approval.sessionId },
    onClick: 'helios.answerApproval',
  };
}

function questionRow(state: SessionState, question: Question, nowMs: number): TreeNode {
  const { id, text, fallback, deadlineMs, options } = question;
  const left = formatSpan(deadlineMs - nowMs);
  return {
    id: `${state.id} ${id}`,
    label: oneLine(text, 100),
    description: `default in ${left}: ${oneLine(fallback, 60)}`,
    tooltip: [
      `**${plain(text, 2_000)}**`,
      ...(options.length > 0
        ? [`Choices: ${options.map((option) => plain(option)).join(' · ')}`]
        : []),
      `Without an answer by ${exactTime(deadlineMs)}: ${plain(fallback, 500)}`,
      plain(sessionName(state), 200),
    ].join('\n\n'),
    icon: { id: 'question', color: 'charts.blue' },
    context: 'question',
    spoken: `Question: ${text}. Default ${fallback}, in ${left}`,
    target: { kind: 'question', questionId: id, sessionId: state.id },
    onClick: 'helios.answerQuestion',
  };
}

function stickyGroup({ id: sessionId, stickies, ...state }: SessionState): TreeNode {
  const name = sessionName(state);
  const count = stickies.size === 0 ? 'none' : String(stickies.size);
  const children = [...stickies].map(([number, text]): TreeNode => ({
    id: `${sessionId} sticky ${number}`,
    label: oneLine(text, 120),
    description: String(number),
    tooltip: plain(text, 4_000),
    icon: { id: 'pin' },
    context: 'sticky',
    spoken: `Sticky note ${number}: ${text}`,
    target: { kind: 'sticky', number, sessionId },
  }));
  return {
    // VS Code applies `isExpanded` only to new rows, such as that of the first note.
    id: `${sessionId} ${children.length === 0 ? 'no ' : ''}stickies`,
    label: 'Sticky Notes',
    description: `${count} · ${oneLine(name, 60)}`,
    icon: { id: 'pinned' },
    context: 'stickies',
    spoken: `Sticky notes of ${name}: ${count}`,
    target: { kind: 'session', sessionId },
    isExpanded: true,
    ...(children.length > 0 && { children }),
  };
}

function answeredGroup(state: SessionState, nowMs: number): TreeNode[] {
  const answered = [...state.questions.values()]
    .filter(({ answer }) => answer !== undefined)
    .reverse();
  if (answered.length === 0) return [];
  return [
    {
      id: `${state.id} answered`,
      label: 'Answered',
      description: `${answered.length} · ${oneLine(sessionName(state), 60)}`,
      icon: { id: 'comment-discussion' },
      spoken: `${answered.length} answered questions of the session “${sessionName(state)}”`,
      children: answered.map(({ id, text, answer, askedMs }) => ({
        id: `${state.id} ${id}`,
        label: oneLine(text, 100),
        description: `${oneLine(answer?.text ?? '', 60)}${answer?.by === 'default' ? ' (default)' : ''}`,
        tooltip: `**${plain(text, 2_000)}**\n\n${plain(answer?.text ?? '', 2_000)}\n\nAsked ${relativeTime(askedMs, nowMs)}`,
        icon: { id: answer?.by === 'default' ? 'history' : 'check' },
        spoken: `${text}: ${answer?.text ?? ''}`,
      })),
    },
  ];
}
