/** The path rules judge each path that a transfer would write, not only its root. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { remoteDownload } from '../../../src/tools/machines/remoteDownload.ts';
import { remoteUpload } from '../../../src/tools/machines/remoteUpload.ts';
import { answer, localOnly } from './machineTools.harness.ts';

const settings = [
  '.vscode/settings.json',
  '.vscode/tasks.json',
  'helios.json',
  'x.code-workspace',
  '.github/workflows/ci.yml',
  'deep/.envrc',
];
const denied = ['.bashrc', '.ssh/config', '.gitconfig'];
const repository = ['.git/config', '.git/hooks/pre-commit', 'deep/.git/config', '.GIT/config'];
const plain = ['metrics.csv', '.github/notes.md', '.env/bin/python', 'deep/a'];

describe('transfers and the path rules', () => {
  let folder = '';
  const work = (name: string): string => path.join(folder, 'work', name);
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-transfer-'));
    for (const name of [...settings, ...denied, ...repository, ...plain]) {
      const file = path.join(folder, 'out', name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, name);
    }
    await mkdir(work(''));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const machines = () => localOnly(work(''));
  const ways = {
    remote_download: () =>
      answer(remoteDownload({ machines: machines() }), {
        machine_id: 'local',
        remote_path: '../out',
        local_path: '.',
      }),
    remote_upload: () =>
      answer(remoteUpload({ machines: machines() }), {
        machine_id: 'local',
        local_path: path.join(folder, 'out'),
        remote_path: '.',
      }),
  };
  for (const [name, send] of Object.entries(ways))
    it(`${name} leaves out what no call may write and what needs an approval, and says so`, async () => {
      await rm(path.join(folder, 'out/.ssh'), { recursive: true });
      const result = await send();
      for (const file of [...settings, ...repository, '.bashrc', '.gitconfig'])
        assert.equal(existsSync(work(file)), false, file);
      for (const file of plain) assert.equal(readFileSync(work(file), 'utf8'), file);
      const told = (result['not_written'] as string[]).join('\n');
      assert.match(
        told,
        /^\.vscode: it is a file of settings of the editor: send it by its own path/m,
      );
      assert.match(told, /^\.bashrc: it is a shell profile, which no call may write/m);
      assert.match(told, /^\.GIT: /m);
      assert.deepEqual((result['left_out'] as string[]).includes('.git'), true);
    });

  const bare = ['HEAD', 'config', 'hooks/post-update', 'objects/pack/x', 'refs/heads/main'];
  const put = async (root: string, names: readonly string[]): Promise<void> => {
    for (const name of names) {
      await mkdir(path.dirname(path.join(root, name)), { recursive: true });
      await writeFile(path.join(root, name), name);
    }
  };
  const fetched = (remote: string, local: string) =>
    answer(remoteDownload({ machines: machines() }), {
      machine_id: 'local',
      remote_path: path.join(folder, remote),
      local_path: local,
    });

  it('leaves out a repository of any name, also one that only both sides together are', async () => {
    await put(path.join(folder, 'from/models/model.bare'), bare);
    await put(path.join(folder, 'from/worktree'), ['HEAD', 'commondir', 'config']);
    await put(path.join(folder, 'from/half'), ['HEAD', 'config', 'hooks/post-update']);
    await put(path.join(folder, 'from/logs'), ['HEAD', 'objects/x', 'metrics.csv']);
    await put(work('in/half'), ['objects/x', 'refs/y']);
    const result = await fetched('from', 'in');
    assert.deepEqual((result['left_out'] as string[]).toSorted(), [
      'half',
      'models/model.bare',
      'worktree',
    ]);
    assert.deepEqual((await readdir(work('in'))).toSorted(), ['half', 'logs', 'models']);
    assert.deepEqual((await readdir(work('in/half'))).toSorted(), ['objects', 'refs']);
    assert.deepEqual(await readdir(work('in/models')), []);
  });

  it('refuse a folder that is a repository, and one as destination', async () => {
    await put(path.join(folder, 'from'), bare);
    await put(path.join(folder, 'hooks'), ['hooks/post-update']);
    await put(work('theirs'), bare);
    for (const [remote, local] of [
      ['from', 'in'],
      ['hooks', 'theirs'],
    ] as const)
      await assert.rejects(fetched(remote, local), /is a Git repository, by its HEAD/);
    assert.equal(existsSync(work('in')), false);
    assert.equal(readFileSync(work('theirs/hooks/post-update'), 'utf8'), 'hooks/post-update');
  });

  it('writes below a folder whose change was approved', async () => {
    const from = { machine_id: 'local', remote_path: '../out/.vscode', local_path: '.vscode' };
    assert.deepEqual(
      (await answer(remoteDownload({ machines: machines() }), from))['files_sent'],
      2,
    );
    assert.deepEqual((await readdir(work('.vscode'))).toSorted(), ['settings.json', 'tasks.json']);
  });
});
