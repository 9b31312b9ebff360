/** The programs that env_snapshot starts. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { commandNotes, type Access } from '../../../src/permissions/access.ts';
import { envSnapshot } from '../../../src/tools/runs/envSnapshot.ts';
import { GitRepo } from '../../fakes/gitRepo.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { trappedRepo } from '../../fakes/trappedRepo.ts';
import { answer, localOnly, toolContext } from './machineTools.harness.ts';

const gitPath = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

describe('programs of env_snapshot', () => {
  const scratch = scratchFolder();
  const diffs: (string | undefined)[] = [];
  const toolIn = (folder: string) =>
    envSnapshot({
      machines: localOnly(folder),
      before: () => Promise.resolve(undefined),
      keep({ diff }) {
        diffs.push(diff && Buffer.from(diff).toString());
        return Promise.resolve({ id: 'env1', memoryPath: '/snapshots/env', file: 'env1.json' });
      },
    });
  /** Writes an interpreter that leaves a mark when it is started. */
  const interpreter = (file: string): string => {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n: >'${file}.started'\necho "3.12.3 $0"\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const isStarted = (file: string): boolean => existsSync(`${file}.started`);
  const asked = async (folder: string, input: object = {}) => {
    const tool = toolIn(folder);
    const parsed = tool.parse(input);
    assert.ok(parsed.ok);
    const accesses = await tool.accesses(parsed.args);
    const execute = (approved: readonly Access[] = accesses) =>
      tool.execute(parsed.args, { ...toolContext(), accesses: approved });
    return { note: commandNotes(accesses), title: tool.describe(input, accesses), execute };
  };

  it('are named before they start, with their real paths and origin', async () => {
    const outside = interpreter(join(scratch(), 'bin/python3.12'));
    const repo = join(scratch(), 'repo');
    const linked = join(repo, '.venv/bin/python');
    mkdirSync(join(linked, '..'), { recursive: true });
    symlinkSync(outside, linked);
    const git = `Runs ${gitPath}.`;
    const own = await asked(repo);
    assert.equal(own.note, `Runs ${linked} (${outside}), which comes from the repository. ${git}`);
    assert.equal(
      own.title,
      `Recorded the environment of local with ${linked} (${outside}), which comes from the repository and ${gitPath}`,
    );
    assert.equal((await asked(repo, { python: outside })).note, `Runs ${outside}. ${git}`);
    assert.equal((await asked(repo, { python: '.venv/bin/python' })).note, own.note);
    const venv = { venv_path: join(scratch(), 'bin/..') };
    interpreter(join(scratch(), 'bin/python'));
    assert.equal((await asked(repo, venv)).note, `Runs ${join(scratch(), 'bin/python')}. ${git}`);
    const sub = await asked(scratch(), { repo_path: 'repo' });
    assert.equal(sub.note, own.note);
    const shortcut = join(scratch(), 'shortcut');
    symlinkSync(join(repo, '.venv'), shortcut);
    const { note } = await asked(repo, { venv_path: shortcut });
    assert.match(note, /shortcut\/bin\/python .*which comes from the repository/);
  });

  it('are those that were approved, and no others', async () => {
    const repo = join(scratch(), 'repo');
    const approved = interpreter(join(repo, '.venv/bin/python'));
    const other = interpreter(join(scratch(), 'other'));
    const call = await asked(repo);
    rmSync(approved);
    symlinkSync(other, approved);
    await assert.rejects(call.execute(), /\/other\), which comes from .* Call env_snapshot again/);
    await assert.rejects(call.execute([]), /the approval did not name these programs/);
    assert.ok(!isStarted(approved) && !isStarted(other));
    await (await asked(repo)).execute();
    assert.ok(isStarted(other));
  });

  it('import no module of the repository', async () => {
    const repo = GitRepo.create(join(scratch(), 'repo'));
    const mark = join(scratch(), 'imported');
    for (const name of ['pip', 'csv', 'email', 'zipfile', 'json', 'sys'])
      repo.write({
        [`${name}/__init__.py`]: `open(${JSON.stringify(mark)}, 'a').write(__name__)\n`,
      });
    const { python } = await answer(toolIn(repo.folder), {});
    assert.match(String(python), /^3\./);
    assert.equal(existsSync(mark) && readFileSync(mark, 'utf8'), false);
  });

  it('are none that the settings of the repository name', async () => {
    const { repo, clean, started } = trappedRepo(scratch());
    const { git } = await answer(toolIn(repo.folder), {});
    assert.deepEqual(started(), []);
    const expected = await answer(toolIn(clean.folder), {});
    const facts = (state: unknown) => ({ ...(state as object), remotes: [] });
    assert.deepEqual(facts(git), facts(expected.git));
    const [diff, cleanDiff] = diffs.slice(-2);
    assert.match(diff ?? '', /^\+train\.py {2}changed$/m);
    assert.equal(diff, cleanDiff);
  });
});
