/** Commands that answer approval questions, and the document that shows a question. */
import type { ApprovalAnswer } from '../../agent/contract/ports.ts';
import { UserFacing } from '../../base/errors.ts';
import { approvalAnswers, approvalDocument } from '../../presentation/sessions/approvalText.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import { approvalIdOf } from '../ui/commandTarget.ts';
import { approvalFolder } from '../ui/contributions.ts';
import type { Approval } from '../window/approvals.ts';
import type { WindowDeps } from '../window/windowDeps.ts';

type Deps = Pick<WindowDeps, 'approvals' | 'documents'>;

export function approvalCommands(deps: Deps) {
  const answerWith = (answer: ApprovalAnswer) => (argument: unknown) =>
    deps.approvals.answer(openApproval(deps, argument).id, answer);
  return {
    'helios.answerApproval': (argument, choice) => {
      const answer = Object.values(approvalAnswers).find((each) => each === choice);
      return answer === undefined ? review(deps, argument) : answerWith(answer)(argument);
    },
    'helios.approve': answerWith('allow'),
    'helios.approveForSession': answerWith('allow_session'),
    'helios.approveInWorkspace': answerWith('allow_workspace'),
    'helios.alwaysApprove': answerWith('allow_always'),
    'helios.deny': answerWith('deny'),
  } satisfies Handlers;
}

/** Returns the open question in a command's argument. */
function openApproval({ approvals }: Deps, argument: unknown): Approval {
  const id = approvalIdOf(argument);
  const approval = approvals.pending().find((each) => each.id === id);
  if (approval === undefined)
    throw new UserFacing(
      'This question was already answered or withdrawn.',
      'Open questions are in the Inbox.',
    );
  return approval;
}

/**
 * Opens the document with the whole call, whose editor has buttons for the answers. Closes it when
 * the question is answered or withdrawn.
 */
async function review(deps: Deps, argument: unknown): Promise<void> {
  const { approvals, documents } = deps;
  const approval = openApproval(deps, argument ?? approvals.pending()[0]?.id);
  const folder = `${approvalFolder}${approval.id}/`;
  const listener = approvals.onDidChange(() => {
    if (approvals.pending().includes(approval)) return;
    listener.dispose();
    void documents.close(folder);
  });
  await documents.open(`${folder}Approval`, () => Promise.resolve(approvalDocument(approval)));
}
