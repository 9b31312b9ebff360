/** Commands on experiments, such as applying the code of an experiment. */
import { commands, Uri, window, workspace } from 'vscode';
import {
  branchNameFor,
  branchText,
  promotable,
  promoteAsBranch,
  promoteAsPatch,
  promotedNotes,
  type Promotable,
  type PromoteDeps,
} from '../../compose/promoteExperiment.ts';
import { systemClock } from '../../base/clock.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { experimentOf, sessionIdOf } from '../ui/commandTarget.ts';
import { sessionWithResults } from '../window/pick.ts';

export const experimentCommands = (deps: WindowDeps) =>
  ({
    'helios.promote': (argument) => promote(deps, argument),
  }) satisfies Handlers;

async function promote(deps: WindowDeps, argument: unknown): Promise<void> {
  const { sessions, machines } = await deps.host.get();
  const id = sessionIdOf(argument) ?? (await sessionWithResults(sessions.list(), 'champion'));
  if (id === undefined) return;
  const { ledger, state } = await sessions.read(id);
  const from = promotable(ledger, experimentOf(argument));
  const title = `Promote ${from.row.id} to a branch or patch: ${from.row.hypothesis}`;
  const choices = [
    {
      label: '$(git-branch) New Branch',
      detail: 'In your repository, if it has the history of the experiment; not checked out',
      way: asBranch,
    },
    {
      label: '$(diff) Save Patch',
      detail: 'A file for git apply, against the commit that is checked out in the repository',
      way: asPatch,
    },
  ];
  const picked = await window.showQuickPick(choices, { title });
  const parts = { machines, clock: systemClock, workFolder: state.workFolder };
  const promoted = await picked?.way(parts, from);
  if (promoted !== undefined) void showPromoted(deps, { ...promoted, from, parts, sessionId: id });
}

interface Promoted {
  readonly message: string;
  /** The branch, and the folder of its repository on this computer. */
  readonly branch?: { readonly name: string; readonly repo: string };
}

interface Shown extends Promoted {
  readonly from: Promotable;
  readonly parts: PromoteDeps;
  readonly sessionId: string;
}

const showChanges = 'Show Changes';
const checkOut = 'Check Out';

/** Says what was made of an experiment, and offers to look at it and to check it out. */
async function showPromoted(
  { documents }: WindowDeps,
  { message, branch, from, parts, sessionId }: Shown,
): Promise<void> {
  const text = [message, ...promotedNotes(from)].join(' ');
  const buttons = branch === undefined ? [showChanges] : [showChanges, checkOut];
  const answer = await window.showInformationMessage(text, ...buttons);
  const patch = async (): Promise<string> =>
    Buffer.from(await promoteAsPatch(parts, from)).toString('utf8');
  if (answer === showChanges)
    await documents.open(`/promoted/${sessionId}/${from.row.id}.diff`, patch);
  // The command of the Git extension asks what to do with changes that are in the way.
  if (answer === checkOut && branch !== undefined)
    await commands.executeCommand('git.checkout', Uri.file(branch.repo), branch.name);
}

async function asBranch(deps: PromoteDeps, from: Promotable): Promise<Promoted | undefined> {
  const name = await window.showInputBox({
    title: 'Name of the new branch',
    value: branchNameFor(from),
  });
  if (name === undefined) return undefined;
  const made = await promoteAsBranch(deps, from, name);
  const advice = { patch: 'choose Save Patch', name: 'choose another name' };
  return {
    message: branchText(from, made, advice),
    ...(made.whyAway === undefined && { branch: { name: made.branch, repo: made.repo } }),
  };
}

async function asPatch(deps: PromoteDeps, from: Promotable): Promise<Promoted | undefined> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const name = `helios-${from.row.id}.patch`;
  const target = await window.showSaveDialog({
    title: 'Save Patch',
    filters: { Patches: ['patch', 'diff'] },
    ...(folder && { defaultUri: Uri.joinPath(folder, name) }),
  });
  if (target === undefined) return undefined;
  await workspace.fs.writeFile(target, await promoteAsPatch(deps, from));
  return { message: `Saved the patch of ${from.row.id} to ${target.fsPath}.` };
}
