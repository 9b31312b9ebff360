import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { WireReply, WireServer } from '../fakes/wire.ts';
import { installedPackage, startVsCode, type VsCode } from '../setup/codeServer.ts';
import { openWindow, type TestWindow } from './window.ts';
import { pictureThemes, Workbench } from './workbench.ts';

const quit: WireReply = {
  text: 'Answered.',
  toolCalls: [
    { name: 'finish', input: { outcome: 'blocked', summary: 'There is nothing to train on.' } },
  ],
};

/** A new user without a key, in a folder that is trusted. */
describe('the first quarter of an hour', () => {
  let server: WireServer;
  let workbench: Workbench;
  let opened: TestWindow | undefined;
  let replies: WireReply[] = [];

  before(async () => {
    opened = await openWindow(() => replies.shift() ?? quit, {
      hasKey: false,
      settings: { 'helios.permissions.mode': 'allow' },
    });
    ({ server, workbench } = opened);
  });
  after(() => opened?.close());

  it('asks for the key of the provider, refuses a wrong one, and starts the typed goal', async () => {
    await workbench.sendChat('@helios bring loss < 1');
    await workbench.chatMatching(/No API key is set for Anthropic/);
    server.offer({ status: 401, message: 'invalid x-api-key' });
    await workbench.pressChatButton('Set API Key');
    await workbench.inputTitled('Key for Anthropic');
    await workbench.answerInput('nonsense');
    await workbench.inputTitled(/Not stored\. Anthropic answered 401: invalid x-api-key\./);
    await workbench.picture('key-refused');
    server.offer([{ id: 'claude-opus-5-5', type: 'model', display_name: 'Opus' }]);
    await workbench.answerInput('a-good-key');
    await workbench.notificationMatching(/Anthropic accepts this key\./);
    await workbench.picture('key-accepted');
    replies = [{ status: 401, message: 'invalid x-api-key' }];
    await workbench.pressNotificationButton('Start: bring loss < 1');
    const text = await workbench.chatMatching(
      /Anthropic answered 401: invalid x-api-key\.[^]*Try Again/,
    );
    assert.equal(text.match(/invalid x-api-key/g)?.length, 1, text);
    assert.match(text, /Set API Key/);
    const others = workbench.page.locator('.monaco-button').getByText('Try Again', { exact: true });
    assert.equal(await others.count(), 0, 'two buttons');
    await workbench.picture('failure-401');
  });

  it('goes on with the same goal', async () => {
    await workbench.pressChatLink('Try Again');
    await workbench.chatMatching(/There is nothing to train on/);
  });

  it('changes no model for one that has no key', async () => {
    await workbench.sendChat('@helios /switch openai');
    await workbench.chatMatching(/No API key is set for OpenAI\.[^]*The model was not changed\./);
  });

  it('counts down while the provider limits requests', async () => {
    replies = [{ status: 429, message: 'slow down', headers: { 'retry-after': '20' } }];
    await workbench.sendChat('@helios /new bring loss < 2');
    await workbench.statusMatching(/Helios: Anthropic is limiting requests; next try in [12]?\d s/);
    await workbench.chatMatching(/Anthropic is limiting requests; next try in [12]?\d s/);
    await workbench.picture('failure-429');
    await workbench.chatMatching(/bring loss < 2[^]*There is nothing to train on/);
  });

  it('finds the settings in sections', async () => {
    const toc = workbench.page.locator('.settings-toc-container');
    for (const theme of pictureThemes) {
      await workbench.pictureTheme(theme);
      await workbench.command('Preferences: Open Settings (UI)');
      await workbench.page.keyboard.type('helios.');
      for (const title of ['Permissions', 'Watchdogs', 'Advanced'])
        await toc.getByText(title).first().waitFor();
      await workbench.picture(`settings-sections-${theme}`);
      await workbench.page.keyboard.press('Escape');
    }
  });
});

describe('a folder that is not trusted', () => {
  let folder = '';
  let vscode: VsCode | undefined;
  let workbench: Workbench | undefined;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    await writeFile(join(folder, 'train.py'), 'print("loss 1")\n');
    vscode = await startVsCode({
      folder,
      otherExtensions: [await installedPackage()],
      settings: {
        'security.workspace.trust.enabled': true,
        'security.workspace.trust.startupPrompt': 'never',
      },
    });
    workbench = await Workbench.open(vscode);
  });
  after(async () => {
    await workbench?.close();
    await vscode?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('is named by Start Goal, before anything is typed', async () => {
    assert.ok(workbench);
    await workbench.command('Helios: Start Goal');
    await workbench.notificationMatching(/starts only in a folder that you trust/);
    await workbench.screenshot('restricted-goal');
    await workbench.command('Notifications: Clear All Notifications');
  });

  it('is named by the demo, with a button that leads to the trust', async () => {
    assert.ok(workbench);
    await workbench.command('Helios: Try the Offline Demo');
    await workbench.notificationMatching(/starts only in a folder that you trust/);
    await workbench.picture('restricted-light');
    await workbench.pressNotificationButton('Manage Workspace Trust');
    await workbench.page.getByText('In a Trusted Folder').first().waitFor();
  });
});
