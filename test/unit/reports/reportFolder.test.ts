import assert from 'node:assert/strict';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { ReportFolder } from '../../../src/reports/reportFolder.ts';
import { StorageFailure } from '../../../src/storage/storageFailure.ts';

const session = {
  id: 's-0mi7abcde123456',
  goal: 'Bring loss < 1.0 ../../etc',
  startedMs: new Date(2026, 10, 20, 22).getTime(),
};

describe('the folder of a report', () => {
  let workFolder: string;
  beforeEach(async () => (workFolder = await mkdtemp(path.join(tmpdir(), 'helios-report-'))));
  afterEach(() => rm(workFolder, { recursive: true, force: true }));

  const folderIn = (folder = 'helios-reports', root = workFolder): ReportFolder =>
    new ReportFolder({ workFolder, reports: { root, folder }, session });
  const textOf = (name: string): Promise<string> =>
    readFile(path.join(folderIn().folder, name), 'utf8');

  it('is known by the day, the goal and the session', () => {
    const folder = path.join(workFolder, 'helios-reports/2026-11-20-bring-loss-1-0-etc-123456');
    assert.equal(folderIn().folder, folder);
    assert.equal(
      folderIn('x', '/project').folder,
      path.resolve('/project/x/2026-11-20-bring-loss-1-0-etc-123456'),
    );
  });

  it('cuts a long goal between two words, and a long word somewhere', () => {
    const nameFor = (goal: string): string => {
      const reports = { root: workFolder, folder: 'helios-reports' };
      const place = { workFolder, reports, session: { ...session, goal } };
      return path.basename(new ReportFolder(place).folder).slice(11, -7);
    };
    assert.equal(
      nameFor('Halve the test rmse of forecast.py against what it reaches now'),
      'halve-the-test-rmse-of-forecast-py',
    );
    assert.equal(nameFor('x'.repeat(60)), 'x'.repeat(40));
  });

  it('replaces what we wrote, and says what it wrote', async () => {
    assert.equal(await folderIn().write('brief.md', 'one\n'), 'brief.md');
    assert.equal(await folderIn().write('brief.md', 'two\n'), 'brief.md');
    assert.match(
      await textOf('brief.md'),
      /^two\n\n<!-- Written by Helios \([0-9a-f]{16}\): .*brief\.md.* -->\n$/,
    );
    assert.equal(await folderIn().find('brief.md'), path.join(folderIn().folder, 'brief.md'));
  });

  it('never touches what a user changed: the new one goes beside it, and is then kept up', async () => {
    await folderIn().write('brief.md', 'one\n');
    const file = path.join(folderIn().folder, 'brief.md');
    await writeFile(file, (await readFile(file, 'utf8')).replace('one', 'mine'));
    const mine = await readFile(file, 'utf8');
    assert.equal(await folderIn().write('brief.md', 'two\n'), 'brief-2.md');
    assert.equal(await folderIn().write('brief.md', 'three\n'), 'brief-2.md');
    assert.equal(await readFile(file, 'utf8'), mine);
    assert.match(await textOf('brief-2.md'), /^three/);
    assert.equal(await folderIn().find('brief.md'), path.join(folderIn().folder, 'brief-2.md'));
  });

  it('takes for changed what has lost its last line, and what was never ours', async () => {
    await mkdir(folderIn().folder, { recursive: true });
    for (const text of [
      '',
      'my own brief\n',
      'x\n<!-- Written by Helios (0000000000000000): -->\n',
    ]) {
      await writeFile(path.join(folderIn().folder, 'brief.md'), text);
      assert.equal(await folderIn().write('brief.md', 'one\n'), 'brief-2.md');
      assert.equal(await textOf('brief.md'), text);
    }
  });

  it('knows its own text after a checkout with other line ends', async () => {
    await folderIn().write('brief.md', 'one\ntwo\n');
    const file = path.join(folderIn().folder, 'brief.md');
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('\n', '\r\n'));
    assert.equal(await folderIn().write('brief.md', 'three\n'), 'brief.md');
  });

  it('signs pictures so that they stay pictures', async () => {
    assert.equal(
      await folderIn().write('charts/loss.svg', '<svg xmlns="x"/>\n'),
      'charts/loss.svg',
    );
    assert.match(await textOf('charts/loss.svg'), /^<svg xmlns="x"\/>\n\n<!-- Written by Helios/);
    assert.doesNotMatch(
      await textOf('charts/loss.svg'),
      /<!--.*--.*-->/,
      'a comment of XML has no two hyphens in it',
    );
  });

  it('does not leave the project through a link of the repository', async () => {
    const outside = await mkdtemp(path.join(tmpdir(), 'helios-outside-'));
    await symlink(outside, path.join(workFolder, 'helios-reports'), 'junction');
    await mkdir(path.join(workFolder, 'experiments'));
    await symlink(outside, path.join(workFolder, 'experiments/night'), 'junction');
    const advice = /experimentDir in helios\.json/;
    for (const folder of [folderIn(), folderIn('experiments/night')])
      for (const name of ['brief.md', 'charts/loss.svg'])
        await assert.rejects(folder.write(name, 'x'), (error) => {
          assert.ok(error instanceof UserFacing);
          assert.match(error.message, /leads through a link out of .*, to .*helios-outside-/);
          assert.match(error.action ?? '', advice);
          return true;
        });
    await mkdir(folderIn('plain').folder, { recursive: true });
    await symlink(outside, path.join(folderIn('plain').folder, 'charts'), 'junction');
    await assert.rejects(folderIn('plain').write('charts/loss.svg', 'x'), UserFacing);
    assert.deepEqual(await readdir(outside), []);
    await rm(outside, { recursive: true });
  });

  it('follows links inside the project, and to the project', async () => {
    const link = path.join(workFolder, 'link');
    const [project, data] = ['project', 'project/data'].map((each) => path.join(workFolder, each));
    assert.ok(project && data);
    await mkdir(data, { recursive: true });
    await symlink(project, link, 'junction');
    await symlink(data, path.join(project, 'experiments'), 'junction');
    assert.equal(await folderIn('experiments', link).write('brief.md', 'x'), 'brief.md');
    const [name = ''] = await readdir(path.join(workFolder, 'project/data'));
    assert.deepEqual(await readdir(path.join(workFolder, 'project/data', name)), ['brief.md']);
  });

  it('does not bring back a work folder that is gone', async () => {
    await rm(workFolder, { recursive: true });
    await assert.rejects(folderIn().write('brief.md', 'x'), (error) => {
      assert.ok(error instanceof UserFacing);
      assert.match(error.message, /work folder of the session is missing/);
      assert.match(error.action ?? '', /without --write to print the report/);
      return true;
    });
    await assert.rejects(readFile(workFolder), { code: 'ENOENT' });
  });

  it('says that the disk is full, and leaves what was there', async () => {
    await folderIn().write('brief.md', 'one');
    const before = await textOf('brief.md');
    const handle = await open(process.execPath, 'r');
    const shared = Object.getPrototypeOf(handle) as { writeFile: FileHandle['writeFile'] };
    await handle.close();
    const { writeFile: write } = shared;
    shared.writeFile = () => Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }));
    const writing = folderIn().write('brief.md', 'two');
    await assert.rejects(writing, { reason: 'no_space' }).finally(() => (shared.writeFile = write));
    assert.equal(await textOf('brief.md'), before);
    assert.deepEqual(
      await readdir(folderIn().folder),
      ['brief.md'],
      'nothing half written is left',
    );
  });

  it('says that no folder can be made there', async () => {
    await writeFile(path.join(workFolder, 'blocked'), '');
    await assert.rejects(
      folderIn('blocked').write('brief.md', 'x'),
      (error) => error instanceof StorageFailure,
    );
  });

  it('finds nothing where nothing was written', async () => {
    assert.equal(await folderIn().find('brief.md'), undefined);
  });
});
