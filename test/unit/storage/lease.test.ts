import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Clock } from '../../../src/base/clock.ts';
import { Lease } from '../../../src/storage/lease.ts';
import { StorageFailure } from '../../../src/storage/storageFailure.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

const nothing = (): void => undefined;

describe('lease', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'helios-lease-'));
    file = path.join(folder, 'lease.json');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const acquire = (clock: Clock, onLost: () => void = nothing): Promise<Lease> =>
    Lease.acquire(file, { clock, kind: 'terminal', onLost });

  it('has one holder, who is named to the others', async () => {
    const clock = new ManualClock();
    const lease = await acquire(clock);
    await assert.rejects(acquire(clock), (error) => {
      assert.ok(error instanceof StorageFailure && error.reason === 'owned');
      assert.match(error.message, new RegExp(`process ${process.pid}`));
      return true;
    });
    assert.equal((await Lease.holder(file, clock))?.pid, process.pid);
    await lease.release();
    assert.equal(await Lease.holder(file, clock), undefined);
    await (await acquire(clock)).release();
    assert.deepEqual(await readdir(folder), []);
  });

  it('is taken over at once when the process that held it is gone', async () => {
    const clock = new ManualClock();
    const holder = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { Lease } from ${JSON.stringify(path.resolve('src/storage/lease.ts'))};
         import { systemClock } from ${JSON.stringify(path.resolve('src/base/clock.ts'))};
         await Lease.acquire(${JSON.stringify(file)}, { clock: systemClock, kind: 'terminal', onLost: () => {} });
         console.log('held'); setInterval(() => {}, 1000);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(holder.stdout, 'data');
    await assert
      .rejects(acquire(clock), /worked on by helios in a terminal \(process/)
      .finally(() => holder.kill('SIGKILL'));
    if (holder.signalCode === null) await once(holder, 'exit');
    await (await acquire(clock)).release();
  });

  it('is taken over from another host only when its heartbeat is old', async () => {
    const clock = new ManualClock();
    await writeFile(file, JSON.stringify({ token: 't', pid: 1, processStart: '1', host: 'elsewhere' }));
    const beat = (ageMs: number) => utimes(file, new Date(clock.now() - ageMs), new Date(clock.now() - ageMs));
    await beat(20_000);
    await assert.rejects(acquire(clock), /elsewhere/);
    await beat(40_000);
    await (await acquire(clock)).release();
  });

  it('tells its holder when somebody else took it', async () => {
    const clock = new ManualClock();
    let losses = 0;
    const lease = await acquire(clock, () => (losses += 1));
    await writeFile(file, JSON.stringify({ token: 'other', pid: 1, processStart: '1', host: 'elsewhere' }));
    await clock.advance(6_000);
    while (losses === 0) await new Promise((resolve) => setImmediate(resolve));
    await lease.release();
    assert.match(await readFile(file, 'utf8'), /other/);
  });

  it('goes to exactly one of many that want it', async () => {
    const clock = new ManualClock();
    await writeFile(
      file,
      JSON.stringify({ token: 'dead', pid: 2 ** 22, processStart: '1', host: (await import('node:os')).hostname() }),
    );
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => acquire(clock)));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  });

  it('treats a garbage lock file as nobody’s', async () => {
    await writeFile(file, '{"tok');
    await (await acquire(new ManualClock())).release();
  });

  it('says what is in the way where its folder cannot be made', async () => {
    await writeFile(path.join(folder, 'sessions'), 'a file');
    const inTheWay = path.join(folder, 'sessions', 's-1', 'lease.json');
    const terms = { clock: new ManualClock(), kind: 'terminal', onLost: nothing } as const;
    await assert.rejects(Lease.acquire(inTheWay, terms), { reason: 'io', message: /Cannot write .*s-1: ENOTDIR/ });
  });

  it('outlives a disk that does not answer for a while', async () => {
    const clock = new ManualClock();
    let losses = 0;
    const lease = await acquire(clock, () => (losses += 1));
    const content = await readFile(file);
    await rm(file);
    // A folder in its place can be neither read nor taken for somebody else's.
    await mkdir(file);
    await clock.advance(6_000);
    while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(losses, 0);
    await rm(file, { recursive: true });
    await writeFile(file, content);
    await clock.advance(6_000);
    await lease.release();
    assert.deepEqual(await readdir(folder), []);
  });
});
