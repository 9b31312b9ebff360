import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { shellText } from '../../../../src/base/shellText.ts';
import { launchedUpload, type CodeUpload } from '../../../../src/experiments/codeUpload.ts';

describe('the hashes of files on a machine', () => {
  let folder: string;
  let names: readonly string[];
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'helios-hashes-'));
    names = ['a.py', 'with blank.py', 'ä.py', 'empty.py'].map((name) => join(folder, name));
    for (const name of names) writeFileSync(name, name.endsWith('empty.py') ? '' : `# ${name}\n`);
    mkdirSync(join(folder, 'bin'));
    for (const tool of ['sha1sum', 'sha256sum', 'wc', 'cat', 'cut'])
      symlinkSync(`/usr/bin/${tool}`, join(folder, 'bin', tool));
  });
  after(() => rmSync(folder, { recursive: true }));

  const script = shellText(
    '../../../../src/experiments/git/hashFiles.sh' as './x.sh',
    import.meta.url,
  );
  const hashed = (length: number, PATH = process.env.PATH) => {
    const { stdout } = spawnSync('/bin/sh', ['-c', script, 'helios', String(length)], {
      input: [...names, join(folder, 'missing.py')].map((name) => `${name}\n`).join(''),
      encoding: 'utf8',
      env: { PATH },
      windowsHide: true,
    });
    const [found = '', hashes = ''] = stdout.split('\n\n');
    return [found.split('\n'), hashes.trim().split('\n')];
  };

  it('are those of git, also where there is no git', () => {
    const byGit = spawnSync('git', ['hash-object', '--no-filters', ...names], {
      cwd: '/',
      encoding: 'utf8',
      windowsHide: true,
    });
    const expected = [names, byGit.stdout.trim().split('\n')];
    assert.deepEqual(hashed(40), expected);
    assert.deepEqual(hashed(40, join(folder, 'bin')), expected);
    assert.equal(hashed(64, join(folder, 'bin'))[1]?.[0]?.length, 64);
  });
});

describe('the upload that a launch runs', () => {
  const upload = (to: string, source = '', more: Partial<CodeUpload> = {}): CodeUpload => ({
    machineId: 'gpu1',
    to,
    repo: '/r',
    commit: 'c',
    source,
    isFile: false,
    leftOut: [],
    ...more,
  });
  const chosen = (uploads: readonly CodeUpload[], folder: string, named: readonly string[] = []) =>
    launchedUpload(uploads, { folder, named }, posix);
  const [all, part, other] = [
    upload('/h/job'),
    upload('/h/job/src', 'src'),
    upload('/h/job', '', { repo: '/s' }),
  ];
  const file = upload('/h/x/a.py', 'a.py', { isFile: true });

  it('is the newest of the whole folder, not that of a part of it', () => {
    assert.equal(chosen([all, part], '/h/job'), all);
    assert.equal(chosen([all, part], '/h/job/src'), all);
    assert.equal(chosen([part], '/h/job/src/deep'), part);
    assert.equal(chosen([all, other, part], '/h/job/lib'), other);
  });

  it('is the one with a path of the command, or one below the folder, or none', () => {
    assert.equal(chosen([all, upload('/h/z')], '/h', ['/h/job/train.py']), all);
    assert.equal(chosen([file, upload('/q')], '/h'), file);
    assert.equal(chosen([all], '/elsewhere', ['/tmp/x.py']), undefined);
  });
});
