import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { after, describe, it } from 'mocha';
import {
  commands,
  extensions,
  Uri,
  window,
  workspace,
  type CompletionList,
  type Terminal,
  type TerminalOptions,
} from 'vscode';

const file = join(process.env['HELIOS_HOME'] ?? '', 'machines.json');

describe('machines in the window', () => {
  /** What follows has one machine to choose from, whatever happened here. */
  after(() => writeFile(file, JSON.stringify({ version: 1, machines: [] })));

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
    await commands.executeCommand('helios.openMachineTerminal', 'gpu1');
    assert.equal(
      window.terminals.filter(({ name }) => name === 'gpu1').length,
      1,
      'the one that is there is shown',
    );
    terminal.dispose();
  });

  it('opens a terminal on the login host of a cluster, and one here for a cluster of this computer', async () => {
    const cluster = { id: 'cluster', kind: 'slurm', alias: 'login', partition: 'gpu' };
    await writeFile(
      file,
      JSON.stringify({ version: 1, machines: [cluster, { id: 'own', kind: 'slurm' }] }),
    );
    for (const [id, shellPath, shellArgs] of [
      ['cluster', 'ssh', ['--', 'login']],
      ['own', undefined, undefined],
    ] as const) {
      const terminal = await terminalOf(id);
      const options = terminal.creationOptions as TerminalOptions;
      assert.deepEqual([options.shellPath, options.shellArgs], [shellPath, shellArgs]);
      terminal.dispose();
    }
  });

  it('opens machines.json at the machine that is meant', async () => {
    const machines = ['gpu1', 'gpu2'].map((id) => ({ id, kind: 'ssh', host: id }));
    await writeFile(file, JSON.stringify({ version: 1, machines }, null, 2));
    // An editor that has the file open learns of the change a moment later.
    const shown = await eventually(async () => {
      await commands.executeCommand('helios.editMachines', 'gpu2');
      const { selection, document } = window.activeTextEditor ?? {};
      const below = document?.getText().split('\n').slice(selection?.start.line).join('') ?? '';
      return /"id": "gpu2"/.test(below) ? below : undefined;
    });
    assert.match(shown, /^ *\{ *"id": "gpu2"/);
  });

  it('offers in machines.json what its schema says', async () => {
    const text = '{ "version": 1, "machines": [ { "id": "a", "kind": "slurm", "" } ] }';
    await writeFile(file, text);
    const uri = Uri.file(file);
    const document = await workspace.openTextDocument(uri);
    // An editor that has the file open learns of the change a moment later.
    await eventually(() => Promise.resolve(document.getText() === text || undefined));
    const position = document.positionAt(text.indexOf('""') + 1);
    const offered = await eventually(async () => {
      const list = await commands.executeCommand<CompletionList>(
        'vscode.executeCompletionItemProvider',
        uri,
        position,
      );
      const labels = list.items.map(({ label }) =>
        typeof label === 'string' ? label : label.label,
      );
      return labels.includes('partition') ? labels : undefined;
    });
    assert.ok(offered.includes('prologue') && !offered.includes('image'), offered.join());
  });
});

/** The language server of JSON needs its time. */
async function eventually<T>(refresh: () => Promise<T | undefined>): Promise<T> {
  const endMs = Date.now() + 40_000;
  for (;;) {
    const found = await refresh();
    if (found !== undefined) return found;
    if (Date.now() > endMs) throw new Error('It was not seen in time.');
    await delay(200);
  }
}

/** The command shows its error to the user, so it is the terminal that is waited for. */
async function terminalOf(id: string): Promise<Terminal> {
  const opened = Promise.withResolvers<Terminal>();
  const listening = window.onDidOpenTerminal(
    (terminal) => terminal.name === id && opened.resolve(terminal),
  );
  const endMs = Date.now() + 40_000;
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
