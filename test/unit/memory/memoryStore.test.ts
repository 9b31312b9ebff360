import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { MemoryFailure } from '../../../src/memory/memoryPath.ts';
import { MemoryStore } from '../../../src/memory/memoryStore.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { until } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';

const isReason =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof MemoryFailure && error.reason === reason;

describe('MemoryStore', () => {
  let home: string;
  let sessionFolder: string;
  let projectFolder: string;
  let globalFolder: string;
  let store: MemoryStore;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'memory-'));
    sessionFolder = join(home, 'sessions', 's-1', 'memory');
    projectFolder = join(home, 'projects', 'p', 'memory');
    globalFolder = join(home, 'memory');
    store = new MemoryStore({ sessionFolder, projectFolder, globalFolder, clock: systemClock });
  });

  afterEach(async () => {
    store.dispose();
    await rm(home, { recursive: true });
  });

  const paths = async (path = '/'): Promise<string[]> =>
    (await store.list(path)).map((node) => node.path);
  const allPaths = async (): Promise<string[]> => (await store.tree()).map((node) => node.path);

  it('keeps a note as a Markdown file that a user can read', async () => {
    await store.write(
      '/observations/1',
      'lr 3e-4 diverges',
      'Loss is NaN at step 40.\n\nTry 1e-4.',
    );
    assert.equal(
      await readFile(join(sessionFolder, 'observations', '1.md'), 'utf8'),
      '> lr 3e-4 diverges\n\nLoss is NaN at step 40.\n\nTry 1e-4.\n',
    );
    const note = await store.read('/observations/1');
    assert.equal(note.content, 'Loss is NaN at step 40.\n\nTry 1e-4.');
    assert.equal(note.gist, 'lr 3e-4 diverges');
    assert.equal(note.type, 'file');
    assert.equal(note.file, join(sessionFolder, 'observations', '1.md'));
    assert.deepEqual(await readdir(join(sessionFolder, 'observations')), ['1.md']);
  });

  it('takes what a user writes, with or without a gist line', async () => {
    await mkdir(sessionFolder, { recursive: true });
    await writeFile(
      join(sessionFolder, 'plan.md'),
      '\ufeff---\r\n\r\n## Try *dropout*\r\nthen more\r\n',
    );
    await writeFile(join(sessionFolder, 'empty.md'), '');
    await writeFile(join(sessionFolder, 'quoted.md'), '> short\r\n\r\nlong\r\n');
    await writeFile(join(sessionFolder, '100%.md'), 'all of it');
    await writeFile(join(sessionFolder, '.DS_Store'), 'x');
    await writeFile(join(sessionFolder, 'figure.png'), 'x');
    const nodes = await store.list('/');
    assert.deepEqual(
      nodes.map((node) => [node.path, node.gist, node.type]),
      [
        ['/100%', 'all of it', 'file'],
        ['/empty', '', 'dir'],
        ['/plan', 'Try *dropout*', 'file'],
        ['/quoted', 'short', 'file'],
      ],
    );
    assert.equal((await store.read('/plan')).content, '---\n\n## Try *dropout*\nthen more');
    assert.equal((await store.read('/quoted')).content, 'long');
    await store.write('/100%', 'changed', 'now');
    assert.equal((await readdir(sessionFolder)).filter((name) => name.startsWith('100')).length, 1);
  });

  it('sees an edit at once in read, list and the rendered tree, whatever was cached', async () => {
    await store.write('/best', 'old', 'same size');
    assert.match(await store.render(100), /old/);
    await writeFile(join(sessionFolder, 'best.md'), '> new\n\nsame size\n');
    assert.equal((await store.read('/best')).gist, 'new');
    assert.match(await store.render(100), /new/);
    await rm(join(sessionFolder, 'best.md'));
    assert.equal(await store.render(100), '');
    await assert.rejects(store.read('/best'), isReason('missing'));
  });

  it('lets one name be a note and hold notes', async () => {
    await store.write('/best', 'run 7', 'the best');
    await store.write('/best/why', 'warm-up', 'text');
    assert.deepEqual(await allPaths(), ['/best', '/best/why']);
    assert.equal((await store.read('/best')).content, 'the best');
    assert.equal(await store.remove('/best/why'), 1);
    assert.equal((await store.read('/best')).content, 'the best');
  });

  it('gives a folder a gist and keeps the content when only the gist is written', async () => {
    await store.write('/papers', 'what was read');
    await store.write('/papers/attention', 'softmax', 'content');
    const papers = await store.read('/papers');
    assert.deepEqual([papers.type, papers.gist, papers.content], ['dir', 'what was read', null]);
    await store.write('/papers/attention', 'softmax over keys');
    const note = await store.read('/papers/attention');
    assert.deepEqual([note.gist, note.content], ['softmax over keys', 'content']);
  });

  it('shares /project between the sessions of a project only', async () => {
    const inProject = (project: string): MemoryStore =>
      new MemoryStore({
        sessionFolder: join(home, 'sessions', 's-2'),
        projectFolder: project,
        globalFolder,
        clock: systemClock,
      });
    await store.write('project/data', 'labels are shifted', 'by one');
    await store.write('/global/a', 'g');
    await store.write('/mine', 'only here');
    const [same, other] = [inProject(projectFolder), inProject(join(home, 'other'))];
    assert.equal((await same.read('/project/data')).content, 'by one');
    assert.deepEqual(
      (await same.tree()).map((node) => node.path),
      ['/project', '/project/data', '/global', '/global/a'],
    );
    assert.deepEqual(
      (await other.list('/')).map((node) => node.path),
      ['/global'],
    );
    await assert.rejects(other.read('/project/data'), isReason('missing'));
    await assert.rejects(store.write('/project', 'a gist'), isReason('refused'));
    await assert.rejects(store.remove('/project/'), isReason('refused'));
  });

  it('shares /global between sessions and nothing else', async () => {
    const other = new MemoryStore({
      sessionFolder: join(home, 'sessions', 's-2'),
      projectFolder: join(home, 'projects', 'other', 'memory'),
      globalFolder,
      clock: systemClock,
    });
    await store.write('global/tricks/bf16', 'halves memory', 'yes');
    await store.write('/mine', 'only here', 'x');
    assert.equal((await other.read('/global/tricks/bf16')).content, 'yes');
    assert.deepEqual(
      (await other.list('/')).map((node) => node.path),
      ['/global'],
    );
    assert.deepEqual(await paths(), ['/mine', '/global']);
    assert.deepEqual(await paths('/global'), ['/global/tricks']);
    assert.equal(
      await readFile(join(globalFolder, 'tricks', 'bf16.md'), 'utf8'),
      '> halves memory\n\nyes\n',
    );
  });

  it('removes exactly a node and what lies below it', async () => {
    for (const path of [
      '/a_b',
      '/a_b/x/y',
      '/aXb',
      '/aXb/z',
      '/a_bc',
      '/Papers/1',
      '/papers2/1',
      '/%',
    ])
      await store.write(path, 'g', 'c');
    const before = await allPaths();
    assert.equal(await store.remove('/papers'), 0);
    assert.equal(await store.remove('/a'), 0);
    assert.deepEqual(await allPaths(), before);
    assert.equal(await store.remove('/a_b/'), 3);
    assert.deepEqual(
      await allPaths(),
      before.filter((path) => path !== '/a_b' && !path.startsWith('/a_b/')),
    );
    assert.equal(await store.remove('/%'), 1);
  });

  it('refuses to remove everything, and names what could be meant', async () => {
    await store.write('/global/tricks', 'g', 'c');
    for (const path of ['/', '/global', 'global//'])
      await assert.rejects(
        store.remove(path),
        (error: unknown) => isReason('refused')(error) && /\/global/.test(String(error)),
      );
    await assert.rejects(store.write('/global', 'g'), isReason('refused'));
    assert.equal((await store.read('/global/tricks')).content, 'c');
  });

  it('tells names apart by case, exactly', async function () {
    await store.write('/Papers/x', 'upper', 'upper');
    const isCaseSensitive = await readdir(join(sessionFolder, 'papers')).then(
      () => false,
      () => true,
    );
    assert.deepEqual(await paths('/papers'), []);
    await assert.rejects(store.read('/papers/x'), isReason('missing'));
    if (!isCaseSensitive)
      return assert.rejects(store.write('/papers/x', 'l', 'l'), isReason('case_clash'));
    await store.write('/papers/x', 'lower', 'lower');
    assert.equal((await store.read('/Papers/x')).content, 'upper');
  });

  needs('posix')('never leaves its folders through a link', async () => {
    const outside = join(home, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret.md'), '> secret');
    await mkdir(sessionFolder, { recursive: true });
    await symlink(outside, join(sessionFolder, 'linked'));
    await symlink(join(outside, 'secret.md'), join(sessionFolder, 'note.md'));
    assert.deepEqual(await allPaths(), []);
    for (const attempt of [
      () => store.read('/linked/secret'),
      () => store.read('/note'),
      () => store.write('/linked/new', 'g', 'c'),
      () => store.write('/note', 'g', 'c'),
      () => store.remove('/linked/secret'),
      () => store.remove('/note'),
    ])
      await assert.rejects(attempt, isReason('link'));
    assert.equal(await readFile(join(outside, 'secret.md'), 'utf8'), '> secret');
    assert.deepEqual(await readdir(outside), ['secret.md']);
  });

  needs('posix')('takes no pipe for a note', async () => {
    await store.write('/best', 'lr 3e-4');
    execFileSync('mkfifo', [join(sessionFolder, 'pipe.md')]);
    assert.deepEqual(await paths(), ['/best']);
    await assert.rejects(store.read('/pipe'), isReason('missing'));
  });

  it('helps with a path that is not there', async () => {
    await store.write('/papers/attention', 'g', 'c');
    await assert.rejects(store.read('/papers/atention'), /Under \/papers: \/papers\/attention/);
    assert.equal(await store.remove('/nothing'), 0);
    assert.deepEqual(await paths('/nothing'), []);
  });

  it('refuses an empty gist and a note that is too long', async () => {
    await assert.rejects(store.write('/a', ' \u0007 ', 'c'), isReason('refused'));
    await assert.rejects(store.write('/a', 'g', 'x'.repeat(300_000)), isReason('too_long'));
    assert.deepEqual(await allPaths(), []);
  });

  it('leaves one whole note, and no temporary file, however many write at once', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        store.write('/deep/er/best', `gist ${n}`, `${n} `.repeat(5000)),
      ),
    );
    const note = await store.read('/deep/er/best');
    const n = note.gist.split(' ')[1];
    assert.equal(note.content, `${n} `.repeat(5000).trimEnd());
    assert.deepEqual(await readdir(join(sessionFolder, 'deep', 'er')), ['best.md']);
  });

  it('tells of its own changes and of those of a user', async function () {
    const clock = new ManualClock();
    const watched = new MemoryStore({ sessionFolder, projectFolder, globalFolder, clock });
    let changes = 0;
    let edits = 0;
    const subscription = watched.onDidChange(() => (changes += 1));
    await watched.write('/a/b', 'g', 'c');
    assert.equal(changes, 1);
    await until('the change is told', async () => {
      await writeFile(join(sessionFolder, 'a', 'b.md'), `> edited\n\n${(edits += 1)}\n`);
      await clock.advance(1000);
      return changes > 1;
    });
    subscription.dispose();
    watched.dispose();
    const seen = changes;
    await writeFile(join(sessionFolder, 'a', 'b.md'), '> again\n');
    await clock.advance(1000);
    assert.equal(changes, seen);
    assert.equal(clock.pendingTimers, 0);
  });

  it('waits for folders that are not there yet, without making them', async () => {
    const clock = new ManualClock();
    await mkdir(join(home, 'sessions', 's-1'), { recursive: true });
    const watched = new MemoryStore({ sessionFolder, projectFolder, globalFolder, clock });
    let changes = 0;
    let edits = 0;
    watched.onDidChange(() => (changes += 1));
    assert.deepEqual((await readdir(home)).sort(), ['sessions']);
    await mkdir(globalFolder);
    await until('the note is told', async () => {
      await writeFile(join(globalFolder, 'made.md'), `> by a user ${(edits += 1)}\n`);
      await clock.advance(1000);
      return changes > 0;
    });
    watched.dispose();
    assert.deepEqual(await readdir(join(home, 'sessions', 's-1')), []);
  });

  it('holds two thousand notes in a prompt of bounded size', async () => {
    for (let folder = 0; folder < 20; folder += 1) {
      await mkdir(join(sessionFolder, `papers-${folder}`), { recursive: true });
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          writeFile(
            join(sessionFolder, `papers-${folder}`, `${n}.md`),
            `> gist of note ${n}\n\nmore\n`,
          ),
        ),
      );
    }
    assert.equal((await store.tree()).length, 2020);
    const text = await store.render(1500);
    assert.ok(text.length <= 6000, String(text.length));
    assert.ok(text.length > 4000, String(text.length));
    assert.match(text, /more under \/papers-/);
  });
});
