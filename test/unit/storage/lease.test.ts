import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Clock } from '../../../src/base/clock.ts';
import { Lease } from '../../../src/storage/lease.ts';
import {
  systemProcesses,
  type FoundProcess,
  type Processes,
} from '../../../src/storage/processes.ts';
import { writeRequest } from '../../../src/storage/leaseRequest.ts';
import { StorageFailure } from '../../../src/storage/storageFailure.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { assertMode } from '../../fakes/modes.ts';
import { until } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';
import { statField } from '../runs/harness.ts';

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
        `import { Lease } from ${JSON.stringify(pathToFileURL('src/storage/lease.ts'))};
         import { systemClock } from ${JSON.stringify(pathToFileURL('src/base/clock.ts'))};
         await Lease.acquire(${JSON.stringify(file)}, { clock: systemClock, kind: 'terminal', onLost: () => {} });
         console.log('held'); setInterval(() => {}, 1000);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(holder.stdout, 'data');
    await assert
      .rejects(acquire(clock), /in use by helios in a terminal \(process/)
      .finally(() => holder.kill('SIGKILL'));
    if (holder.signalCode === null) await once(holder, 'exit');
    await (await acquire(clock)).release();
  });

  it('is taken over from another host only when its heartbeat is old', async () => {
    const clock = new ManualClock();
    // A machine that stalls for seconds is taken for one that slept, and then nobody for dead.
    const processes: Processes = {
      uptimeMs: () => systemProcesses.uptimeMs(),
      find: (pid) => systemProcesses.find(pid),
      awake: { awakeMs: () => Infinity, hasSlept: false },
    };
    const take = () => Lease.acquire(file, { clock, kind: 'terminal', onLost: nothing, processes });
    await writeFile(
      file,
      JSON.stringify({ token: 't', pid: 1, processStart: '1', host: 'elsewhere' }),
    );
    const beat = (ageMs: number) =>
      utimes(file, new Date(clock.now() - ageMs), new Date(clock.now() - ageMs));
    await beat(20_000);
    await assert.rejects(take(), /elsewhere/);
    await beat(40_000);
    await (await take()).release();
  });

  it('is not free for another host while its holder lives, however long', async () => {
    const clock = new ManualClock();
    const lease = await acquire(clock);
    // From now on all that can be told of the holder is its heartbeat.
    const owner = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...owner, host: 'elsewhere' }));
    await utimes(file, new Date(clock.now()), new Date(clock.now()));
    for (let beat = 0; beat < 12; beat += 1) {
      await clock.advance(6_000);
      await until('the next beat is due', () => clock.pendingTimers === 1);
      const ageMs = clock.now() - (await stat(file)).mtimeMs;
      assert.ok(ageMs < 6_000, `${ageMs} ms after beat ${beat}`);
    }
    await assert.rejects(acquire(clock), { reason: 'owned' });
    await lease.release();
    assert.deepEqual(await readdir(folder), []);
  });

  needs('posix')('is free when another process has the pid of its holder', async () => {
    const clock = new ManualClock();
    const owner = { token: 't', pid: process.pid, host: hostname() };
    const ownStart = (await systemProcesses.find(process.pid))?.start ?? '';
    await writeFile(file, JSON.stringify({ ...owner, processStart: ownStart }));
    await assert.rejects(acquire(clock), { reason: 'owned' });
    await writeFile(file, JSON.stringify({ ...owner, processStart: `not ${ownStart}` }));
    await (await acquire(clock)).release();
  });

  needs('linux')('is free when its holder has ended and nobody has asked how', async () => {
    const clock = new ManualClock();
    // The child of a shell that becomes a program which never waits for it.
    const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec tail -f /dev/null'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const pid = Number(String((await once(parent.stdout, 'data'))[0]));
      await until(
        'the shell is gone',
        async () => (await readFile(`/proc/${parent.pid}/comm`, 'utf8')) === 'tail\n',
      );
      process.kill(pid, 'SIGKILL');
      await until('it has ended', () => statField(pid, 0) === 'Z');
      const processStart = statField(pid, 19);
      await writeFile(file, JSON.stringify({ token: 't', pid, processStart, host: hostname() }));
      await (await acquire(clock)).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('is not lost by who lets go of it during a heartbeat', async () => {
    const clock = new ManualClock();
    let losses = 0;
    const lease = await acquire(clock, () => (losses += 1));
    // The heartbeat reads the file while that goes away.
    await clock.advance(5_000);
    await lease.release();
    for (let round = 0; round < 20; round += 1) await stat(folder);
    assert.deepEqual([losses, clock.pendingTimers], [0, 0]);
  });

  it('tells its holder once that it is wanted, and only who is meant', async () => {
    const clock = new ManualClock();
    let wishes = 0;
    const onWanted = (): void => void (wishes += 1);
    const lease = await Lease.acquire(file, { clock, kind: 'window', onLost: nothing, onWanted });
    assertMode(file, 0o600);
    const beat = async (): Promise<void> => {
      await clock.advance(5_000);
      await until('the next beat is due', () => clock.pendingTimers === 1);
    };
    await beat();
    await writeRequest(file, 'another token');
    await beat();
    assert.equal(wishes, 0);
    const { token } = JSON.parse(await readFile(file, 'utf8')) as { token: string };
    await writeRequest(file, token);
    await beat();
    await beat();
    assert.equal(wishes, 1);
    await lease.release();
  });

  it('tells its holder when somebody else took it', async () => {
    const clock = new ManualClock();
    let losses = 0;
    const lease = await acquire(clock, () => (losses += 1));
    await writeFile(
      file,
      JSON.stringify({ token: 'other', pid: 1, processStart: '1', host: 'elsewhere' }),
    );
    await clock.advance(6_000);
    while (losses === 0) await new Promise((resolve) => setImmediate(resolve));
    await lease.release();
    assert.match(await readFile(file, 'utf8'), /other/);
  });

  it('leaves the lease file of another holder in place when it is released', async () => {
    const lease = await acquire(new ManualClock());
    const other = { token: 'other', pid: 1, processStart: '1', host: 'elsewhere' };
    await writeFile(file, JSON.stringify(other));
    await lease.release();
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), other);
  });

  it('is free when the process of its holder, recorded without a start time, has ended', async () => {
    const ended = spawn(process.execPath, ['-e', '']);
    await once(ended, 'exit');
    const owner = { token: 't', pid: ended.pid, processStart: '', host: hostname() };
    await writeFile(file, JSON.stringify(owner));
    assert.equal(await Lease.holder(file, new ManualClock()), undefined);
  });

  it('goes to exactly one of many that want it', async () => {
    const clock = new ManualClock();
    await writeFile(
      file,
      JSON.stringify({ token: 'dead', pid: 2 ** 22, processStart: '1', host: hostname() }),
    );
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => acquire(clock)));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  });

  it('treats a garbage lock file as nobody’s', async () => {
    const owner = { token: 't', pid: 1, processStart: '1', host: 'elsewhere' };
    const partial = [
      {},
      [],
      null,
      7,
      { ...owner, pid: '1' },
      { ...owner, token: undefined },
      { ...owner, host: undefined },
      ...[7, '', '../../elsewhere', 'a/b'].map((token) => ({ ...owner, token })),
    ];
    for (const garbage of ['{"tok', '', ...partial.map((value) => JSON.stringify(value))]) {
      await writeFile(file, garbage);
      assert.equal(await Lease.holder(file, new ManualClock()), undefined, garbage);
      await (await acquire(new ManualClock())).release();
    }
  });

  it('says what is in the way where its folder cannot be made', async () => {
    await writeFile(path.join(folder, 'sessions'), 'a file');
    const inTheWay = path.join(folder, 'sessions', 's-1', 'lease.json');
    const terms = { clock: new ManualClock(), kind: 'terminal', onLost: nothing } as const;
    await assert.rejects(Lease.acquire(inTheWay, terms), {
      reason: 'io',
      message: /Cannot write .*s-1: (?:ENOTDIR|EEXIST)/,
    });
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

  describe('without the start times of processes', () => {
    const hour = 3_600_000;
    let clock: ManualClock;
    let found: FoundProcess | undefined;
    let awakeMs: number;
    let hasSlept: boolean;
    const processes: Processes = {
      find: async () => found,
      uptimeMs: () => 10 * hour,
      awake: {
        awakeMs: () => awakeMs,
        get hasSlept() {
          return hasSlept;
        },
      },
    };
    beforeEach(() => {
      clock = new ManualClock();
      found = { start: '', isOurs: true };
      awakeMs = hour;
      hasSlept = false;
    });
    const hold = async (ageMs: number, more: object = {}): Promise<void> => {
      const owner = { token: 't', pid: 4711, processStart: '', host: hostname(), ...more };
      await writeFile(file, JSON.stringify(owner));
      const beat = new Date(clock.now() - ageMs);
      await utimes(file, beat, beat);
    };
    const isTaken = async (): Promise<boolean> => {
      const options = { clock, kind: 'terminal', onLost: nothing, processes } as const;
      const lease = await Lease.acquire(file, options).catch((error: unknown) => {
        assert.ok(error instanceof StorageFailure && error.reason === 'owned');
      });
      await lease?.release();
      return lease !== undefined;
    };

    it('is free when its last heartbeat is older than the start of the computer', async () => {
      awakeMs = 0;
      await hold(11 * hour);
      assert.equal(await isTaken(), true);
      await hold(9 * hour);
      assert.equal(await isTaken(), false);
    });

    it('is kept while its heartbeat is fresh', async () => {
      await hold(20_000);
      assert.equal(await isTaken(), false);
      assert.equal((await Lease.holder(file, clock, processes))?.pid, 4711);
    });

    it('is free when its holder misses beats while the computer is awake', async () => {
      await hold(40_000);
      assert.equal(await isTaken(), true);
    });

    it('is kept over eight hours of sleep, until its holder could have woken up', async () => {
      hasSlept = true;
      awakeMs = 4_000;
      await hold(8 * hour);
      assert.equal(await isTaken(), false);
      awakeMs = 31_000;
      assert.equal(await isTaken(), true);
    });

    it('is kept over sleep also when the computer wakes up under another name', async () => {
      hasSlept = true;
      awakeMs = 4_000;
      await hold(8 * hour, { host: 'mac-at-home' });
      assert.equal(await isTaken(), false);
      awakeMs = 31_000;
      assert.equal(await isTaken(), true);
    });

    it('is kept by a process of another user only with a fresh heartbeat', async () => {
      found = { start: '', isOurs: false };
      awakeMs = 0;
      await hold(20_000);
      assert.equal(await isTaken(), false);
      await hold(40_000);
      assert.equal(await isTaken(), true);
    });

    it('is judged by its heartbeat where only one start time is known', async () => {
      for (const [recorded, now] of [
        ['Thu', ''],
        ['', 'Thu'],
        [undefined, 'Thu'],
      ] as const) {
        found = { start: now, isOurs: true };
        await hold(20_000, { processStart: recorded });
        assert.equal(await isTaken(), false);
        await hold(40_000, { processStart: recorded });
        assert.equal(await isTaken(), true);
      }
    });

    it('needs no heartbeat of a process that is certainly the holder', async () => {
      found = { start: 'Thu Nov 26 17:32:59 2026', isOurs: true };
      await hold(11 * hour, { processStart: found.start });
      assert.equal(await isTaken(), false);
      await hold(1_000, { processStart: 'Thu Nov 26 17:32:58 2026' });
      assert.equal(await isTaken(), true);
    });
  });
});
