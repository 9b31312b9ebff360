/**
 * Work after the start of a window with a trusted workspace: resumes interrupted sessions, deletes
 * old sessions, shows missed briefs and starts a pending demo.
 */
import { window, type Memento } from 'vscode';
import { systemClock } from '../base/clock.ts';
import type { DisposableStore } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Resumption } from './keepRunning/resume.ts';
import type { Briefs } from './reports/briefs.ts';
import { startPendingDemo } from './sessions/demoCommands.ts';
import { applyRetention } from './sessions/retention.ts';
import type { ApiKeys } from './models/apiKeys.ts';
import { lostKeyText } from './models/keyText.ts';
import { run, tell } from './ui/commandRegistry.ts';
import { homeFolder, setting } from './ui/settings.ts';
import { openFolders, type AppDeps } from './appDeps.ts';

export interface StartupDeps {
  readonly deps: AppDeps;
  readonly owned: DisposableStore;
  readonly briefs: Briefs | undefined;
  /** VS Code's global state, which all windows share. */
  readonly memory: Memento;
}

/**
 * Runs the steps in order. Never rejects: if a step fails, the error is logged or shown and the
 * next step runs.
 */
export async function resumeWork({ deps, owned, briefs, memory }: StartupDeps): Promise<void> {
  const { host, sessions, logger } = deps;
  sessions.refresh();
  await attempt('keys', logger, () => warnOfLostKeys(deps.keys));
  const policy = setting('session.resume');
  const resumption = owned.add(
    new Resumption({
      host,
      home: homeFolder(),
      policy,
      folders: openFolders,
      clock: systemClock,
      logger,
    }),
  );
  await attempt('resume', logger, () => resumption.begin());
  await attempt('retention', logger, () => applyRetention(host, logger));
  await attempt('briefs', logger, async () => briefs?.openMissed());
  try {
    await startPendingDemo(deps, memory);
  } catch (error) {
    tell(error, logger);
  }
}

/** Says at once that a key is gone, because sessions that need it cannot work. */
async function warnOfLostKeys(keys: ApiKeys): Promise<void> {
  for (const entry of await keys.lost()) {
    const shown = window.showWarningMessage(`Helios: ${lostKeyText(entry)}`, 'Set API Key');
    void shown.then((choice) => choice && run('helios.setApiKey', entry.provider));
  }
}

/** Runs an action and logs its error, if any, after `name`. Never rejects. */
export async function attempt(
  name: string,
  logger: Logger,
  action: () => PromiseLike<unknown>,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    logger.error(`${name}: ${messageOf(error)}`);
  }
}
