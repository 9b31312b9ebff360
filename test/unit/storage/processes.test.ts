import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import path from 'node:path';
import { describe, it } from 'mocha';
import { AwakeTime, type Standstill } from '../../../src/storage/awakeTime.ts';
import { SystemProcesses } from '../../../src/storage/processes.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';
import { statField } from '../runs/harness.ts';

const hour = 3_600_000;

describe('processes of this computer', () => {
  const linux = new SystemProcesses();
  const mac = new SystemProcesses({ platform: 'darwin', procFolder: '/nowhere' });
  const windows = new SystemProcesses({ platform: 'win32', procFolder: '/nowhere' });

  needs('linux')('have the start time of /proc', async () => {
    assert.deepEqual(await linux.find(process.pid), {
      start: statField(process.pid, 19),
      isOurs: true,
    });
  });

  needs('posix')('have a start time where ps says it', async () => {
    const found = await mac.find(process.pid);
    assert.match(found?.start ?? '', /^\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}$/);
    assert.deepEqual(await windows.find(process.pid), { start: '', isOurs: true });
    assert.ok(Math.abs(linux.uptimeMs() - uptime() * 1_000) < 60_000);
  });

  needs('posix')('have the same start time in every language and time zone', async () => {
    const before = { TZ: process.env['TZ'], LC_ALL: process.env['LC_ALL'] };
    const there = new SystemProcesses({ platform: 'darwin', procFolder: '/nowhere' });
    try {
      process.env['TZ'] = 'Asia/Tokyo';
      process.env['LC_ALL'] = 'de_DE.UTF-8';
      assert.deepEqual(await there.find(process.ppid), await mac.find(process.ppid));
      process.env['TZ'] = 'America/New_York';
      const [, start] = [await there.find(process.ppid), (await mac.find(process.pid))?.start];
      assert.ok(Math.abs(Date.parse(`${start} UTC`) - Date.now()) < hour);
    } finally {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  needs('linux')('are gone when they have ended, also while nobody has asked how', async () => {
    const ended = spawn('true');
    await once(ended, 'exit');
    const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec tail -f /dev/null'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const zombie = Number(String((await once(parent.stdout, 'data'))[0]));
      // The shell would still ask how it ended.
      await until(
        'the shell is gone',
        () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'tail\n',
      );
      process.kill(zombie, 'SIGKILL');
      await until('it has ended', () => statField(zombie, 0) === 'Z');
      for (const processes of [linux, mac]) {
        assert.equal(await processes.find(ended.pid ?? 0), undefined);
        assert.equal(await processes.find(zombie), undefined);
      }
    } finally {
      parent.kill('SIGKILL');
    }
    for (const pid of [0, -1, 1.5, Number.NaN])
      for (const processes of [linux, mac, windows])
        assert.equal(await processes.find(pid), undefined, String(pid));
  });
});

describe('processes of other users', () => {
  const folder = scratchFolder();

  it('are there, also where the system hides their folders', async () => {
    const processes = new SystemProcesses({ platform: 'linux', procFolder: folder() });
    mkdirSync(path.join(folder(), 'self'));
    writeFileSync(path.join(folder(), 'self/stat'), '');
    assert.equal(await processes.find(process.ppid), undefined);
    const { kill } = process;
    try {
      process.kill = () => {
        throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
      };
      assert.deepEqual(await processes.find(process.ppid), { start: '', isOurs: false });
    } finally {
      process.kill = kill;
    }
  });
});

describe('awake time', () => {
  const watched = () => {
    let nowMs = Date.UTC(2026, 0, 1);
    let stoppedMs = 0;
    let beat = (): void => undefined;
    const awake = new AwakeTime({
      now: () => nowMs,
      tickingMs: () => nowMs - stoppedMs,
      uptimeMs: () => nowMs,
      every: (_, callback) => (beat = callback),
    });
    const standstills: Standstill[] = [];
    awake.onDidStandStill((one) => standstills.push(one));
    return {
      awake,
      standstills,
      pass(ms: number, everyMs = 5_000): void {
        for (let left = ms; left > 0; left -= everyMs) {
          nowMs += Math.min(left, everyMs);
          beat();
        }
      },
      sleep(ms: number): void {
        nowMs += ms;
        stoppedMs += ms;
      },
      /** Time in which only this process stops: the clocks go on. */
      stop(ms: number): void {
        nowMs += ms;
      },
    };
  };

  it('begins again when beats were missed, before the next one comes', () => {
    const { awake, pass, sleep } = watched();
    pass(60_000);
    assert.deepEqual([awake.awakeMs(), awake.hasSlept], [60_000, false]);
    sleep(8 * hour);
    assert.deepEqual([awake.awakeMs(), awake.hasSlept], [0, true]);
    pass(20_000);
    assert.equal(awake.awakeMs(), 20_000);
  });

  it('does not take a beat that is a little late for sleep, nor a clock set back for awake', () => {
    const { awake, pass, sleep } = watched();
    pass(36_000, 9_000);
    assert.deepEqual([awake.awakeMs(), awake.hasSlept], [36_000, false]);
    sleep(-hour);
    assert.equal(awake.awakeMs(), 0);
  });

  it('tells how long nothing happened, from when a beat was due, once', () => {
    const { awake, standstills, pass, sleep } = watched();
    pass(60_000);
    sleep(8 * hour);
    awake.look();
    pass(60_000);
    assert.deepEqual(standstills, [{ durationMs: 8 * hour - 5_000, isAsleep: true }]);
  });

  it('says that the computer slept only where its clocks show it', () => {
    const { standstills, pass, stop } = watched();
    stop(hour);
    pass(5_000);
    assert.deepEqual(standstills, [{ durationMs: hour, isAsleep: false }]);
  });

  it('tells nothing of a clock that is set back', () => {
    const { awake, standstills, sleep } = watched();
    sleep(-hour);
    awake.look();
    assert.deepEqual(standstills, []);
  });
});
