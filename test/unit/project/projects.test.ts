import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { otherOwner } from '../../../src/project/fileOwners.ts';
import { Projects } from '../../../src/project/projects.ts';
import { reviewText } from '../../../src/project/reviewText.ts';
import { writeFileAtomic } from '../../../src/storage/atomicFile.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';

const stranger = 12_345;
const isRoot = process.getuid?.() === 0;

describe('what counts of a project file', () => {
  const folder = scratchFolder();
  let projects: Projects;
  let work: string;
  beforeEach(() => {
    projects = new Projects({ folder: path.join(folder(), 'allowed'), write: writeFileAtomic });
    work = path.join(folder(), 'work');
    mkdirSync(work, { mode: 0o755 });
  });
  const put = (value: unknown, place = work): string => {
    const file = path.join(place, 'helios.json');
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o644 });
    return file;
  };
  const allow = async (): Promise<void> => {
    const review = await projects.review(work);
    assert.ok(review);
    await projects.allow(review);
  };

  const whole = {
    provider: 'claude',
    model: 'opus',
    defaultMachine: 'gpu1',
    metricNames: ['loss'],
    metricPatterns: { loss: 'loss (.+)' },
    instructions: 'Use bf16.',
    experimentDir: 'experiments',
    notifications: { channels: [{ type: 'desktop' }], events: ['error'] },
    quietHours: { from: '22:00', to: '07:00' },
    budget: { turns: 5 },
    watchdogs: { silence: { action: 'warn', minutes: 5 } },
    plateau: { experiments: 8 },
    permissions: { mode: 'ask' },
  };
  const sending = ['provider', 'model', 'defaultMachine', 'notifications'];
  const only = (names: readonly string[], not = false): object =>
    Object.fromEntries(Object.entries(whole).filter(([name]) => names.includes(name) !== not));

  it('is at once what sends and runs nothing', async () => {
    const file = put(whole);
    const {
      file: _,
      folder: of,
      warnings,
      leftOut,
      ...counted
    } = (await projects.read(work)) ?? {};
    assert.deepEqual(counted, only(sending, true));
    assert.deepEqual([of, warnings], [work, []]);
    assert.deepEqual(leftOut, { file, parts: sending });
  });

  it('is all of it once it is allowed', async () => {
    put(whole);
    await allow();
    const {
      file: _,
      folder: _of,
      warnings: _warnings,
      allowance,
      ...counted
    } = (await projects.read(work)) ?? {};
    assert.deepEqual(counted, whole);
    assert.match(allowance ?? '', /^[0-9a-f]{64}$/);
  });

  it('needs no allowance for events and hours of the channels of the user', async () => {
    put({ notifications: { channels: [], events: ['error'] } });
    const read = await projects.read(work);
    assert.deepEqual(read?.notifications, { channels: [], events: ['error'] });
    assert.equal(read.leftOut, undefined);
  });

  it('stays allowed while only harmless parts change, and not in another file', async () => {
    put({ provider: 'claude', instructions: 'one' });
    await allow();
    put({ provider: 'claude', instructions: 'two', metricNames: ['acc'] });
    assert.equal((await projects.read(work))?.provider, 'claude');
    put({ provider: 'openai' });
    assert.equal((await projects.read(work))?.provider, undefined);
    const other = path.join(folder(), 'other');
    mkdirSync(other);
    put({ provider: 'claude' }, other);
    assert.equal((await projects.read(other))?.provider, undefined);
  });

  it('belongs to the file, by whatever path it is read', async () => {
    put({ provider: 'claude' });
    await allow();
    symlinkSync(work, path.join(folder(), 'link'), 'junction');
    assert.equal((await projects.read(path.join(folder(), 'link')))?.provider, 'claude');
  });

  it('is nothing any more that was withdrawn', async () => {
    for (const provider of ['claude', 'openai']) {
      put({ provider });
      await allow();
    }
    const review = await projects.review(work);
    assert.ok(review);
    assert.equal(await projects.revoke(review), 2);
    assert.equal((await projects.read(work))?.provider, undefined);
    assert.deepEqual(readdirSync(path.join(folder(), 'allowed')), []);
  });

  it('is what was shown, even if the file changes before the answer', async () => {
    put({ provider: 'claude' });
    const review = await projects.review(work);
    assert.ok(review);
    put({ provider: 'openai' });
    await projects.allow(review);
    assert.equal((await projects.read(work))?.provider, undefined);
  });

  it('is shown whole, with what cannot be seen', async () => {
    put({
      notifications: {
        channels: [
          { type: 'command', command: `true ${' '.repeat(5_000)} # \u202e\u200b\nevil` },
          { type: 'webhook', url: 'https://x.test/?\u2066', headers: { 'X-Key': 'v' } },
        ],
      },
    });
    const review = await projects.review(work);
    assert.ok(review);
    const text = reviewText(review);
    for (const part of ['\\u202e\\u200b', 'evil', 'https://x.test/?\\u2066', '"X-Key": "v"'])
      assert.ok(text.includes(part), part);
    assert.doesNotMatch(text, /[\u200b\u202e\u2066]/);
  });

  const foreign: readonly (readonly [string, RegExp, () => void])[] = [
    [
      'that all can write',
      /^can be changed by other users$/,
      () => chmodSync(path.join(work, 'helios.json'), 0o646),
    ],
    [
      'that a group can write',
      /^can be changed by other users$/,
      () => {
        chmodSync(path.join(work, 'helios.json'), 0o664);
      },
    ],
    [
      'in a folder that all can write',
      /^is in a folder that can be changed by other users$/,
      () => chmodSync(work, 0o777),
    ],
    [
      'in a folder that all can write, each their own files',
      /^is in a folder that can be changed by other users$/,
      () => chmodSync(work, 0o1777),
    ],
    ...(isRoot
      ? ([
          [
            'of another user',
            /^belongs to another user$/,
            () => chownSync(path.join(work, 'helios.json'), stranger, stranger),
          ],
          [
            'in a folder of another user',
            /^is in a folder that belongs to another user$/,
            () => chownSync(work, stranger, stranger),
          ],
        ] as const)
      : []),
  ];
  for (const [name, why, open] of foreign)
    needs('posix')(`is only what restricts, in a file ${name}, until it is allowed`, async () => {
      // No group of this test is private.
      const uid = process.getuid?.() ?? 0;
      projects = new Projects({
        folder: path.join(folder(), 'allowed'),
        write: writeFileAtomic,
        user: () => Promise.resolve({ uid }),
      });
      const file = put(whole);
      open();
      const read = await projects.read(work);
      assert.match(read?.leftOut?.why ?? '', why);
      const { file: _, folder: _of, warnings, leftOut, ...counted } = read ?? {};
      assert.deepEqual(counted, only(['budget', 'permissions']));
      assert.deepEqual([leftOut?.file, warnings], [file, []]);
      await allow();
      assert.equal((await projects.read(work))?.instructions, 'Use bf16.');
      writeFileSync(file, JSON.stringify({ ...whole, instructions: 'Use fp32.' }));
      assert.equal((await projects.read(work))?.instructions, undefined, 'after a change');
    });

  needs('posix')('is nothing through a link into a folder that others can write', async () => {
    const shared = path.join(folder(), 'shared');
    mkdirSync(shared);
    put({ instructions: 'Use bf16.' }, shared);
    chmodSync(shared, 0o777);
    symlinkSync(path.join(shared, 'helios.json'), path.join(work, 'helios.json'));
    const read = await projects.read(work);
    assert.equal(read?.instructions, undefined);
    assert.match(read?.leftOut?.why ?? '', /^is in a folder/);
  });

  if (isRoot) {
    const broken: readonly (readonly [string, (file: string) => void])[] = [
      ['is invalid', (file) => writeFileSync(file, '{"model": tru}')],
      ['is nested too deep', (file) => writeFileSync(file, '['.repeat(100_000))],
      ['is a pipe', (file) => execFileSync('mkfifo', [file])],
      ['is too large', (file) => writeFileSync(file, `"${'x'.repeat(1_100_000)}"`)],
      ['is a folder', (file) => mkdirSync(file)],
      ['is a link to itself', (file) => symlinkSync(file, file)],
    ];
    for (const [name, make] of broken)
      it(`stops nobody where a file of another user above ${name}`, async () => {
        const file = path.join(folder(), 'helios.json');
        make(file);
        lchownSync(file, stranger, stranger);
        const read = await projects.read(work);
        assert.deepEqual(read, {
          file,
          folder: folder(),
          warnings: [],
          leftOut: { file, parts: [], why: 'belongs to another user and is invalid' },
        });
      });

    it('is not what another user put among the allowances', async () => {
      put({ provider: 'claude' });
      await allow();
      const [name = ''] = readdirSync(path.join(folder(), 'allowed'));
      chownSync(path.join(folder(), 'allowed', name), stranger, stranger);
      assert.equal((await projects.read(work))?.provider, undefined);
    });
  }

  const owners: readonly (readonly [string, Parameters<typeof otherOwner>[0], boolean])[] = [
    ['the user', { uid: 7, gid: 7, mode: 0o644 }, false],
    ['root', { uid: 0, gid: 0, mode: 0o644 }, false],
    ['another user', { uid: 8, gid: 7, mode: 0o600 }, true],
    ['the user, with a group', { uid: 7, gid: 50, mode: 0o664 }, true],
    ['the user, with a private group', { uid: 7, gid: 7, mode: 0o664 }, false],
    ['the user, for all', { uid: 7, gid: 7, mode: 0o666 }, true],
    ['root, with a group', { uid: 0, gid: 50, mode: 0o664 }, true],
  ];
  for (const [name, stats, isForeign] of owners)
    it(`is ${isForeign ? 'foreign' : 'own'} in a file of ${name}`, () => {
      assert.equal(otherOwner(stats, { uid: 7, privateGid: 7 }) !== undefined, isForeign);
    });
});
