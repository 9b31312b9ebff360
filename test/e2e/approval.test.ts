import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { WireAnswer } from '../fakes/wire.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

const run = (command: string): WireAnswer => ({
  text: '',
  toolCalls: [{ name: 'remote_exec', input: { timeout_seconds: 60, command } }],
});
const short = 'touch short.txt; echo "$(whoami) $(true) <b> [a](https://b) `date` a  b"';
const long = `echo ${'word '.repeat(400)}; touch long.txt \u202e # done`;
const answers: readonly WireAnswer[] = [
  run('touch first.txt'),
  run('touch again.txt'),
  run(short),
  run(long),
  run('mkdir made'),
  { text: '', toolCalls: [{ name: 'finish', input: { outcome: 'blocked', summary: 'Enough.' } }] },
];

/** Questions for approval in one window: each step where the last one ended. */
describe('approvals in the hands of a user', () => {
  let folder: string;
  let workbench: Workbench;
  let opened: TestWindow | undefined;
  let requests = 0;

  before(async () => {
    opened = await openWindow(() => answers[requests++] ?? answers.at(-1)!, {
      settings: { 'helios.permissions.mode': 'ask' },
    });
    ({ folder, workbench } = opened);
    await workbench.openContainer('Helios');
  });

  after(() => opened?.close());

  const isMade = (name: string): Promise<unknown> =>
    workbench.eventually(
      () => Promise.resolve(existsSync(join(folder, name))),
      (exists) => exists,
    );
  const notificationButtons = (): Promise<readonly string[]> =>
    workbench.page.locator('.notifications-toasts .monaco-button').allInnerTexts();
  const chatCode = (): Promise<readonly string[]> =>
    workbench.page.locator('.interactive-item-container .value code').allInnerTexts();

  it('shows a short call completely in a notification, and names in a document what longer answers cover', async () => {
    await workbench.pictureTheme('dark');
    await workbench.sendChat('@helios bring loss < 0.1');
    const text = await workbench.notificationMatching(/touch first\.txt/);
    assert.match(text, /command: touch first\.txt ↵ machine: local ↵ timeout seconds: 60/);
    assert.deepEqual(await notificationButtons(), ['Approve Once', 'Review', 'Deny']);
    await workbench.picture('approval-notification-dark');
    await workbench.pressNotificationButton('Review');
    await workbench.eventually(
      () => workbench.page.locator('.editor-instance .view-lines').innerText(),
      (shown) => /touch\s…\son\slocal\sin\s/.test(shown),
    );
    const actions = workbench.page.locator('.editor-actions');
    await actions.locator('a[aria-label^="Approve in Workspace"]').waitFor();
    assert.equal(await actions.locator('a[aria-label^="Always Approve"]').count(), 0);
    await workbench.picture('approval-document-scopes-dark');
    await actions.locator('a[aria-label^="Approve for Session"]').click();
    await isMade('first.txt');
    await isMade('again.txt');
  });

  it('shows in the chat what is written in the call, and offers to review it elsewhere', async () => {
    await workbench.notificationMatching(/touch short\.txt/);
    assert.deepEqual(await notificationButtons(), ['Review', 'Deny']);
    await workbench.eventually(chatCode, (lines) => lines.includes(`command: ${short}`));
    await workbench.pictureTheme('light');
    await workbench.picture('approval-chat-light');
    await workbench.pressChatButton('Approve Once');
    await isMade('short.txt');
    await workbench.chatMatching(/Ran touch short\.txt; echo "\$\(whoami\) \$\(true\)/);
    assert.equal(await workbench.page.locator('.interactive-session .katex').count(), 0);
  });

  it('opens a long call as a document, which wraps it and has the answers in its title bar', async () => {
    await workbench.chatMatching(/[\d,]+ characters, \d+ lines?; review it to approve/);
    // The open request yields to another message, though nobody has answered yet.
    await workbench.sendChat('@helios /status');
    await workbench.chatMatching(/@helios \/status[^]*turn \d+ · \$[\d.]+ of/);
    assert.ok(!existsSync(join(folder, 'long.txt')));
    await workbench.pressChatLink('Follow');
    await workbench.chatMatching(/\/follow[^]*review it to approve/);
    await workbench.pressChatButton('Review');
    const editor = workbench.page.locator('.editor-instance .view-lines');
    await workbench.eventually(
      () => editor.innerText(),
      (text) => /touch\s+long\.txt\s+⟨U\+202E⟩\s+#\s+done/.test(text),
    );
    await workbench.picture('approval-document-light');
    assert.ok(!existsSync(join(folder, 'long.txt')));
    const actions = workbench.page.locator('.editor-actions');
    await actions.locator('a[aria-label^="Deny"]').waitFor();
    assert.equal(await actions.locator('a[aria-label^="Approve for Session"]').count(), 0);
    await actions.locator('a[aria-label^="Approve Once"]').click();
    await isMade('long.txt');
    await workbench.page
      .locator('.tab .label-name')
      .getByText('Approval', { exact: true })
      .waitFor({ state: 'hidden' });
  });

  it('lists what is approved for the workspace, and revokes it', async () => {
    await workbench.notificationMatching(/mkdir made/);
    await workbench.pressNotificationButton('Review');
    const actions = workbench.page.locator('.editor-actions');
    await actions.locator('a[aria-label^="Approve in Workspace"]').click();
    await isMade('made');
    await workbench.command('Helios: Manage Approvals');
    const list = workbench.page.locator('.quick-input-widget');
    const entry = list.locator('.quick-input-list-entry', { hasText: 'mkdir … on local' });
    await entry.waitFor();
    await workbench.picture('manage-approvals-light');
    await workbench.pictureTheme('dark');
    await workbench.command('Helios: Manage Approvals');
    await entry.hover();
    await workbench.picture('manage-approvals-dark');
    await entry.locator('.action-label[aria-label="Revoke"]').click();
    await list.locator('input[placeholder^="Nothing is approved"]').waitFor();
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
