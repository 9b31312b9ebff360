/**
 * Installs the package before the first window; what a failed test leaves for a user is a picture
 * of each window, in out/screenshots.
 */
import type { RootHookObject } from 'mocha';
import { installedPackage } from '../setup/codeServer.ts';
import { openWorkbenches } from './workbench.ts';

/** Runs before the workers, each of which would install it otherwise. */
export const mochaGlobalSetup = installedPackage;

export const mochaHooks: RootHookObject = { afterEach: pictureOfFailure };

async function pictureOfFailure(this: Mocha.Context): Promise<void> {
  if (this.currentTest?.state !== 'failed') return;
  const name = this.currentTest.fullTitle().replaceAll(/[^a-z0-9]+/gi, '-');
  for (const [index, workbench] of [...openWorkbenches].entries())
    await workbench.screenshot(`failed-${name}${index === 0 ? '' : `-${index + 1}`}`);
}
