/** Approval questions and their answers as parts of a chat reply. */
import type { ApprovalAnswer, ApprovalRequest } from '../../agent/contract/ports.ts';
import { codeLines, plain } from '../../base/markdown.ts';
import { textSize } from '../../base/text.ts';
import {
  approvalPreview,
  scopeText,
  type ShownApproval,
} from '../../presentation/sessions/approvalText.ts';
import { effectVerb } from '../../presentation/sessions/sessionText.ts';
import { line, type ChatPart } from './chatPart.ts';

/** Returns the parts of an approval question, and the choices to offer below them. */
export function approvalParts(request: ApprovalRequest): ShownApproval & {
  readonly parts: readonly ChatPart[];
} {
  const shown = approvalPreview(request);
  const isPart = shown.choices.some(([title]) => title === 'Review');
  const size = isPart ? ` (${textSize(request.detail)}; review it to approve)` : '';
  const scope = isPart ? undefined : scopeText(request);
  return {
    ...shown,
    parts: [
      line('shield', `Needs your approval${approvalTitle(request)}${size}:`),
      { kind: 'text', markdown: `\n\n${codeLines(shown.text)}\n\n` },
      ...(scope === undefined ? [] : [line('info', plain(scope, 400))]),
    ],
  };
}

/** Returns the title of the call, without the command, which is shown below. */
const approvalTitle = ({ effect, title }: ApprovalRequest): string =>
  effect === 'execute' && title.startsWith('Run ')
    ? ' to run a command'
    : ` to ${plain(effectVerb(effect))} · **${plain(title)}**`;

/** Returns the line that follows an approval. A denial is shown by the event that records it. */
export const answerPart = (answer: Approving): ChatPart => line('check', answerTexts[answer]);

type Approving = Exclude<ApprovalAnswer, 'deny'>;

const answerTexts: Readonly<Record<Approving, string>> = {
  allow: 'Approved once',
  allow_session: 'Approved for this session',
  allow_workspace: 'Approved in this workspace',
  allow_always: 'Approved always',
};
