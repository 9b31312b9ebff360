/** Starts a goal from the command palette: asks for the goal's text, then for its limits. */
import { commands, window, workspace } from 'vscode';
import { UserFacing } from '../../base/errors.ts';
import { budgetText, parseBudget } from '../../presentation/limits.ts';
import { leftOutOf, leftOutText } from '../../presentation/sessions/sessionText.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { Budget } from '../../agent/journal/events.ts';
import { run, type Handlers } from '../ui/commandRegistry.ts';
import type { ApiKeys } from '../models/apiKeys.ts';
import type { Refusal } from '../models/preconditions.ts';
import { participant, viewContainer } from '../ui/contributions.ts';
import { offer } from '../notifications/notices.ts';
import { pickGoing } from '../window/pick.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { sessionIdOf } from '../ui/commandTarget.ts';
import { askAtFirstGoal } from './permissionCommands.ts';
import { providerIn, refusalFor } from '../models/readiness.ts';
import { suggestedBudget } from '../ui/settings.ts';
import { pickFolder } from '../ui/workFolder.ts';

type GoalDeps = WindowDeps & { readonly keys: ApiKeys };

export function goalCommands(deps: GoalDeps) {
  return {
    'helios.startGoal': () => startGoal(deps),
    'helios.tryAgain': (argument) => tryAgain(argument),
    'helios.follow': (argument) => follow(deps, argument),
    'helios.openFolder': () => commands.executeCommand('workbench.action.files.openFolder'),
  } satisfies Handlers;
}

async function startGoal(deps: GoalDeps): Promise<void> {
  const engine = await deps.host.get();
  const folder = await pickFolder('Select a folder for the goal');
  if (folder === undefined && (workspace.workspaceFolders ?? []).length > 0) return;
  if (folder?.scheme !== 'file') {
    const shown = window.showInformationMessage(
      'No folder is open. A goal works in a folder.',
      'Open Folder',
      'Try the Offline Demo',
    );
    return offer(shown, {
      'Open Folder': 'helios.openFolder',
      'Try the Offline Demo': 'helios.tryDemo',
    });
  }
  const refusal = await refusalFor({ engine, keys: deps.keys }, await providerIn(folder.fsPath));
  if (refusal !== undefined) {
    return offerButtons(refusal);
  }
  const goal = await askGoal();
  const budget = goal === undefined ? undefined : await askBudget();
  if (goal === undefined || budget === undefined) return;
  await askAtFirstGoal(deps, folder.fsPath);
  const session = await engine.sessions.start({ goal, budget, workFolder: folder.fsPath });
  void showLeftOut(session);
  await showSession(deps, session, { isNew: true });
}

async function offerButtons({ markdown, buttons }: Refusal): Promise<void> {
  const titles = buttons.map(({ title }) => title);
  const choice = await window.showInformationMessage(markdown, ...titles);
  const chosen = buttons.find(({ title }) => title === choice);
  if (chosen !== undefined) await run(chosen.command, ...(chosen.args ?? []));
}

/** Continues a session that a failed model call ended, in the chat. */
async function tryAgain(argument: unknown): Promise<void> {
  const id = sessionIdOf(argument);
  if (id === undefined) return;
  const query = `@${participant.name} /resume ${id}`;
  await commands.executeCommand('workbench.action.chat.open', { query });
}

/**
 * Warns of the parts of `helios.json` that are ignored. The chat does not show them, because it
 * joins after the first line of the session.
 */
async function showLeftOut(session: Session): Promise<void> {
  const leftOut = leftOutOf(session.events());
  if (leftOut === undefined) return;
  const shown = window.showWarningMessage(`Helios: ${leftOutText(leftOut)}`, 'Allow Project File…');
  await offer(shown, { 'Allow Project File…': 'helios.allowProjectFile' });
}

const askGoal = (): Thenable<string | undefined> =>
  window.showInputBox({
    title: 'Helios: Start Goal (1/2)',
    prompt: 'What to train or improve, and the number to reach',
    placeHolder: 'train the model in train.py to val_loss < 1.2',
    ignoreFocusOut: true,
    validateInput: (text) => (text.trim() === '' ? 'Enter a goal.' : undefined),
  });

async function askBudget(): Promise<Budget | undefined> {
  const text = await window.showInputBox({
    title: 'Helios: Start Goal (2/2)',
    prompt:
      'Limits in dollars, time, turns or tokens, also per experiment. Leave it empty for no limit',
    value: budgetText(suggestedBudget(), ', ').replace('no limit', ''),
    placeHolder: '$5, 2 h, 40 turns, 2M tokens, $0.50 per experiment',
    ignoreFocusOut: true,
    validateInput(typed) {
      const parsed = parseBudget(typed);
      return parsed.ok ? undefined : parsed.problem;
    },
  });
  if (text === undefined) return undefined;
  const parsed = parseBudget(text);
  return parsed.ok ? parsed.budget : undefined;
}

/**
 * Shows a session in the chat or, if there is no chat, in the Experiments view. `isNew`: the chat
 * begins with the goal and the first step.
 */
export async function showSession(
  { following, logger }: WindowDeps,
  session: Session,
  { isNew = false } = {},
): Promise<void> {
  if (following.isFollowed(session.id)) {
    await commands.executeCommand('workbench.action.chat.open');
    return;
  }
  const text = following.want(session.id, isNew ? session.state.goal : undefined);
  const query = `@${participant.name} ${text}`;
  try {
    await commands.executeCommand('workbench.action.chat.open', { query });
  } catch (error) {
    following.take();
    logger.info('The chat could not be opened; the Experiments view shows the session.', error);
    await commands.executeCommand(`workbench.view.extension.${viewContainer}`);
  }
}

async function follow(deps: WindowDeps, argument: unknown): Promise<void> {
  const engine = await deps.host.get();
  const id = sessionIdOf(argument);
  const open = id === undefined ? undefined : deps.sessions.get(id);
  if (id !== undefined && open === undefined) {
    const isThere = (await engine.sessions.list()).some((summary) => summary.id === id);
    if (!isThere) throw new UserFacing('This session no longer exists.');
    await run('helios.resumeSession', id);
    return;
  }
  const session = open ?? (await pickGoing(deps.sessions, 'Select a session to follow'));
  if (session !== undefined) await showSession(deps, session);
}
