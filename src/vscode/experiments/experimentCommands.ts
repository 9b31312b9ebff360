/** Commands on experiments, such as applying the code of an experiment. */
import { Uri, window, workspace } from 'vscode';
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
  const message = await picked?.way(
    { machines, clock: systemClock, workFolder: state.workFolder },
    from,
  );
  if (message !== undefined)
    void window.showInformationMessage([message, ...promotedNotes(from)].join(' '));
}

async function asBranch(deps: PromoteDeps, from: Promotable): Promise<string | undefined> {
  const name = await window.showInputBox({
    title: 'Name of the new branch',
    value: branchNameFor(from),
  });
  if (name === undefined) return undefined;
  return branchText(from, await promoteAsBranch(deps, from, name), {
    patch: 'choose Save Patch',
    name: 'choose another name',
  });
}

async function asPatch(deps: PromoteDeps, from: Promotable): Promise<string | undefined> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const name = `helios-${from.row.id}.patch`;
  const target = await window.showSaveDialog({
    title: 'Save Patch',
    filters: { Patches: ['patch', 'diff'] },
    ...(folder && { defaultUri: Uri.joinPath(folder, name) }),
  });
  if (target === undefined) return undefined;
  await workspace.fs.writeFile(target, await promoteAsPatch(deps, from));
  return `Saved the patch of ${from.row.id} to ${target.fsPath}.`;
}
