import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { WireAnswer, WireServer } from '../fakes/wire.ts';
import { startWireAnthropic } from '../fakes/wireAnthropic.ts';
import { startVsCode, type VsCode } from '../setup/codeServer.ts';
import { packagePath } from '../setup/paths.ts';
import { Workbench } from './workbench.ts';

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
  let folder: string;
  let server: WireServer;
  let vscode: VsCode;
  let workbench: Workbench;
  let requests = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workspace-'));
    server = await startWireAnthropic(() => answers[requests++] ?? answers.at(-1)!);
    vscode = await startVsCode({
      folder,
      extensionVsix: packagePath,
      settings: { 'helios.permissions.mode': 'allow' },
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'test-key' },
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
