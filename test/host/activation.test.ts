import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { commands, extensions, type Extension } from 'vscode';

interface Manifest {
  readonly contributes?: { readonly commands?: readonly { readonly command: string }[] };
}

describe('activation', () => {
  it('activates in a real extension host', async () => {
    const extension = helios();
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it('registers every command that the manifest contributes', async () => {
    const extension = helios();
    await extension.activate();
    const manifest = JSON.parse(
      await readFile(join(extension.extensionPath, 'package.json'), 'utf8'),
    ) as Manifest;
    const contributed = (manifest.contributes?.commands ?? []).map(({ command }) => command);
    const registered = new Set(await commands.getCommands(true));
    assert.deepEqual(
      contributed.filter((command) => !registered.has(command)),
      [],
    );
  });
});

function helios(): Extension<unknown> {
  const extension = extensions.getExtension('helios.helios-research');
  assert.ok(extension, 'VS Code does not list the extension');
  return extension;
}
