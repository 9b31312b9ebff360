import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { SshConnection } from '../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../src/machines/ssh/sshMachine.ts';
import { transfer } from '../../../src/machines/transfer/transfer.ts';
import type { TransferRequest } from '../../../src/machines/transfer/transferRequest.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../fakes/sshd.ts';
import { isLong } from '../../setup/needs.ts';
import { commandless, names, put } from './transferBed.ts';

const megabyte = 2 ** 20;
const manyFiles = isLong ? 20_000 : 10_000;
/** Several times as much as a transfer may take of memory. */
const largeBytes = isLong ? 2 ** 30 : 2 ** 28 + 2 ** 27;

const local = new LocalMachine({ runsFolder: '/nowhere/runs', workFolder: '/' });

for (const isDown of [false, true])
  describe(`a transfer that fails${isDown ? ' without commands on this computer' : ''}`, () => {
    const mounts: string[] = [];
    // Before the folder is removed.
    afterEach(() => {
      for (const mount of mounts.splice(0)) execFileSync('umount', [mount]);
    });
    const folder = scratchFolder();
    const path = (name: string): string => join(folder(), name);
    let sshd: TestSshd;
    let host: SshMachine;
    before(async () => {
      sshd = await TestSshd.start();
      const connection = new SshConnection(sshd.target(), {
        ...scriptedPrompts(),
        random: () => 0,
      });
      host = new SshMachine({ id: 'gpu1', connection, homeFolder: '/' });
    });
    after(async () => {
      host.dispose();
      host.connection.dispose();
      await sshd.dispose();
    });
    const mounted = (options: string): void => {
      fs.mkdirSync(path('to'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'helios-test', path('to')]);
      mounts.push(path('to'));
    };
    const ends = (): readonly [Machine, Machine] =>
      isDown ? [host, commandless(local)] : [local, host];
    const send = (more: Partial<TransferRequest> = {}) => {
      const [from, to] = ends();
      return transfer({
        from: { machine: from, path: path('from') },
        to: { machine: to, path: path('to') },
        ...more,
      });
    };
    /** Every change of the clock tells of progress. */
    const eager = {
      now: () => performance.now() * 1000,
      after: () => ({ dispose: () => undefined }),
    };

    it('does not begin where there is no room, and says how much is missing', async () => {
      mounted('size=8m');
      put(path('from/a'), randomBytes(20 * megabyte));
      await assert.rejects(send(), {
        reason: 'no_space',
        message: /has 8\.\d+ MB free.*12\.\d MB are missing/,
      });
      assert.deepEqual(fs.readdirSync(path('to')), []);
    });

    for (const [what, sizes] of [
      ['many files', Array.from({ length: 400 }, () => 100_000)],
      ['a large file', [38 * megabyte]],
    ] as const)
      it(`leaves nothing half on a disk that fills up under ${what}`, async () => {
        mounted('size=48m');
        for (const [index, size] of sizes.entries()) put(path(`from/f${index}`), randomBytes(size));
        let isFilled = false;
        const fill = (): void => {
          if (!isFilled)
            execFileSync('sh', ['-c', `head -c ${30 * megabyte} /dev/zero >other || :`], {
              cwd: path('to'),
            });
          isFilled = true;
        };
        const report = await send({ onProgress: fill, clock: eager });
        assert.deepEqual([report.outcome, report.failure?.reason], ['stopped', 'no_space']);
        assert.match(report.failure?.message ?? '', /remain to be sent/);
        assert.deepEqual(names(path('to')), ['other'], 'neither halves nor remains');
        fs.rmSync(path('to/other'));
        assert.equal((await send()).outcome, 'complete');
        assert.deepEqual(names(path('to')), names(path('from')));
      });

    it('says that the destination is read-only', async () => {
      mounted('size=8m');
      execFileSync('mount', ['-o', 'remount,ro', path('to')]);
      put(path('from/a'), 'a');
      for (const name of ['to', 'to/new/deep']) {
        const report = await send({ to: { machine: ends()[1], path: path(name) } });
        assert.deepEqual(
          [report.outcome, report.failure?.reason, report.files],
          ['stopped', 'denied', 0],
        );
        assert.match(report.failure?.message ?? '', isDown ? /read-only/ : /gpu1.*read-only/);
      }
    });

    it(`is aborted in the middle of ${manyFiles} files, keeps what is whole, and goes on with the rest`, async () => {
      for (let index = 0; index < manyFiles; index++) {
        if (index % 100 === 0) fs.mkdirSync(path(`from/d${index / 100}`), { recursive: true });
        fs.writeFileSync(
          path(`from/d${Math.floor(index / 100)}/f${index}`),
          `${index}`.repeat(isLong ? 200 : 400),
        );
      }
      const abort = new AbortController();
      const first = await send({
        signal: abort.signal,
        onProgress: ({ files }) => files > manyFiles * 0.3 && abort.abort(),
        clock: eager,
      });
      assert.equal(first.outcome, 'aborted');
      assert.ok(
        first.files > manyFiles * 0.3 && first.files < manyFiles,
        `${first.files} are there`,
      );
      const there = names(path('to'));
      assert.equal(there.length, first.files, 'what is told is what is there, and nothing else');
      for (const name of there)
        assert.ok(
          fs.readFileSync(path(`from/${name}`)).equals(fs.readFileSync(path(`to/${name}`))),
        );
      const second = await send();
      assert.deepEqual(
        [second.outcome, second.files, first.files + second.files],
        ['complete', manyFiles - first.files, manyFiles],
      );
      assert.deepEqual(names(path('to')), names(path('from')));
    });

    it('loses its link in the middle of many files, and sends the rest the next time', async () => {
      for (let index = 0; index < 600; index++) put(path(`from/f${index}`), randomBytes(250_000));
      let isCut = false;
      const cut = ({ files }: { readonly files: number }): void => {
        if (files === 0 || isCut) return;
        isCut = true;
        sshd.cut();
      };
      const first = await send({ onProgress: cut, clock: eager });
      assert.deepEqual(
        [first.outcome, first.failure?.reason],
        ['stopped', 'unreachable'],
        first.failure?.stack,
      );
      await until('the host is back', () =>
        host.exec('true').then(
          () => true,
          () => false,
        ),
      );
      const placed = names(path('to')).filter((name) => !name.startsWith('.helios')).length;
      assert.ok(placed > 0 && placed < 600, `${placed} are there`);
      const second = await send();
      assert.deepEqual(
        [second.failure, second.files, second.same],
        [undefined, 600 - placed, placed],
      );
      await until('what was cut off is gone', () => names(path('to')).length === 600);
    });

    it('takes memory for no more than a few pieces of a large file', async () => {
      fs.writeFileSync(path('from'), '');
      fs.truncateSync(path('from'), largeBytes);
      globalThis.gc?.();
      const beforeBytes = process.memoryUsage().rss;
      let maxBytes = 0;
      const watch = setInterval(
        () => (maxBytes = Math.max(maxBytes, process.memoryUsage().rss)),
        20,
      );
      const report = await send().finally(() => clearInterval(watch));
      assert.deepEqual([report.outcome, report.sentBytes], ['complete', largeBytes]);
      assert.ok(
        maxBytes - beforeBytes < 150 * megabyte,
        `${Math.round((maxBytes - beforeBytes) / megabyte)} MiB more`,
      );
    });
  });
