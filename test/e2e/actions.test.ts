import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { WireAnswer } from '../fakes/wire.ts';
import { openWindow, type TestWindow } from './window.ts';
import { pictureThemes, type Workbench } from './workbench.ts';

const call = (name: string, input: Readonly<Record<string, unknown>>): WireAnswer => ({
  text: '',
  toolCalls: [{ name, input }],
});
const answers: readonly WireAnswer[] = [
  call('remote_exec', { command: 'touch first.txt; echo \u202edone' }),
  call('remote_exec', { command: 'rm -rf /' }),
  call('write_file', { path: 'made.py', content: 'lr = 1\n' }),
  call('finish', { outcome: 'blocked', summary: 'Enough.' }),
];

/**
 * Opens a link in the editor. VS Code draws a link anew, under another class, when the pointer comes
 * to it with the key pressed; a click on the link from before would wait for it in vain.
 */
async function openEditorLink(workbench: Workbench, text: string): Promise<void> {
  const { page } = workbench;
  const link = page
    .locator('.editor-instance')
    .locator('.detected-link, .detected-link-active')
    .filter({ hasText: text })
    .first();
  await page.keyboard.down('ControlOrMeta');
  await workbench.eventually(
    async () => {
      await link.hover();
      return link.getAttribute('class');
    },
    (name) => name?.includes('detected-link-active') ?? false,
  );
  await page.mouse.down();
  await page.mouse.up();
  await page.keyboard.up('ControlOrMeta');
}

describe('what a session did', () => {
  let folder: string;
  let workbench: Workbench;
  let opened: TestWindow | undefined;
  let requests = 0;

  before(async () => {
    opened = await openWindow(() => answers[requests++] ?? answers.at(-1)!, {
      settings: { 'helios.permissions.mode': 'allow' },
    });
    ({ folder, workbench } = opened);
    await workbench.openContainer('Helios');
  });

  after(() => opened?.close());

  it('is listed in a document, with the decisions, and opens the files', async () => {
    await workbench.sendChat('@helios bring loss < 0.1');
    const chat = await workbench.chatMatching(/Enough\./);
    assert.match(chat, /Ran touch first\.txt; echo ⟨U\+202E⟩done/);
    assert.match(chat, /Wrote made\.py · 1 line\s+made\.py\s+Open Changes/);
    assert.equal(chat.match(/Not allowed/g)?.length, 1, chat);
    assert.equal(await workbench.page.locator('.interactive-session .katex').count(), 0);
    await workbench.picture('edits-chat-light');
    await workbench.command('Helios: Show What It Did');
    const lines = workbench.page.locator('.editor-instance .view-lines').first();
    const text = await workbench.eventually(
      () => lines.innerText(),
      (shown) => /Commands\s\(1\)[^]*Files\s\(1\)[^]*Refused\s\(1\)/.test(shown),
    );
    assert.match(text, /touch\sfirst\.txt;\secho\s⟨U\+202E⟩done/);
    await workbench.picture('what-it-did-light');
    await openEditorLink(workbench, 'made.py');
    await workbench.page.locator('.tab', { hasText: 'made.py (Before ↔ Now)' }).waitFor();
    assert.deepEqual(workbench.consoleErrors(), []);
  });

  it('is undone where the user selects its files', async () => {
    const made = join(folder, 'made.py');
    await workbench.eventually(() => Promise.resolve(existsSync(made)), Boolean);
    const list = workbench.page.locator('.quick-input-widget');
    for (const theme of pictureThemes) {
      await workbench.pictureTheme(theme);
      await workbench.command('Helios: Undo Edits of Session…');
      await list.locator('.quick-input-list-entry', { hasText: 'made.py' }).waitFor();
      await workbench.picture(`undo-edits-${theme}`);
    }
    await list.getByText('OK', { exact: true }).click();
    await workbench.notificationMatching(/made\.py/);
    await workbench.picture('edits-undone-dark');
    assert.ok(!existsSync(made));
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
