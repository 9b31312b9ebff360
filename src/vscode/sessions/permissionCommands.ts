/** Asks for the permission mode of a folder, when its first goal starts or by command. */
import { basename } from 'node:path';
import { commands } from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { UserFacing } from '../../base/errors.ts';
import { folderChoicesAt, modeOf } from '../../compose/folderChoices.ts';
import { hasContainerEngine } from '../../compose/machineFile.ts';
import type { PermissionMode } from '../../permissions/mode.ts';
import type { FolderChoice } from '../../project/folderChoices.ts';
import { run, tell, type Handlers } from '../ui/commandRegistry.ts';
import { unattendedStep } from '../ui/contributions.ts';
import { homeFolder, isModeSet, setting } from '../ui/settings.ts';
import { frontFolder, pickFolder } from '../ui/workFolder.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { askOnce } from './firstGoal.ts';
import { keepField } from './keptSessions.ts';
import { askPermissions, type PermissionAnswer, type Permissions } from './permissionPick.ts';

type Deps = Pick<WindowDeps, 'host' | 'logger'>;

/** Time after which a goal starts without an answer. */
const limitMs = 60_000;

/** Returns the permission mode of the next session in the front folder. */
export function folderMode(): PermissionMode {
  const folder = frontFolder();
  const reading = folder === undefined ? {} : folderChoicesAt(homeFolder()).read(folder.fsPath);
  return modeOf(reading, setting('permissions.mode'));
}

/**
 * Asks for the permissions of a folder if the user has never been asked and has not set a mode.
 * Resolves when the goal can start; never rejects.
 */
export async function askAtFirstGoal(deps: Deps, folder: string): Promise<void> {
  if (isModeSet()) return;
  const choices = folderChoicesAt(homeFolder());
  const ask = async (signal: AbortSignal): Promise<FolderChoice | 'later'> => {
    const question = {
      title: `What may Helios do in ${basename(folder)}?`,
      placeholder: 'Without an answer, Helios asks you before each command and change',
      answers: ['mandate', 'container', 'ask'],
      keepsRunning: tickFor(undefined),
      hasEngine: hasContainerEngine(),
    } as const;
    const asked = await askPermissions(question, signal);
    return asked === undefined ? {} : choiceOf(deps, folder, asked);
  };
  try {
    await askOnce(folder, { choices, clock: systemClock, limitMs, ask });
  } catch (error) {
    tell(error, deps.logger);
  }
}

export const permissionCommands = (deps: Deps & Pick<WindowDeps, 'sessions'>) =>
  ({
    'helios.changePermissionMode': () => change(deps),
  }) satisfies Handlers;

async function change(deps: Deps & Pick<WindowDeps, 'sessions'>): Promise<void> {
  const folder = await pickFolder('Select a folder to change its permission mode');
  if (folder?.scheme !== 'file')
    throw new UserFacing('No folder is open.', 'Open the folder of the goal first.');
  const choices = folderChoicesAt(homeFolder());
  const reading = choices.read(folder.fsPath);
  if (reading.problem !== undefined) throw new UserFacing(reading.problem);
  const { choice } = reading;
  const current: PermissionAnswer =
    choice?.container === undefined ? modeOf(reading, setting('permissions.mode')) : 'container';
  const asked = await askPermissions({
    title: `Permission Mode of ${basename(folder.fsPath)}`,
    placeholder: 'Applies from the next call of the agent, and to later sessions in this folder',
    answers: ['ask', 'mandate', 'container', 'allow'],
    current,
    keepsRunning: tickFor(choice),
    hasEngine: hasContainerEngine(),
  });
  const chosen = asked && (await choiceOf(deps, folder.fsPath, { ...asked, before: choice }));
  if (chosen === undefined || chosen === 'later') return;
  await choices.choose(folder.fsPath, chosen);
  deps.sessions.refresh();
}

/**
 * Returns whether sessions of the folder keep running; `undefined` if the user cannot choose,
 * because the settings keep all sessions running.
 */
const tickFor = (choice: FolderChoice | undefined): boolean | undefined =>
  setting('session.keepRunning') === 'always' ? undefined : choice?.keepRunning === true;

/**
 * Resolves with the choice for an answer. For the answer `container`, first adds a container for
 * the folder.
 */
async function choiceOf(
  { host }: Deps,
  folder: string,
  { answer, keepsRunning, before }: Permissions & { readonly before?: FolderChoice | undefined },
): Promise<FolderChoice | 'later'> {
  const kept = keepField(keepsRunning, before);
  if (answer !== 'container') return { ...kept, mode: answer };
  if (!hasContainerEngine()) {
    await commands.executeCommand('workbench.action.openWalkthrough', unattendedStep);
    return 'later';
  }
  const { machines } = await host.get();
  const { askContainer } = await import('../machines/addMachine.ts');
  const entry = await askContainer(machines, folder);
  if (entry === undefined) return 'later';
  await machines.add(entry);
  void run('helios.testMachine', entry.id);
  return { ...kept, mode: 'mandate', container: entry.id };
}
