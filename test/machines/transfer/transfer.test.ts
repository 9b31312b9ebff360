import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Clock } from '../../../src/base/clock.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { SshConnection } from '../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../src/machines/ssh/sshMachine.ts';
import type { TransferProgress } from '../../../src/machines/transfer/progress.ts';
import { transfer } from '../../../src/machines/transfer/transfer.ts';
import type { TransferRequest } from '../../../src/machines/transfer/transferRequest.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../fakes/sshd.ts';
import { procFolder } from '../../setup/proc.ts';
import { commandless, hardTree, names, openUp, plainTimes, put, seen } from './transferBed.ts';

const megabyte = 2 ** 20;

/** Shows progress after each piece: nothing depends on how fast the machine sends. */
const fastClock: Clock = {
  now: () => performance.now() * 1000,
  after: () => ({ dispose: () => undefined }),
};

const thisComputer = new LocalMachine({ runsFolder: '/nowhere/runs', workFolder: '/' });
const locals: Record<string, Machine> = {
  'this computer': thisComputer,
  'this computer, without commands': commandless(thisComputer),
};

for (const [what, local] of Object.entries(locals))
  describe(`transfer with ${what}`, () => {
    const folder = scratchFolder();
    const path = (name: string): string => join(folder(), name);
    afterEach(() => openUp(folder()));
    const servers: TestSshd[] = [];
    const hosts: SshMachine[] = [];
    before(async () => {
      for (const id of ['gpu1', 'gpu2']) {
        const sshd = await TestSshd.start();
        servers.push(sshd);
        const connection = new SshConnection(sshd.target(), {
          ...scriptedPrompts(),
          random: () => 0,
        });
        hosts.push(new SshMachine({ id, connection, homeFolder: '/' }));
      }
    });
    after(async () => {
      for (const host of hosts) {
        host.dispose();
        host.connection.dispose();
      }
      for (const sshd of servers) await sshd.dispose();
    });
    const host = (index: number): SshMachine => hosts[index] ?? assert.fail();
    const send = (
      more: Partial<TransferRequest> = {},
      from: Machine = local,
      to: Machine = local,
    ) =>
      transfer({
        from: { machine: from, path: path('from') },
        to: { machine: to, path: path('to') },
        ...more,
      });

    const ways: Record<string, () => readonly [Machine, Machine]> = {
      'to a host': () => [local, host(0)],
      'from a host': () => [host(0), local],
      'between two hosts': () => [host(0), host(1)],
      'within this computer': () => [local, local],
    };
    it('takes names for equal that differ in case, where the destination does', async () => {
      put(path('from/Model.pt'), 'model');
      put(path('from/both'), 'first');
      put(path('from/Both'), 'second');
      put(path('to/model.pt'), 'model');
      put(path('to/other'), 'other');
      // Stands for a file system that ignores case.
      fs.symlinkSync('to', path('TO'));
      const report = await send({ delete: true, isDryRun: true }, local, host(0));
      assert.equal(report.planned.files, 2);
      assert.match(report.problems[0]?.why ?? '', /does not tell its name from [bB]oth/);
      await send({ delete: true }, local, host(0));
      assert.ok(fs.existsSync(path('to/model.pt')));
      assert.ok(!fs.existsSync(path('to/other')));
    });

    for (const [way, ends] of Object.entries(ways)) {
      it(`keeps everything of a tree, ${way}, and sends nothing twice`, async () => {
        hardTree(path('from'), 33 * megabyte + 17);
        if (local.filesOnly) plainTimes(path('from'));
        const [from, to] = ends();
        const report = await send({}, from, to);
        assert.deepEqual([report.outcome, report.problems], ['complete', []]);
        assert.deepEqual(seen(path('to')), seen(path('from')));
        const again = await send({}, from, to);
        assert.deepEqual([again.outcome, again.sentBytes, again.files], ['complete', 0, 0]);
        put(path('from/many/f7'), randomBytes(700));
        fs.utimesSync(path('from/many/f7'), 1_700_000_000.2, 1_700_000_000.2);
        fs.chmodSync(path('from/run.sh'), 0o700);
        put(path('from/many/new/deeper/file'), 'n');
        const third = await send({}, from, to);
        assert.deepEqual([third.outcome, third.files, third.folders], ['complete', 2, 2]);
        assert.deepEqual(
          fs.readFileSync(path('to/many/f7')),
          fs.readFileSync(path('from/many/f7')),
        );
        assert.equal(fs.statSync(path('to/run.sh')).mode & 0o777, 0o700);
        assert.deepEqual(names(path('to')), names(path('from')));
      }).timeout(60_000);
    }

    it('gives one file its new name, and says when that is a folder', async () => {
      put(path('from'), 'content', 0o640);
      const report = await send(
        { to: { machine: host(0), path: path('new/deep/na me') } },
        local,
        host(0),
      );
      assert.deepEqual([report.outcome, report.files, report.planned.bytes], ['complete', 1, 7]);
      assert.deepEqual(seen(path('new/deep/na me')), seen(path('from')));
      assert.equal(
        (await send({ to: { machine: host(0), path: path('new/deep/na me') } })).sentBytes,
        0,
      );
      fs.mkdirSync(path('to'));
      await assert.rejects(send(), { reason: 'io', message: /is a folder and .* is a file/ });
      assert.deepEqual(fs.readdirSync(path('to')), []);
    });

    it('refuses what is not there, and a folder where a file is', async () => {
      await assert.rejects(send(), { reason: 'missing', message: /does not exist/ });
      fs.mkdirSync(path('from'));
      put(path('to'), 'kept');
      await assert.rejects(send({}, host(0), host(1)), {
        reason: 'io',
        message: /is a file and .* is a folder/,
      });
      assert.equal(fs.readFileSync(path('to'), 'utf8'), 'kept');
      const report = await send({ to: { machine: host(0), path: `${procFolder}/helios/here` } });
      assert.deepEqual([report.outcome, report.failure?.reason], ['stopped', 'missing']);
    });

    it('merges into a folder, deletes nothing, and replaces no thing by another kind of thing', async () => {
      put(path('from/a'), 'new');
      put(path('from/folder/inner'), 'new');
      put(path('from/linked/inner'), 'new');
      put(path('from/file-here'), 'new');
      put(path('to/own'), 'own');
      put(path('to/folder/own'), 'own');
      put(path('to/file-here/own'), 'own');
      put(path('outside/inner'), 'old');
      fs.symlinkSync('../outside', path('to/linked'));
      const report = await send({}, local, host(0));
      assert.equal(report.outcome, 'partial');
      assert.deepEqual(report.problems.map((problem) => problem.path).sort(), [
        'file-here',
        'linked',
      ]);
      assert.deepEqual(names(path('to')), [
        'a',
        'file-here/own',
        'folder/inner',
        'folder/own',
        'linked',
        'own',
      ]);
      assert.equal(fs.readFileSync(path('outside/inner'), 'utf8'), 'old');
    });

    it('puts a file in the place of a link, and never writes through it', async () => {
      put(path('from/a'), 'new');
      put(path('from/b'), randomBytes(33 * megabyte));
      put(path('outside'), 'old');
      fs.mkdirSync(path('folder'));
      fs.mkdirSync(path('to'));
      fs.symlinkSync('../outside', path('to/a'));
      fs.symlinkSync('../folder', path('to/b'));
      assert.equal((await send({}, local, host(0))).outcome, 'complete');
      assert.deepEqual(seen(path('to')), { ...seen(path('from')), '': seen(path('to'))[''] });
      assert.equal(fs.readFileSync(path('outside'), 'utf8'), 'old');
      assert.deepEqual(fs.readdirSync(path('folder')), []);
    });

    it('compares content where that is asked for', async () => {
      put(path('from/same'), 'same');
      put(path('from/other'), 'abcd');
      await send();
      fs.utimesSync(path('from/same'), 1, 1);
      put(path('from/other'), 'ABCD');
      assert.equal(
        (await send({ isDryRun: true })).planned.files,
        1,
        'size and time: the one that was touched',
      );
      const report = await send({ checksum: true }, local, host(0));
      assert.deepEqual([report.files, fs.readFileSync(path('to/other'), 'utf8')], [1, 'ABCD']);
    });

    it('leaves out what patterns and .gitignore files name', async () => {
      for (const name of [
        'a.py',
        'a.pyc',
        'Data/x',
        'sub/data/y',
        'sub/keep.log',
        'sub/no.log',
        'deep/out/z',
        '.git/HEAD',
      ])
        put(path(`from/${name}`), name);
      put(path('from/.gitignore'), '*.log\n/deep/out/\n# no\n');
      put(path('from/sub/.gitignore'), '!keep.log\n');
      const report = await send(
        { exclude: ['*.pyc', 'data', '/nothing'], gitignore: true },
        local,
        host(0),
      );
      assert.deepEqual(names(path('to')), [
        '.git/HEAD',
        '.gitignore',
        'Data/x',
        'a.py',
        'sub/.gitignore',
        'sub/keep.log',
      ]);
      assert.deepEqual([...report.excluded].sort(), [
        'a.pyc',
        'deep/out',
        'sub/data',
        'sub/no.log',
      ]);
      fs.rmSync(path('to'), { recursive: true });
      await send({ exclude: ['*', '!sub/', '!*.log'] });
      assert.deepEqual(names(path('to')), ['sub/keep.log', 'sub/no.log']);
    });

    it('tells what it would do, and does not do it; deletes only when it is asked to', async () => {
      put(path('from/a'), '12345');
      put(path('to/gone/x'), 'x');
      put(path('to/left-out'), 'x');
      const plan = await send({ isDryRun: true, delete: true }, local, host(0));
      assert.deepEqual([plan.outcome, plan.planned], ['dry_run', { files: 1, bytes: 5 }]);
      assert.deepEqual(names(path('to')), ['gone/x', 'left-out']);
      const report = await send({ delete: true, exclude: ['left-out'] }, local, host(0));
      assert.deepEqual([report.deleted, names(path('to'))], [2, ['a', 'left-out']]);
    });

    it('goes on with a large file where the link broke', async () => {
      put(path('from'), randomBytes(96 * megabyte));
      const gone = await send(
        {
          onProgress: ({ bytes }) => {
            if (bytes > 40 * megabyte) servers[0]?.cut();
          },
          clock: { now: Date.now, after: () => ({ dispose: () => undefined }) },
        },
        local,
        host(0),
      );
      assert.deepEqual(
        [gone.outcome, gone.failure?.reason, gone.files],
        ['stopped', 'unreachable', 0],
      );
      assert.ok(!fs.existsSync(path('to')), 'nothing half is under the name');
      const [part = ''] = fs.readdirSync(folder()).filter((name) => name.endsWith('.part'));
      let partBytes = -1;
      await until('the host has written what came', () => {
        const before = partBytes;
        partBytes = fs.statSync(path(part)).size;
        return partBytes === before;
      });
      await until('the host is back', () =>
        host(0)
          .exec('true')
          .then(
            () => true,
            () => false,
          ),
      );
      const report = await send({}, local, host(0));
      assert.deepEqual([report.outcome, report.files], ['complete', 1]);
      assert.ok(partBytes > 8 * megabyte, `${partBytes} bytes had come`);
      assert.equal(report.sentBytes, 96 * megabyte - Math.floor(partBytes / megabyte) * megabyte);
      assert.deepEqual(seen(path('to')), seen(path('from')));
      assert.deepEqual(fs.readdirSync(folder()).sort(), ['from', 'to']);
    }).timeout(60_000);

    it('takes nothing from a part that does not hold what the file holds', async () => {
      put(path('from'), randomBytes(40 * megabyte));
      const abort = new AbortController();
      const onProgress = ({ bytes }: TransferProgress): void => {
        if (bytes > 8 * megabyte) abort.abort();
      };
      const cut = await send(
        { signal: abort.signal, onProgress, clock: fastClock },
        local,
        host(0),
      );
      const [part = ''] = fs.readdirSync(folder()).filter((name) => name.endsWith('.part'));
      assert.deepEqual([cut.outcome, part !== ''], ['aborted', true]);
      fs.writeFileSync(path(part), randomBytes(20 * megabyte));
      const report = await send({}, local, host(0));
      assert.deepEqual([report.outcome, report.sentBytes], ['complete', 40 * megabyte]);
      assert.deepEqual(seen(path('to')), seen(path('from')));
    }).timeout(60_000);

    it('says of a file that it changed while it was sent', async () => {
      put(path('from/large'), randomBytes(40 * megabyte));
      put(path('from/small'), 'small');
      let isGrown = false;
      const onProgress = (): void => {
        if (!isGrown) fs.appendFileSync(path('from/large'), 'more');
        isGrown = true;
      };
      const report = await send({ onProgress, clock: fastClock }, local, host(0));
      assert.deepEqual([report.outcome, report.files], ['partial', 1]);
      assert.match(report.problems[0]?.why ?? '', /changed during the transfer/);
      assert.deepEqual(names(path('to')), ['small']);
    });

    it('goes to and from a machine that has busybox only', async () => {
      fs.mkdirSync(path('bin'));
      execFileSync('/bin/busybox', ['--install', '-s', path('bin')]);
      const busybox = new LocalMachine({
        runsFolder: '/nowhere',
        workFolder: '/',
        env: { PATH: path('bin') },
      });
      hardTree(path('from'), 33 * megabyte);
      for (const [from, to] of [
        [busybox, host(0)],
        [host(0), busybox],
      ] as const) {
        const report = await send({}, from, to);
        assert.deepEqual([report.failure, report.problems], [undefined, []]);
        assert.deepEqual(withoutParts(seen(path('to'))), withoutParts(seen(path('from'))));
        assert.equal((await send({}, from, to)).sentBytes, 0);
        openUp(folder());
        fs.rmSync(path('to'), { recursive: true });
      }
    }).timeout(60_000);
  });

/** Times to the second. */
const withoutParts = (tree: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tree).map(([name, what]) => [name, what.replace(/\d{9} /, ' ')]),
  );
