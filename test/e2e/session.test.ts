import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { researcher } from '../fakes/researcher.ts';
import type { WireServer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { startVsCode, type VsCode } from '../setup/codeServer.ts';
import { packagePath } from '../setup/paths.ts';
import { Workbench } from './workbench.ts';

/**
 * The main job, as a user signed out of everything does it: a goal in the chat, runs, metrics, the
 * end.
 */
describe('a goal in the chat', () => {
  let folder: string;
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    server = await startWireAnthropic(
      researcher({ rates: [0.01, 0.02, 0.05, 0.08], runSeconds: 5, steps: 60 }),
    );
    vscode = await startVsCode({
      folder,
      extensionVsix: packagePath,
      settings: { 'helios.permissions.mode': 'allow' },
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' },
    });
    workbench = await Workbench.open(vscode, { width: 1600, height: 1000 });
  });

  after(async () => {
    await workbench?.close();
    await vscode?.dispose();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('runs experiments until the measured loss meets it', async () => {
    await workbench.openContainer('Helios');
    await workbench.sendChat('@helios bring loss < 0.05 by choosing the learning rate');
    await workbench.chatMatching(/Trying lr=0\.01/);
    await workbench.setTheme('dark');
    await workbench.command('Helios: Show Metrics');
    await workbench.chatMatching(/Trying lr=0\.05/);
    await workbench.screenshot('chat-running-dark');
    await workbench.setTheme('light');
    await workbench.screenshot('chat-running-light');
    await workbench.setTheme('dark');
    const text = await workbench.chatMatching(/goal is met/i, 120_000);
    await workbench.screenshot('chat-end-dark');
    const rows = await workbench.treeRows('Experiments');
    assert.ok(rows.length >= 4, JSON.stringify(rows));
    assert.match(text, /run 4/);
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
