import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import {
  Location,
  Range,
  Uri,
  workspace,
  type ChatPromptReference,
  type WorkspaceFolder,
} from 'vscode';
import { readReferences } from '../../src/vscode/chat/chatReferences.ts';

const folder = (workspace.workspaceFolders?.[0] as WorkspaceFolder).uri;
const script = Uri.joinPath(folder, 'attached.py');
const whole = 'import torch\nlr = 0.1\nprint(lr)\n';
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const reference = (id: string, value: unknown): ChatPromptReference => ({ id, value }) as never;

describe('what is attached to a chat message', () => {
  before(() => workspace.fs.writeFile(script, Buffer.from(whole)));
  after(() => workspace.fs.delete(script));

  const read = async (id: string, value: unknown) => {
    const { attachments, unused } = await readReferences([reference(id, value)]);
    return { given: attachments[0] && { ...attachments[0] }, unused };
  };

  it('is read as files, folders, selections, texts and images', async () => {
    const file = await read('vscode.file', script);
    assert.equal(file.given?.name, 'attached.py');
    assert.equal(Buffer.from(file.given.bytes).toString('utf8'), whole);

    const selected = await read('vscode.selection', new Location(script, new Range(1, 0, 2, 0)));
    assert.equal(selected.given?.name, 'attached.py, lines 2-3');
    assert.equal(Buffer.from(selected.given.bytes).toString('utf8'), `${whole.split('\n')[1]}\n`);

    const place = await read('vscode.folder', folder);
    assert.ok(Buffer.from(place.given?.bytes ?? '').includes(folder.fsPath));

    const text = await read('vscode.problems', 'a problem');
    assert.deepEqual(
      [text.given?.name, Buffer.from(text.given?.bytes ?? '').toString('utf8')],
      ['problems', 'a problem'],
    );

    const image = { mimeType: 'image/png', data: () => Promise.resolve(png) };
    const picture = await read('vscode.image', image);
    assert.deepEqual([picture.given?.mediaType, picture.unused], ['image/png', []]);
  });

  it('is named if it cannot be read, and left out if VS Code added it', async () => {
    const { attachments, unused } = await readReferences([
      reference('vscode.implicit.viewport', script),
      reference('copilot.terminalLastCommand', { command: 'ls' }),
      reference('vscode.file', Uri.file(join(folder.fsPath, 'missing.py'))),
      reference('vscode.image', { mimeType: 'image/png', data: () => Promise.reject(new Error()) }),
    ]);
    assert.deepEqual(attachments, []);
    assert.deepEqual(unused, ['terminalLastCommand', 'missing.py', 'image']);
  });
});
