import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { WireAnswer } from '../fakes/wire.ts';
import type { VsCode } from '../setup/codeServer.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

const run = (command: string): WireAnswer => ({
  text: '',
  toolCalls: [{ name: 'remote_exec', input: { timeout_seconds: 60, command } }],
});
const enough = { name: 'finish', input: { outcome: 'blocked', summary: 'Enough.' } };
const finish: WireAnswer = { text: '', toolCalls: [enough] };
const answers: readonly WireAnswer[] = [
  run('touch first.txt'),
  run('touch second.txt'),
  finish,
  run('touch third.txt'),
  finish,
];

/** What the user lets Helios do in a folder: each step where the last one ended. */
describe('permissions in the hands of a user', () => {
  let folder: string;
  let vscode: VsCode;
  let workbench: Workbench;
  let opened: TestWindow | undefined;
  let requests = 0;

  before(async () => {
    opened = await openWindow(() => answers[requests++] ?? finish, {
      settings: { 'workbench.quickOpen.closeOnFocusLost': true },
    });
    ({ folder, vscode, workbench } = opened);
    await workbench.openContainer('Helios');
  });

  after(() => opened?.close());

  const choices = async (): Promise<unknown> =>
    JSON.parse(await readFile(join(vscode.heliosHome, 'folders.json'), 'utf8'));
  const isMade = (name: string): Promise<unknown> =>
    workbench.eventually(
      () => Promise.resolve(existsSync(join(folder, name))),
      (exists) => exists,
    );

  it('asks at the first goal; without an answer, Helios asks before each call and says so', async () => {
    await workbench.pictureTheme('dark');
    await workbench.sendChat('@helios bring loss < 0.1');
    await workbench.inputTitled(/What may Helios do in/);
    await workbench.picture('first-goal-dark');
    await workbench.page.keyboard.press('Escape');
    await workbench.chatMatching(/Permission mode ask: Helios waits for your approval[^]*Change/);
    await workbench.notificationMatching(/touch first\.txt/);
    await workbench.picture('first-goal-asks-dark');
    assert.deepEqual(await choices(), { version: 1, folders: { [folder]: {} } });
  });

  it('changes the mode from the next call on, which the status bar and the chat show', async () => {
    await workbench.commandThenPick('Helios: Change Permission Mode', 'Allow Everything');
    await workbench.statusMatching(/needs your approval/);
    await workbench.pressNotificationButton('Approve Once');
    await isMade('second.txt');
    await workbench.chatMatching(/Permission mode allow, as you chose for this folder/);
    await workbench.statusMatching(/^Helios · allow$/);
    await workbench.page.locator('.statusbar-item', { hasText: 'Helios · allow' }).hover();
    await workbench.page.locator('.workbench-hover', { hasText: 'on all your machines' }).waitFor();
    await workbench.picture('permission-mode-dark');
  });

  it('keeps the choice for the next goal, and offers the others with what they do', async () => {
    await workbench.pictureTheme('light');
    await workbench.sendChat('@helios /new bring loss < 0.2');
    await workbench.chatMatching(/Permission mode allow, as you chose for this folder/);
    await isMade('third.txt');
    await workbench.command('Helios: Change Permission Mode');
    await workbench.inputTitled(/Permission Mode of/);
    await workbench.pick('Keep Running When VS Code Closes', '');
    await workbench.picture('permission-pick-light');
    await workbench.pick('Work Within This Folder', '');
    await workbench.statusMatching(/^Helios · mandate$/);
    const kept = { mode: 'mandate', keepRunning: true };
    assert.deepEqual(await choices(), { version: 1, folders: { [folder]: kept } });
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
