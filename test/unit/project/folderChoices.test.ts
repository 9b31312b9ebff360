import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { folderChoicesAt } from '../../../src/compose/folderChoices.ts';
import type { FolderChoices } from '../../../src/project/folderChoices.ts';
import { assertMode } from '../../fakes/modes.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('choices of the user for folders', () => {
  const folder = scratchFolder();
  let choices: FolderChoices;
  let work: string;
  let file: string;
  beforeEach(() => {
    choices = folderChoicesAt(path.join(folder(), 'home'));
    file = path.join(folder(), 'home/folders.json');
    work = path.join(folder(), 'work');
    mkdirSync(work);
  });

  it('knows no choice before the first, and tells apart that the user was asked', async () => {
    assert.deepEqual(choices.read(work), {});
    await choices.choose(work, {});
    assert.deepEqual(choices.read(work), { choice: {} });
  });

  it('finds a choice by every path of the folder, in a file that others cannot read', async () => {
    const link = path.join(folder(), 'link');
    symlinkSync(work, link, 'junction');
    await choices.choose(link, { mode: 'mandate', keepRunning: true });
    assert.deepEqual(choices.read(work), { choice: { mode: 'mandate', keepRunning: true } });
    assert.deepEqual(choices.read(link), choices.read(work));
    assertMode(file, 0o600);
  });

  it('keeps the choices for other folders, two at the same time, and fields of newer versions', async () => {
    mkdirSync(path.join(folder(), 'home'));
    const foreign = { version: 1, later: 2, folders: { '/x': { mode: 'allow', later: true } } };
    writeFileSync(file, JSON.stringify(foreign));
    await Promise.all([
      choices.choose(work, { mode: 'ask' }),
      choices.choose(folder(), { mode: 'allow' }),
    ]);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      ...foreign,
      folders: { ...foreign.folders, [work]: { mode: 'ask' }, [folder()]: { mode: 'allow' } },
    });
  });

  for (const [what, text, why] of [
    ['is no JSON', '{"version": 1,', /JSON/],
    ['has an unknown mode', '{"version":1,"folders":{"/x":{"mode":"all"}}}', /folders\.\/x\.mode/],
    ['has another version', '{"version":2,"folders":{}}', /version/],
  ] as const)
    it(`says what is wrong with a file that ${what}, and never overwrites it`, async () => {
      mkdirSync(path.join(folder(), 'home'));
      writeFileSync(file, text);
      const { choice, problem = '' } = choices.read(work);
      assert.equal(choice, undefined);
      assert.match(problem, why);
      assert.match(problem, /folders\.json cannot be read/);
      await assert.rejects(choices.choose(work, { mode: 'allow' }), /cannot be read/);
      assert.equal(readFileSync(file, 'utf8'), text);
    });
});
