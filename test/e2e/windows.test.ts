import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { WireServer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { installedPackage, startVsCode, type VsCode } from '../setup/codeServer.ts';
import { Workbench } from './workbench.ts';

/** A window on Windows, without another machine: all ways to a goal lead to a machine first. */
describe('a window on Windows', () => {
  let folder: string;
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;
  const refusal = /Commands cannot run on Windows itself, and there is no other machine/;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    server = await startWireAnthropic(() => ({ text: 'Never asked.' }));
    vscode = await startVsCode({
      folder,
      otherExtensions: [await installedPackage()],
      settings: { 'helios.permissions.mode': 'allow', 'helios.model.provider': 'claude' },
      env: {
        HELIOS_TEST_PLATFORM: 'win32',
        ANTHROPIC_API_KEY: 'sk-ant-test',
        ANTHROPIC_BASE_URL: server.url,
        DOCKER_HOST: 'unix:///nonexistent/docker.sock',
      },
    });
    workbench = await Workbench.open(vscode);
    await workbench.openContainer('Helios');
  });

  after(async () => {
    await workbench?.close();
    await vscode?.dispose();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('says in the Machines view what runs commands', async () => {
    await workbench.eventually(
      () => workbench.treeRows('Machines'),
      (rows) =>
        rows.some(
          ({ label, description }) =>
            label === 'local' && description === 'Windows: use WSL, SSH or a container',
        ),
    );
  });

  it('refuses a goal in the chat, with three ways to a machine', async () => {
    await workbench.sendChat('@helios bring the loss below 0.1');
    const text = await workbench.chatMatching(refusal);
    for (const title of ['Reopen Folder in WSL', 'Add Machine', 'Use a Container'])
      assert.ok(text.includes(title), text);
    await workbench.picture('windows-refusal');
  });

  it('needs the extension WSL to reopen the folder, which this VS Code cannot install', async () => {
    await workbench.pressChatButton('Reopen Folder in WSL');
    await workbench.notificationMatching(
      /Install ms-vscode-remote\.remote-wsl in the Extensions view/,
    );
  });

  it('asks for a machine, or for the image of a container', async () => {
    await workbench.pressChatButton('Add Machine');
    await workbench.inputTitled('Helios: Add Machine');
    await workbench.page.keyboard.press('Escape');
    await workbench.pressChatButton('Use a Container');
    await workbench.inputTitled('Container: Image');
    await workbench.picture('windows-container');
    await workbench.page.keyboard.press('Escape');
  });

  it('refuses the demo and a goal of the palette in the same way', async () => {
    await workbench.command('Helios: Try the Offline Demo');
    await workbench.notificationMatching(refusal);
    await workbench.picture('windows-demo');
    await workbench.pressNotificationButton('Add Machine');
    await workbench.inputTitled('Helios: Add Machine');
    await workbench.page.keyboard.press('Escape');
    await workbench.command('Helios: Start Goal');
    await workbench.notificationMatching(refusal);
    await workbench.pressNotificationButton('Use a Container');
    await workbench.inputTitled('Container: Image');
    await workbench.page.keyboard.press('Escape');
  });

  it('asks no model for any of it', () => {
    assert.equal(server.requests.length, 0);
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
