import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { WireAnswer } from '../fakes/wire.ts';
import { openWindow, type TestWindow } from './window.ts';
import type { Workbench } from './workbench.ts';

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

describe('what a session did', () => {
  let workbench: Workbench;
  let opened: TestWindow | undefined;
  let requests = 0;

  before(async () => {
    opened = await openWindow(() => answers[requests++] ?? answers.at(-1)!, {
      settings: { 'helios.permissions.mode': 'allow' },
    });
    ({ workbench } = opened);
    await workbench.openContainer('Helios');
  });

  after(() => opened?.close());

  it('is listed in a document, with the decisions, and opens the files', async () => {
    await workbench.sendChat('@helios bring loss < 0.1');
    await workbench.chatMatching(/Enough\./);
    await workbench.command('Helios: Show What It Did');
    const lines = workbench.page.locator('.editor-instance .view-lines').first();
    const text = await workbench.eventually(
      () => lines.innerText(),
      (shown) => /Commands\s\(1\)[^]*Files\s\(1\)[^]*Refused\s\(1\)/.test(shown),
    );
    assert.match(text, /touch\sfirst\.txt;\secho\s⟨U\+202E⟩done/);
    await workbench.screenshot('what-it-did-light');
    await workbench.page
      .locator('.detected-link')
      .first()
      .click({ modifiers: ['ControlOrMeta'] });
    await workbench.page.locator('.tab', { hasText: 'made.py (Before ↔ Now)' }).waitFor();
    assert.deepEqual(workbench.consoleErrors(), []);
  });
});
