import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { researcher } from '../fakes/researcher.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

/**
 * The main job, as a user signed out of everything does it: a goal in the chat, runs, metrics, the
 * end.
 */
describe('a goal in the chat', () => {
  let workbench: Workbench;
  let opened: TestWindow | undefined;

  before(async () => {
    opened = await openWindow(
      researcher({ rates: [0.01, 0.02, 0.05, 0.08], runSeconds: 5, steps: 60 }),
      {
        settings: { 'helios.permissions.mode': 'allow' },
        viewport: { width: 1600, height: 1000 },
      },
    );
    ({ workbench } = opened);
  });

  after(() => opened?.close());

  it('runs experiments until the measured loss meets it', async () => {
    await workbench.openContainer('Helios');
    await workbench.sendChat('@helios bring loss < 0.05 by choosing the learning rate');
    await workbench.chatMatching(/Trying lr=0\.01/);
    await workbench.pictureTheme('dark');
    await workbench.command('Helios: Show Metrics');
    await workbench.chatMatching(/Trying lr=0\.05/);
    await workbench.picture('chat-running-dark');
    await workbench.pictureTheme('light');
    await workbench.picture('chat-running-light');
    await workbench.pictureTheme('dark');
    const text = await workbench.chatMatching(/goal is met/i, 120_000);
    await workbench.picture('chat-end-dark');
    const rows = await workbench.treeRows('Experiments');
    assert.ok(rows.length >= 4, JSON.stringify(rows));
    assert.match(text, /run 4/);
    assert.deepEqual(workbench.consoleErrors(), []);
  });

  it('shows the value and what was varied of each row in a narrow side bar', async () => {
    await workbench.widenSideBar(250);
    const rows = await workbench.treeRows('Experiments');
    const [session, ...runs] = rows.map(({ label }) => label);
    assert.match(session ?? '', /^loss 0\.0\d+ · bring loss/);
    for (const label of runs) assert.match(label, /^\d\.\d+ · /);
    await workbench.picture('side-bar-250-dark');
    await workbench.pictureTheme('light');
    await workbench.picture('side-bar-250-light');
  });
});
