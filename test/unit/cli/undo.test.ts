import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';

describe('helios undo', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-cli-'));
    await writeFile(path.join(folder, 'a.py'), 'one\n');
    await writeFile(path.join(folder, 'b.py'), 'two\n');
    await helios('edit', '--provider', 'demo', '--yes');
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  async function helios(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly deps: FakeDeps }> {
    const write = (name: string) => ({ name: 'write_file', input: { path: name, content: 'x\n' } });
    const model = new ScriptedModel([
      [write('a.py'), write('b.py')],
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'done' } }],
    ]);
    const deps = fakeDeps({ folder, model });
    return { code: await runCli([...words, '--home', path.join(folder, 'home')], deps), deps };
  }
  const text = (name: string): Promise<string> => readFile(path.join(folder, name), 'utf8');

  it('lists the edits with the files that hold the content before and after', async () => {
    const { deps } = await helios('undo', '1', '--list');
    const [first, before = '', after = ''] = deps.stdout.text
      .split('\n')
      .map((line) => line.replace(/^ {2}\w+: +/, ''));
    assert.equal(first, 'a.py: changed');
    assert.deepEqual(
      [await readFile(before, 'utf8'), await readFile(after, 'utf8')],
      ['one\n', 'x\n'],
    );
  });

  it('undoes one file, then the others, but not what the user changed since', async () => {
    const one = await helios('undo', '1', 'b.py');
    assert.equal(one.code, 0, one.deps.stderr.text);
    assert.match(
      one.deps.stdout.text,
      /^Edits of 1 file undone: b\.py\.\nb\.py: the content of \d{4}-[-\d]+ [\d:]+, before the session's first edit\.\n$/,
    );
    assert.deepEqual([await text('a.py'), await text('b.py')], ['x\n', 'two\n']);
    await writeFile(path.join(folder, 'a.py'), 'mine\n');
    const rest = await helios('undo', '1');
    assert.equal(rest.code, 1);
    assert.equal(
      rest.deps.stdout.text,
      'No edit was undone.\na.py was changed later, so it is left unchanged.\n',
    );
    assert.equal(await text('a.py'), 'mine\n');
  });

  it('refuses a file without edits, and names those that have some', async () => {
    const { code, deps } = await helios('undo', '1', 'c.py');
    assert.notEqual(code, 0);
    assert.match(deps.stderr.text, /no edit of .*c\.py to undo.*\n?.*a\.py, .*b\.py/);
  });

  it('names the edited files in the brief', async () => {
    const { deps } = await helios('report');
    assert.match(deps.stdout.text, /## Edited files\n- a\.py\n- b\.py\n\n.*helios undo /);
  });
});
