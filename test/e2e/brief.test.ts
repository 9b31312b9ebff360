import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { researcher } from '../fakes/researcher.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

/** The chat lets go of a session after this share of a minute: nobody watches it then. */
const followMinutes = 0.05;

/** A user starts a goal, turns to something else, and finds the brief when it is over. */
describe('the brief of a goal that ended while nobody looked', () => {
  let folder: string;
  let workbench: Workbench;
  let opened: TestWindow | undefined;

  before(async () => {
    opened = await openWindow(researcher({ rates: [0.01, 0.05, 0.08], runSeconds: 4, steps: 60 }), {
      settings: { 'helios.permissions.mode': 'allow', 'helios.chat.followMinutes': followMinutes },
      viewport: { width: 1680, height: 1100 },
    });
    ({ folder, workbench } = opened);
  });

  after(() => opened?.close());

  it('opens as a preview beside, without taking the focus, with charts and links that lead to their runs', async () => {
    await workbench.sendChat('@helios bring loss < 0.05 by choosing the learning rate');
    // On a busy machine the chat lets go before the first launch.
    await workbench.chatMatching(/Trying lr=0\.01|Keep Running/);
    await workbench.command('View: Show Explorer');
    const preview = await workbench.webview('a#e3');
    assert.notEqual(await workbench.page.evaluate(() => document.activeElement?.tagName), 'IFRAME');
    assert.match(await preview.locator('body').innerText(), /Goal met[\s\S]*loss 0\.0\d+: run \d/);
    assert.equal(
      await workbench.page.locator('.tab.active').filter({ hasText: 'brief.md' }).count(),
      1,
    );
    await workbench.eventually(
      () =>
        preview
          .locator('img')
          .evaluateAll(
            (all) => all.filter((each) => (each as HTMLImageElement).naturalWidth > 0).length,
          ),
      (drawn) => drawn === 2,
    );
    await workbench.pictureTheme('dark');
    await workbench.picture('brief-dark');
    await workbench.pictureTheme('light');
    await workbench.picture('brief-light');
    // It is drawn anew for another theme, also a moment later: what was clicked may then be gone.
    const isRunShown = async (): Promise<boolean> => {
      const shown = await workbench.webview('a#e3');
      await shown.locator('a[href*="runs.md#run-3"]').first().click({ timeout: 2_000 });
      return true;
    };
    await workbench.eventually(() => isRunShown().catch(() => false), Boolean, 20_000);
    await workbench.webview('a#run-3');
    await workbench.picture('brief-run');
  });

  it('lies in the work folder, and /writeup writes the account beside it', async () => {
    const names = await readdir(join(folder, 'helios-reports'));
    assert.ok(names.includes('.gitignore'));
    const name = names.find((each) => !each.startsWith('.')) ?? '';
    assert.match(name, /^\d{4}-\d\d-\d\d-bring-loss-0-05/);
    assert.match(
      await readFile(join(folder, 'helios-reports', name, 'brief.md'), 'utf8'),
      /^# bring loss/,
    );
    await workbench.sendChat('@helios /writeup now');
    await workbench.chatMatching(/Written to .*brief\.md and .*writeup\.md/);
    assert.ok((await readdir(join(folder, 'helios-reports', name))).includes('writeup.md'));
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
