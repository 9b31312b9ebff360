import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';

describe('helios share', () => {
  const folder = scratchFolder();

  async function helios(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly deps: FakeDeps }> {
    const blocked = { outcome: 'blocked', summary: 'no data' };
    const model = new ScriptedModel([[{ name: 'finish', input: blocked }]]);
    const deps = fakeDeps({ folder: folder(), model });
    return { code: await runCli([...words, '--home', path.join(folder(), 'home')], deps), deps };
  }

  it('writes the newest session as one file, and never over another', async () => {
    await helios('bring loss < 0.7', '--provider', 'demo', '--yes');
    const { code, deps } = await helios('share');
    assert.equal(code, 0, deps.stderr.text);
    const [, file = ''] = /^Wrote (.+)$/m.exec(deps.stdout.text) ?? [];
    assert.match(path.basename(file), /^helios-bring-loss-0-7-[a-z\d]{6}\.html$/);
    assert.equal(path.dirname(file), folder());
    assert.match(
      await readFile(file, 'utf8'),
      /^<!doctype html>[^]*<h1>bring loss &lt; 0\.7<\/h1>/,
    );
    const { code: again, deps: second } = await helios('share', '1');
    assert.equal(again, 1);
    assert.match(second.stderr.text, /already exists/);
  });

  it('writes where it is told, and leaves nothing of a refused file', async () => {
    await helios('bring loss < 0.7', '--provider', 'demo', '--yes');
    const { code, deps } = await helios('share', '1', '-o', 'night.html');
    assert.equal(code, 0, deps.stderr.text);
    assert.ok((await readdir(folder())).includes('night.html'));
    await writeFile(path.join(folder(), 'mine.html'), 'mine');
    assert.equal((await helios('share', '-o', 'mine.html')).code, 1);
    assert.equal(await readFile(path.join(folder(), 'mine.html'), 'utf8'), 'mine');
    assert.deepEqual(
      (await readdir(folder())).filter((name) => name.endsWith('.tmp')),
      [],
    );
  });

  it('says that there is no session', async () => {
    const { code, deps } = await helios('share');
    assert.equal(code, 1);
    assert.match(deps.stderr.text, /There is no session yet/);
  });
});
