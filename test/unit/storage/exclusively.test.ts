import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import { approvalsAt } from '../../../src/compose/approvals.ts';
import { folderChoicesAt } from '../../../src/compose/folderChoices.ts';
import { exclusively } from '../../../src/storage/exclusively.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const source = (file: string): string => JSON.stringify(pathToFileURL(path.resolve('src', file)));
const changesEach = 25;

/** Approves hosts and chooses for folders, each in a change of its own. */
const script = `
  import { approvalsAt } from ${source('compose/approvals.ts')};
  import { folderChoicesAt } from ${source('compose/folderChoices.ts')};
  const [home, name] = process.argv.slice(1);
  for (let index = 0; index < ${changesEach}; index += 1) {
    const grant = { kind: 'host', host: name + index };
    await approvalsAt(home).add([{ scope: 'always', grant }]);
    await folderChoicesAt(home).choose('/' + name + index, { mode: 'ask' });
  }`;

describe('a file of the home that several processes change', function () {
  this.timeout(300_000);
  const folder = scratchFolder();

  it('keeps each change', async () => {
    const run = promisify(execFile);
    const change = (name: string): Promise<unknown> =>
      run(process.execPath, ['--input-type=module', '-e', script, folder(), name]);
    await Promise.all(['a', 'b', 'c'].map(change));
    assert.equal((await approvalsAt(folder()).list()).length, 3 * changesEach);
    for (const name of ['/a0', `/b${changesEach - 1}`, '/c7'])
      assert.deepEqual(folderChoicesAt(folder()).read(name), { choice: { mode: 'ask' } });
    assert.ok(!existsSync(`${homeAt(folder()).approvalsFile}.lock`));
  });

  it('is not kept by a process that died', async () => {
    const file = path.join(folder(), 'a', 'x.json');
    await mkdir(path.dirname(file), { recursive: true });
    const owner = { token: 'gone', pid: 2 ** 22 + 1, processStart: '1', host: hostname() };
    await writeFile(`${file}.lock`, JSON.stringify(owner));
    assert.equal(await exclusively(file, () => Promise.resolve('changed')), 'changed');
    assert.ok(!existsSync(`${file}.lock`));
  });
});
