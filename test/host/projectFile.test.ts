import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, it } from 'mocha';
import { commands, window, workspace } from 'vscode';

const home = process.env['HELIOS_HOME'] ?? '';
const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
const file = join(folder, 'helios.json');
const allowed = (): Promise<readonly string[]> => readdir(join(home, 'allowed')).catch(() => []);

async function until(what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 40_000;
  while (!(await isTrue())) {
    if (performance.now() > endMs) assert.fail(`Not seen within 40 s: ${what}`);
    await delay(100);
  }
}

const shownText = (): string => window.activeTextEditor?.document.getText() ?? '';

describe('Allow Project File', () => {
  afterEach(async () => {
    await rm(file, { force: true });
    await commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('shows what the file would send or run, and allows it on a click, not before', async () => {
    const command = 'echo of the repository';
    const notifications = { channels: [{ type: 'command', command }] };
    await writeFile(file, JSON.stringify({ notifications }), { mode: 0o644 });
    const done = commands.executeCommand('helios.allowProjectFile');
    await until('the content', () => shownText().includes(`runs at each notification: ${command}`));
    assert.match(shownText(), /^Not allowed:$/m);
    assert.deepEqual(await allowed(), []);
    await until('the answer', async () => {
      await commands.executeCommand('notification.acceptPrimaryAction');
      return (await allowed()).length === 1;
    });
    await done;
  });

  it('only shows a file that sends and runs nothing', async () => {
    const before = await allowed();
    await writeFile(file, JSON.stringify({ instructions: 'Use bf16.' }), { mode: 0o644 });
    await commands.executeCommand('helios.allowProjectFile');
    await until('the content', () => shownText().includes('Nothing in it needs to be allowed.'));
    assert.deepEqual(await allowed(), before);
  });
});
