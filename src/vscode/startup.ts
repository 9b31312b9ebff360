/**
 * Work that starts when a trusted window is open: resumes interrupted sessions, deletes old ones,
 * and shows missed briefs.
 */
import type { Memento } from 'vscode';
import { systemClock } from '../base/clock.ts';
import type { DisposableStore } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { Resumption } from './keepRunning/resume.ts';
import type { Briefs } from './reports/briefs.ts';
import { startPendingDemo } from './sessions/demoCommands.ts';
import { applyRetention } from './sessions/retention.ts';
import { tell } from './ui/commandRegistry.ts';
import { homeFolder, setting } from './ui/settings.ts';
import { openFolders, type AppDeps } from './appDeps.ts';

export interface StartupDeps {
  readonly deps: AppDeps;
  readonly owned: DisposableStore;
  readonly briefs: Briefs | undefined;
  /** VS Code's state store that all windows share. */
  readonly memory: Memento;
}

/**
 * Runs the steps in order. Never rejects: if a step fails, the failure is logged and the others
 * continue.
 */
export async function resumeWork({ deps, owned, briefs, memory }: StartupDeps): Promise<void> {
  const { host, sessions, logger } = deps;
  sessions.refresh();
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

/** Runs an action and logs its failure. Never rejects. */
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
