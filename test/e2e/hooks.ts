/** What a failed test leaves for a person: a picture of each window, in out/screenshots. */
import { afterEach } from 'mocha';
import { openWorkbenches } from './workbench.ts';

afterEach(async function () {
  if (this.currentTest?.state !== 'failed') return;
  const name = this.currentTest.fullTitle().replaceAll(/[^a-z0-9]+/gi, '-');
  for (const workbench of openWorkbenches) await workbench.screenshot(`failed-${name}`);
});
