/**
 * Texts of approval questions, for each part of the user interface. Answers that approve are
 * offered only where the whole call is shown.
 */
import type { ApprovalAnswer, ApprovalRequest } from '../../agent/contract/ports.ts';
import { cutText, oneLine, oneOf, textSize } from '../../base/text.ts';
import { effectVerb } from './sessionText.ts';

export { argumentText } from '../../agent/user/callText.ts';

/** An answer, or `review` to open the document with the whole call. */
export type ApprovalChoice = ApprovalAnswer | 'review';

export type ApprovalTitle = keyof typeof approvalAnswers | 'Review';

/** The text of an approval question in a part of the user interface, and the choices in order. */
export interface ShownApproval {
  readonly text: string;
  readonly choices: readonly (readonly [ApprovalTitle, ApprovalChoice])[];
}

/** The answers to every question, by the titles of their buttons and links. */
export const approvalAnswers = {
  'Approve Once': 'allow',
  'Approve for Session': 'allow_session',
  'Approve in Workspace': 'allow_workspace',
  'Always Approve': 'allow_always',
  Deny: 'deny',
} as const satisfies Readonly<Record<string, ApprovalAnswer>>;
const reviewChoices = [
  ['Review', 'review'],
  ['Deny', 'deny'],
] as const satisfies ShownApproval['choices'];

/** Maximum length of a text in a notification. VS Code would show up to 1,000 characters. */
const maxNotificationChars = 320;
const maxChatChars = 2_000;
const maxChatLines = 24;
/** Number of characters that are shown of a call that is too long. */
const previewChars = 400;
const previewLines = 8;

/** Returns the answers that the question offers. */
function approvalChoices({ offer }: ApprovalRequest): ShownApproval['choices'] {
  const answers = ['allow', ...(offer?.scopes ?? []).map((scope) => `allow_${scope}`), 'deny'];
  return Object.entries(approvalAnswers).filter(([, answer]) =>
    answers.includes(answer),
  ) as unknown as ShownApproval['choices'];
}

/**
 * Returns the question for a notification, on one line. Line breaks are shown as a sign, because
 * the next line may be another command.
 */
export function approvalNotification(request: ApprovalRequest): ShownApproval {
  const { detail } = request;
  const text = withoutLinks(`${questionText(request)}: ${breaksMarked(detail)}`);
  if (text.length <= maxNotificationChars && isShownAsIs(detail))
    return { text, choices: notificationChoices(request) };
  const start = oneLine(text, maxNotificationChars - 100);
  return { text: `${start} (${textSize(detail)}; review it to approve)`, choices: reviewChoices };
}

/**
 * Returns the choices for a notification. Answers that also allow later calls are offered only
 * after Review, beside the document that says what they cover, because VS Code truncates long
 * labels.
 */
const notificationChoices = ({ offer }: ApprovalRequest): ShownApproval['choices'] => [
  ['Approve Once', 'allow'],
  ...(offer === undefined || offer.scopes.length === 0 ? [] : [reviewChoices[0]]),
  ['Deny', 'deny'],
];

/**
 * Returns true if the user can read the exact text in a notification, where ` ↵ ` stands for a line
 * break. False for a text that itself contains `↵`, for white space that VS Code collapses, and for
 * a link, of which VS Code shows only the label.
 */
const isShownAsIs = (detail: string): boolean => !/[ \t\n]{2}|\t|↵|\]\(/.test(detail);

/**
 * Returns the text of a notification without links. In the text of a notification, VS Code turns
 * `[label](address)` into a link, which can also run a command.
 */
export const withoutLinks = (text: string): string => text.replaceAll('](', '] (');

const breaksMarked = (detail: string): string => detail.replaceAll('\n', ' ↵ ');

/** Returns the question for a list or a tooltip, which offer no answer. */
export const approvalLine = (request: ApprovalRequest, maxChars: number): string =>
  oneLine(`${questionText(request)}: ${breaksMarked(request.detail)}`, maxChars);

const questionText = ({ effect, title }: ApprovalRequest): string =>
  `Helios asks to ${effectVerb(effect)}${effect === 'execute' ? '' : ` · ${oneLine(title, 80)}`}`;

/** Returns the call for a chat response, which wraps long lines. */
export function approvalPreview(request: ApprovalRequest): ShownApproval {
  const { detail } = request;
  const lines = detail.split('\n');
  if (detail.length <= maxChatChars && lines.length <= maxChatLines)
    return { text: detail, choices: approvalChoices(request) };
  const start = cutText(lines.slice(0, previewLines).join('\n'), previewChars);
  return { text: `${start}…`, choices: reviewChoices };
}

/** Returns the document with the whole call. */
export const approvalDocument = (request: ApprovalRequest): string => {
  const { detail } = request;
  return `${questionText(request)}
${textSize(detail)}. To answer, select ${oneOf(titlesOf(request))} in the title bar of this editor.
${coverText(request)}
${detail}
`;
};

const titlesOf = (request: ApprovalRequest): readonly string[] =>
  approvalChoices(request).map(([title]) => title);

/** Returns what the answers cover beyond the call, as a sentence; `undefined` for nothing. */
export const scopeText = ({ offer }: ApprovalRequest): string | undefined =>
  offer === undefined || offer.scopes.length === 0
    ? undefined
    : `The answers for later calls cover: ${offer.covers.join(', ')}`;

/**
 * Returns a paragraph about what the answers cover beyond the call; empty if they cover nothing.
 */
const coverText = ({ offer }: ApprovalRequest): string =>
  offer === undefined || offer.scopes.length === 0
    ? ''
    : `\nThe answers that also allow later calls cover, without asking again:\n${offer.covers.map((each) => `- ${each}\n`).join('')}`;
