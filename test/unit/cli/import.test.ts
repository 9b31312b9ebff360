import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedModel } from '../../fakes/scriptedModel.ts';

describe('the home folder of the original Helios', () => {
  const folder = scratchFolder();
  const home = (): string => {
    mkdirSync(path.join(folder(), 'home'), { recursive: true });
    return path.join(folder(), 'home');
  };
  const inHome = (name: string): string => path.join(home(), name);
  const text = (name: string): string => readFileSync(inHome(name), 'utf8');
  const open: DatabaseSync[] = [];
  afterEach(() => open.splice(0).forEach((database) => database.close()));

  const helios = async (...words: readonly string[]): Promise<FakeDeps & { code: number }> => {
    const model = new ScriptedModel([
      [{ name: 'finish', input: { outcome: 'blocked', summary: 'done' } }],
    ]);
    const deps = fakeDeps({ folder: folder(), model });
    return Object.assign(deps, { code: await runCli([...words, '--home', home()], deps) });
  };

  const database = (journal: 'delete' | 'wal'): DatabaseSync => {
    const original = new DatabaseSync(inHome('helios.db'));
    open.push(original);
    original.exec(`PRAGMA journal_mode = ${journal};
      CREATE TABLE sessions (id TEXT PRIMARY KEY, provider TEXT NOT NULL, title TEXT);
      CREATE TABLE memory_nodes (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL,
        path TEXT NOT NULL, gist TEXT NOT NULL, content TEXT, is_dir INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, UNIQUE (session_id, path));`);
    return original;
  };
  const note = (to: DatabaseSync, at: string, gist: string, content: string | null): void =>
    void to
      .prepare(
        `INSERT INTO memory_nodes (session_id, path, gist, content, is_dir, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, 1, 1)`,
      )
      .run(at.startsWith('/s1') ? 's1' : '__global__', at, gist, content, content === null ? 1 : 0);
  const hash = (name: string): string =>
    createHash('md5')
      .update(readFileSync(inHome(name)))
      .digest('hex');

  const list = JSON.stringify([
    ...[{ id: 'gpu1', host: 'gpu1.lab', port: 2222, username: 'ada', authMethod: 'key' }],
    ...[{ id: 'my box', host: '10.0.0.7', port: 22, username: 'bob', authMethod: 'password' }],
    ...[{ id: 'half', port: 22 }],
  ]).replace('"authMethod":"password"', '"authMethod":"password","password":"hunter2"');

  it('is not written over by a session', async () => {
    const original = database('delete');
    for (let at = 0; at < 50; at += 1) {
      original.prepare(`INSERT INTO sessions VALUES (?, 'claude', 'a goal')`).run(`s${at}`);
      note(original, `/n${at}`, `gist ${at}`, 'text');
    }
    original.close();
    open.length = 0;
    const before = hash('helios.db');
    assert.equal((await helios('goal', '--provider', 'demo', '--yes')).code, 2);
    assert.match((await helios('sessions')).stdout.text, /goal/);
    assert.equal(hash('helios.db'), before);
    assert.deepEqual(
      readdirSync(home()).filter((name) => name.startsWith('helios')),
      ['helios.db'],
    );
  });

  it('is taken over on a yes: machines without passwords, and the shared notes', async () => {
    writeFileSync(inHome('machines.json'), list);
    const original = database('wal');
    note(original, '/priors', '', null);
    note(original, '/priors/lr', 'lr 3e-4 works', 'for all sizes');
    note(original, '/papers', 'papers to read', null);
    note(original, '/s1/own', 'of one session', 'text');
    assert.ok(statSync(inHome('helios.db-wal')).size > 0);
    const before = hash('helios.db');

    const refused = await helios('machines');
    assert.match(
      refused.stderr.text,
      /a list of the original Helios.* run in a terminal: helios import/,
    );

    const preview = await helios('import');
    assert.equal(preview.code, 0, preview.stderr.text);
    assert.match(
      preview.stdout.text,
      /^2 machines of .*machines\.json:\n {2}gpu1 {2}ada@gpu1\.lab:2222\n/,
    );
    assert.match(preview.stdout.text, /^ {2}10\.0\.0\.7 .*bob@10\.0\.0\.7.*without its password/m);
    assert.match(preview.stdout.text, /not imported: half: host/);
    assert.match(preview.stdout.text, /^2 shared notes of .*helios\.db\.$/m);
    assert.match(
      preview.stdout.text,
      /Nothing has been changed\. To import: helios import --yes\n$/,
    );
    assert.equal(text('machines.json'), list);

    const done = await helios('import', '--yes');
    assert.equal(done.code, 0, done.stderr.text);
    assert.doesNotMatch(preview.stdout.text + done.stdout.text, /hunter2/);
    const [copy = ''] = readdirSync(home()).filter((name) => /\.before-/.test(name));
    assert.match(copy, /^machines\.json\.before-\d{4}-\d\d-\d\d$/);
    assert.equal(text(copy), list);
    assert.equal(statSync(inHome(copy)).mode & 0o777, 0o600);
    assert.match(done.stdout.text, /That file holds passwords/);
    assert.deepEqual(JSON.parse(text('machines.json')), {
      version: 1,
      machines: [
        { id: 'gpu1', kind: 'ssh', host: 'gpu1.lab', port: 2222, user: 'ada', auth: 'key' },
        { id: '10.0.0.7', kind: 'ssh', host: '10.0.0.7', user: 'bob', auth: 'password' },
      ],
    });
    assert.equal(text('memory/priors/lr.md'), '> lr 3e-4 works\n\nfor all sizes\n');
    assert.equal(text('memory/papers.md'), '> papers to read\n');
    assert.deepEqual(readdirSync(inHome('memory')).sort(), ['papers.md', 'priors']);
    assert.equal(hash('helios.db'), before);

    writeFileSync(inHome('memory/papers.md'), '> mine\n\nmy own list\n');
    const again = await helios('import', '--yes');
    assert.match(again.stdout.text, /^0 shared notes of .*; 1 more are already there\.$/m);
    assert.match(again.stdout.text, /not imported: \/global\/papers exists with another text/);
    assert.equal(text('memory/papers.md'), '> mine\n\nmy own list\n');
  });

  it('leaves out what a transaction of the log did not commit', async () => {
    const original = database('wal');
    note(original, '/a', 'first', 'one');
    original.exec('PRAGMA wal_checkpoint(RESTART)');
    note(original, '/a2', 'second', 'two');
    original.exec('PRAGMA cache_size = 1; BEGIN');
    for (let at = 0; at < 200; at += 1) note(original, `/big${at}`, 'unfinished', 'x'.repeat(3000));
    const { stdout, stderr } = await helios('import');
    assert.match(stdout.text, /^2 shared notes of /, stderr.text);
  });

  it('is shown without its control characters', async () => {
    const { port: _, ...bare } = { id: 'evil\u001b]52;c;ZQ==\u0007\u202e', port: 22 };
    writeFileSync(
      inHome('machines.json'),
      JSON.stringify([bare, { ...bare, host: 'a\u001b[31mb' }]),
    );
    const { stdout } = await helios('import');
    assert.match(stdout.text, /not imported: evil/);
    assert.doesNotMatch(stdout.text, /[\u0007\u001b\u202e]/);
  });

  it('is named when it cannot be read, or has nothing', async () => {
    assert.match((await helios('import')).stdout.text, /has no machines and no notes/);
    writeFileSync(inHome('helios.db'), 'garbage');
    const { code, stderr } = await helios('import');
    assert.equal(code, 1);
    assert.match(stderr.text, /helios\.db cannot be read: /);
  });
});
