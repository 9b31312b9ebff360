import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { commands, extensions, window, type Terminal, type TerminalOptions } from 'vscode';

const file = join(process.env['HELIOS_HOME'] ?? '', 'machines.json');

describe('machines in the window', () => {
  it('opens machines.json in the editor, and makes it where there is none', async () => {
    await extensions.getExtension('helios.helios-research')?.activate();
    await commands.executeCommand('helios.editMachines');
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { version: 1, machines: [] });
    assert.equal(window.activeTextEditor?.document.uri.fsPath, file);
  });

  it('knows a machine as soon as the file has it, and opens a terminal there', async () => {
    const gpu1 = { id: 'gpu1', kind: 'ssh', host: '127.0.0.1', user: 'ada', port: 9 };
    await writeFile(file, JSON.stringify({ version: 1, machines: [gpu1] }));
    const terminal = await terminalOf('gpu1');
    const { shellPath, shellArgs } = terminal.creationOptions as TerminalOptions;
    assert.deepEqual([shellPath, shellArgs], ['ssh', ['-p', '9', '--', 'ada@127.0.0.1']]);
    terminal.dispose();
    await writeFile(file, JSON.stringify({ version: 1, machines: [] }));
  });
});

/** The command shows its error to the person, so it is the terminal that is waited for. */
async function terminalOf(id: string): Promise<Terminal> {
  const opened = Promise.withResolvers<Terminal>();
  const listening = window.onDidOpenTerminal((terminal) => terminal.name === id && opened.resolve(terminal));
  const endMs = Date.now() + 20_000;
  try {
    while (Date.now() < endMs) {
      await commands.executeCommand('helios.openMachineTerminal', id);
      const terminal = await Promise.race([opened.promise, delay(500)]);
      if (terminal !== undefined) return terminal;
    }
  } finally {
    listening.dispose();
  }
  throw new Error(`There is no terminal on ${id}.`);
}
