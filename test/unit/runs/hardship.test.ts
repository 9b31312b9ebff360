import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import type { Machine } from '../../../src/machines/machine.ts';
import { parseExit } from '../../../src/runs/exitRecord.ts';
import { Runs } from '../../../src/runs/runs.ts';
import { until } from '../../fakes/scratch.ts';
import { ended, useRuns } from './harness.ts';
import { needs } from '../../setup/needs.ts';

describe('runs in hardship', () => {
  const { folder, controller, spec } = useRuns();

  it('records the end on a full disk', async () => {
    const disk = join(folder(), 'disk');
    assert.ok(canMount(disk), 'this test mounts a small disk: run the tests as root');
    const machine = new LocalMachine({ runsFolder: join(disk, 'runs'), workFolder: disk });
    const runs = new Runs({
      machines: createMachines([machine]),
      folder: join(disk, 'runs'),
      clock: systemClock,
    });
    try {
      const command =
        'echo step=1 loss=0.5; sleep 0.3; cat /dev/zero > checkpoint; sleep 0.1; echo step=2 loss=0.4; exit 9';
      const run = await runs.launch(spec(command, { cwd: disk }));
      assert.deepEqual(await ended(run), { kind: 'failed', code: 9 });
      assert.equal(run.metrics.series('loss').values[0], 0.5);
    } finally {
      runs.dispose();
      await until('disk is free', () => unmounted(disk));
    }
  });

  needs('linux')('tells want of memory from a KILL', async () => {
    const group = memoryGroup(20 * 1024 * 1024);
    assert.ok(group, 'this test makes a memory control group: run the tests as root');
    try {
      const { runs } = controller(undefined, (machine) => inGroup(machine, group));
      const run = await runs.launch(spec('tail /dev/zero'));
      assert.deepEqual(await ended(run), { kind: 'out_of_memory' });
    } finally {
      await until('group is empty', () => removed(group));
    }
  });

  it('reads exit records strictly', () => {
    const record = (fields: string): string => `code=137\nended_ms=5\n${fields}\n      \n`;
    assert.deepEqual(parseExit(record('oom=1\nkilled=0')), {
      verdict: { kind: 'out_of_memory' },
      endedMs: 5,
    });
    assert.deepEqual(parseExit(record('oom=0\nkilled=0')), {
      verdict: { kind: 'signalled', signal: 'KILL' },
      endedMs: 5,
    });
    assert.deepEqual(parseExit(record('oom=1\nkilled=1')), {
      verdict: { kind: 'killed' },
      endedMs: 5,
    });
    assert.deepEqual(parseExit('code=1\nended_ms=5\noom=1\nkilled=0\n'), {
      verdict: { kind: 'failed', code: 1 },
      endedMs: 5,
    });
    for (const torn of ['', 'code=1', 'code=\nended_ms=5', 'ended_ms=5', 'code=x\nended_ms=5']) {
      assert.equal(parseExit(torn), undefined, torn);
    }
  });
});

const isRoot = process.getuid?.() === 0;

function canMount(at: string): boolean {
  if (!isRoot) return false;
  try {
    mkdirSync(at);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', at], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Waits for the supervisor, which may be a moment longer in the folder than its record. */
function unmounted(at: string): boolean {
  try {
    execFileSync('umount', [at], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A control group with so much memory, where we may make one. */
function memoryGroup(limitBytes: number): string | undefined {
  const [root, limit] = existsSync('/sys/fs/cgroup/memory')
    ? ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes']
    : ['/sys/fs/cgroup', 'memory.max'];
  const group = join(root, `helios-test-${process.pid}`);
  try {
    mkdirSync(group);
    writeFileSync(join(group, limit), String(limitBytes));
    return group;
  } catch {
    removed(group);
    return undefined;
  }
}

function removed(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return !existsSync(group);
  }
}

function inGroup(machine: Machine, group: string): Machine {
  const spawnDetached = machine.spawnDetached.bind(machine);
  const enter = `echo $$ > ${group}/cgroup.procs && exec "$@"`;
  return Object.assign(machine, {
    spawnDetached: (argv: readonly string[], options: Parameters<Machine['spawnDetached']>[1]) =>
      spawnDetached(['/bin/sh', '-c', enter, 'sh', ...argv], options),
  });
}
