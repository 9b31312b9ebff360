import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { newSessionId, type RunId, type SessionId } from '../../../src/base/ids.ts';
import { runCli } from '../../../src/cli/cli.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { Lease } from '../../../src/storage/lease.ts';
import { SyntheticJournal } from '../../bench/syntheticJournal.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { checkoutName } from '../../../src/experiments/git/worktrees.ts';
import { GitRepo } from '../../fakes/gitRepo.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const dayMs = 86_400_000;

describe('cleaning up sessions', () => {
  const folder = scratchFolder();
  const home = () => homeAt(path.join(folder(), 'home'));
  const helios = async (...argv: string[]): Promise<FakeDeps & { code: number }> => {
    const deps = fakeDeps({ folder: folder() });
    deps.stdout.columns = 200;
    return Object.assign(deps, { code: await runCli(argv, deps) });
  };

  interface Made {
    readonly id: SessionId;
    readonly run: RunId;
  }

  /** Ended unless told otherwise, with one run of `bytes` output. */
  async function made(
    ageDays: number,
    state: 'ended' | 'going' | 'unfinished' = 'ended',
    bytes = 1000,
  ): Promise<Made> {
    const journal = new SyntheticJournal(`goal of ${ageDays}`, Date.now() - ageDays * dayMs);
    const run = journal.run();
    if (state !== 'going') journal.runEnded(run, []);
    if (state !== 'unfinished')
      journal.add({ type: 'session.ended', reason: 'budget', summary: 'Spent.', evidence: [] });
    await journal.write(home());
    mkdirSync(home().runFolder(run), { recursive: true });
    writeFileSync(path.join(home().runFolder(run), 'output.log'), 'x'.repeat(bytes));
    return { id: journal.sessionId, run };
  }
  const isThere = ({ id, run }: Made): [boolean, boolean] => [
    existsSync(home().journalFile(id)),
    existsSync(home().runFolder(run)),
  ];

  it('does one thing at a time', async () => {
    const { id } = await made(100);
    for (const argv of [
      ['--keep', id, '--release', id],
      ['--keep', id, '--older-than', '1d', '--yes'],
      ['--release', id, '--max-size', '1GB'],
    ]) {
      const { code, stderr } = await helios('clean', ...argv);
      assert.equal(code, 1, argv.join(' '));
      assert.match(stderr.text, /cannot be used with/);
    }
    assert.ok(
      existsSync(home().journalFile(id)) &&
        !existsSync(path.join(home().sessionFolder(id), 'keep')),
    );
  });

  it('shows what goes and why one stays on a narrow terminal, too', async () => {
    await made(100);
    await made(200, 'going');
    const deps = fakeDeps({ folder: folder() });
    deps.stdout.columns = 80;
    assert.equal(await runCli(['clean', '--older-than', '90d'], deps), 0);
    const lines = deps.stdout.text.split('\n');
    assert.match(lines[2] ?? '', / delete\b/);
    assert.ok(lines.some((line) => /keep: a run is active/.test(line)));
    assert.ok(lines.slice(0, -2).every((line) => line.length <= 80));
    assert.ok(lines.some((line) => /^ {3}goal of 100$/.test(line)));
  });

  it('shows what would go, and takes nothing', async () => {
    const old = await made(100);
    const young = await made(10);
    for (const argv of [[], ['--dry-run']]) {
      const { code, stdout } = await helios('clean', '--older-than', '90d', ...argv);
      assert.equal(code, 0);
      assert.match(
        stdout.text,
        new RegExp(`${old.id} +99 d 23 h ago .*kB +1 +delete +goal of 100`),
      );
      assert.doesNotMatch(stdout.text, new RegExp(young.id));
      assert.match(stdout.text, /All sessions together take .* Add --yes to delete 1 session, /);
    }
    assert.deepEqual(
      [isThere(old), isThere(young)],
      [
        [true, true],
        [true, true],
      ],
    );
  });

  it('takes the old ones with their runs, and their rows of the list', async () => {
    const old = await made(100);
    const young = await made(10);
    const { code, stdout } = await helios('clean', '--older-than', '90d', '--yes');
    assert.equal(code, 0, stdout.text);
    assert.match(stdout.text, /Removed 1 session, /);
    assert.deepEqual(
      [isThere(old), isThere(young)],
      [
        [false, false],
        [true, true],
      ],
    );
    assert.doesNotMatch((await helios('sessions')).stdout.text, new RegExp(old.id));
  });

  it('counts what is attached to a session, and takes it with the session', async () => {
    const { id } = await made(100);
    const attachments = path.join(home().sessionFolder(id), 'attachments');
    mkdirSync(attachments);
    writeFileSync(path.join(attachments, `${'a'.repeat(64)}.png`), Buffer.alloc(3_000_000));
    const { stdout } = await helios('clean', '--older-than', '90d');
    assert.match(stdout.text, new RegExp(`${id} .* 3(\\.\\d+)? MB `));
    await helios('clean', '--older-than', '90d', '--yes');
    assert.equal(existsSync(home().sessionFolder(id)), false);
  });

  it('takes the uploads that no launch ran out of the repository, and no ref of another', async () => {
    const repo = GitRepo.create(path.join(folder(), 'repo'));
    const commit = repo.git('rev-parse', 'HEAD');
    const journal = new SyntheticJournal('uploads', Date.now() - 100 * dayMs);
    const place = { machineId: 'gone', to: '/there', isFile: false };
    const upload = { ...place, repo: repo.folder, commit, source: '', leftOut: [] };
    journal.add({ type: 'code.uploaded', upload, callId: 'c' });
    journal.add({ type: 'session.ended', reason: 'user', summary: 'Stopped.', evidence: [] });
    await journal.write(home());
    const other = `refs/helios/${newSessionId(Date.now())}/upload_1`;
    for (const ref of [`refs/helios/${journal.sessionId}/upload_1`, other])
      repo.git('update-ref', ref, commit);
    const { code, stdout } = await helios('clean', '--older-than', '90d', '--yes');
    assert.equal(code, 0, stdout.text);
    assert.equal(repo.git('for-each-ref', '--format=%(refname)', 'refs/helios'), other);
  });

  it('takes the stored checkout of the working folder with its session', async () => {
    const repo = GitRepo.create(path.join(folder(), 'repo'));
    const journal = new SyntheticJournal('edits', Date.now() - 100 * dayMs, repo.folder);
    journal.add({ type: 'session.ended', reason: 'user', summary: 'Stopped.', evidence: [] });
    await journal.write(home());
    repo.git('update-ref', `refs/helios/${journal.sessionId}/${checkoutName}`, 'HEAD');
    const { code, stdout } = await helios('clean', '--older-than', '90d', '--yes');
    assert.equal(code, 0, stdout.text);
    assert.equal(repo.git('for-each-ref', 'refs/helios'), '');
  });

  it('takes copies of code with their session alone, and none of a kept one', async () => {
    const [old, kept, young] = [await made(100), await made(100), await made(10)];
    const copyOf = ({ id }: Made) => path.join(home().folder, 'copies', id, 'e1-again/train.py');
    for (const session of [old, kept, young]) {
      mkdirSync(path.dirname(copyOf(session)), { recursive: true });
      writeFileSync(copyOf(session), 'print(1)');
    }
    const areThere = () => [old, kept, young].map((session) => existsSync(copyOf(session)));
    await helios('clean', '--keep', kept.id);
    await helios('clean', '--older-than', '90d');
    assert.deepEqual(areThere(), [true, true, true]);
    await helios('clean', '--older-than', '90d', '--yes');
    assert.deepEqual(areThere(), [false, true, true]);
    assert.equal(existsSync(path.join(home().folder, 'copies', old.id)), false);
  });

  it('removes no folder that a damaged journal names', async () => {
    const { id, run } = await made(100);
    const victim = path.join(home().runsFolder, '../victim');
    mkdirSync(victim);
    const journal = home().journalFile(id);
    writeFileSync(journal, readFileSync(journal, 'utf8').replaceAll(run, '../victim'));
    const { stdout, stderr } = await helios('clean', '--older-than', '30d', '--yes');
    assert.ok(existsSync(victim));
    assert.match(stdout.text + stderr.text, /"\.\.\/victim" .* its id is not valid/);
    assert.ok(!existsSync(journal));
  });

  it('takes the oldest until the rest fits', async () => {
    const sessions = [
      await made(3, 'ended', 2e6),
      await made(2, 'ended', 2e6),
      await made(1, 'ended', 2e6),
    ];
    await helios('clean', '--max-size', '5MB', '--yes');
    assert.deepEqual(
      sessions.map((session) => isThere(session)[0]),
      [false, true, true],
    );
  });

  it('never takes what is not over, open, or kept, and says so', async () => {
    const going = await made(204, 'going');
    const unfinished = await made(203, 'unfinished');
    const open = await made(202);
    const kept = await made(201);
    await helios('clean', '--keep', kept.id);
    const lease = await Lease.acquire(home().leaseFile(open.id), {
      clock: systemClock,
      kind: 'window',
      onLost: () => undefined,
    });
    const { code, stdout } = await helios(
      'clean',
      '--older-than',
      '1h',
      '--max-size',
      '1MB',
      '--yes',
    );
    await lease.release();
    assert.equal(code, 0);
    const stays: [Made, string][] = [
      [going, 'a run is active'],
      [unfinished, 'it has not ended'],
      [open, 'it is open'],
      [kept, 'it is protected'],
    ];
    for (const [session, why] of stays) {
      assert.match(stdout.text, new RegExp(`${session.id} .*keep: ${why}`));
      assert.deepEqual(isThere(session), [true, true]);
    }
    await helios('clean', '--release', kept.id);
    await helios('clean', '--older-than', '1h', '--yes');
    assert.deepEqual(
      [isThere(open), isThere(kept)],
      [
        [false, false],
        [false, false],
      ],
    );
  });

  it('says what a machine keeps that does not answer', async () => {
    const journal = new SyntheticJournal('far away', Date.now() - 100 * dayMs);
    const run = journal.run({ machineId: 'gone' });
    journal.runEnded(run, []);
    journal.add({ type: 'session.ended', reason: 'user', summary: 'Stopped.', evidence: [] });
    await journal.write(home());
    const { code, stdout } = await helios('clean', '--older-than', '90d', '--yes');
    assert.equal(code, 1);
    assert.match(
      stdout.text,
      new RegExp(`Files of session ${journal.sessionId} on gone were not removed: .*gone`),
    );
    assert.equal(existsSync(home().sessionFolder(journal.sessionId)), false);
  });

  const refusals: [string[], RegExp][] = [
    [['--yes'], /Specify --older-than or --max-size/],
    [['--older-than', 'long'], /'long' is invalid\. Must be an age/],
    [['--older-than', '-1d'], /older-than/],
    [['--max-size', '20'], /'20' is invalid\. Must be a size/],
    [
      ['--older-than', '1d', '--yes', '--dry-run'],
      /'--yes' cannot be used with option '--dry-run'/,
    ],
  ];
  for (const [argv, message] of refusals) {
    it(`refuses: helios clean ${argv.join(' ')}`, async () => {
      const { code, stderr } = await helios('clean', ...argv);
      assert.equal(code, 1);
      assert.match(stderr.text, message);
    });
  }
});
