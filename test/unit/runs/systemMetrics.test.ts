import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { SystemSeries } from '../../../src/agent/session/systemSeries.ts';
import { Emitter } from '../../../src/base/emitter.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import type { GoingRun } from '../../../src/machines/resources/gpuTimes.ts';
import type { ResourceSample } from '../../../src/machines/resources/resourceSample.ts';
import { systemFolder, SystemMetrics, systemNames } from '../../../src/runs/systemMetrics.ts';
import { homeAt, type Home } from '../../../src/storage/home.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { runState } from '../vscode/states.ts';

const gb = 1e9;

describe('the resources of runs as series', () => {
  let folder: string;
  let home: Home;
  let clock: ManualClock;
  let runs: GoingRun[];
  let latest: ResourceSample | undefined;
  let recording: SystemMetrics;
  const changed = new Emitter<string>();
  const one = runState(1);
  const two = runState(2);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'helios-system-'));
    home = homeAt(folder);
    clock = new ManualClock();
    runs = [{ runId: one.spec.id, machineId: 'local', pid: 7, gpuIds: ['0', '2'] }];
    const resources = { onDidChange: changed.event, latest: () => latest };
    const going = (): GoingRun[] => runs;
    recording = new SystemMetrics({ resources, home, clock, logger: silentLogger, going });
  });
  afterEach(() => {
    recording.dispose();
    rmSync(folder, { recursive: true });
  });

  /** Takes samples as `MachineResources` does, and waits until they are on disk. */
  async function sample(taken: Omit<ResourceSample, 'atMs'>, afterMs = 15_000): Promise<void> {
    await clock.advance(afterMs);
    latest = { atMs: clock.now(), ...taken };
    changed.fire('local');
    await recording.settled();
  }

  const gpu = (id: string, utilisationPercent: number, pid = 0) => ({
    id,
    utilisationPercent,
    memoryUsedBytes: 4 * gb,
    processes: [{ pid }],
  });

  async function read(run = one): Promise<Record<string, readonly number[]>> {
    const metrics = await new SystemSeries(home, clock).of(run);
    const names = metrics?.names() ?? [];
    return Object.fromEntries(
      names.map((name) => [name, [...(metrics?.series(name).values ?? [])]]),
    );
  }

  it('are those of the machine, and of the GPUs that the run has', async () => {
    const gpus = [gpu('0', 90), gpu('1', 5, 99), gpu('2', 70)];
    await sample({ memoryUsedBytes: 8 * gb, gpus });
    await sample({ cpuPercent: 40, memoryUsedBytes: 9 * gb, gpus: [gpu('0', 50), gpu('2', 50)] });
    assert.deepEqual(await read(), {
      [systemNames.gpu]: [80, 50],
      [systemNames.gpuMemory]: [8, 8],
      [systemNames.memory]: [8, 9],
      [systemNames.cpu]: [40],
    });
    const names = await new SystemSeries(home, clock).names([one, two]);
    assert.deepEqual(names, Object.values(systemNames));
  });

  it('say nothing of GPUs that the run neither leases nor uses, or that were not read', async () => {
    runs = [
      { runId: one.spec.id, machineId: 'local', pid: 7 },
      { runId: two.spec.id, machineId: 'local', pid: 8 },
    ];
    const mute = { id: '1', processes: [{ pid: 8 }] };
    await sample({ cpuPercent: 1, gpus: [gpu('0', 90, 7), mute] });
    assert.deepEqual((await read(one))[systemNames.gpu], [90]);
    assert.deepEqual(await read(two), { [systemNames.cpu]: [1] });
  });

  it('are not recorded of runs that have not begun, nor more often than every 14 seconds', async () => {
    runs = [{ runId: one.spec.id, machineId: 'local' }];
    await sample({ cpuPercent: 1 });
    assert.deepEqual(await read(), {});
    runs = [{ runId: one.spec.id, machineId: 'local', pid: 7 }];
    for (const cpuPercent of [1, 2, 3, 4]) await sample({ cpuPercent }, 5_000);
    assert.deepEqual((await read())[systemNames.cpu], [1, 4]);
  });

  it('become rarer in a run of many days', async () => {
    await sample({ cpuPercent: 1 });
    await sample({ cpuPercent: 2 }, 4 * 24 * 3600 * 1000);
    await sample({ cpuPercent: 3 });
    await sample({ cpuPercent: 4 }, 80_000);
    assert.deepEqual((await read())[systemNames.cpu], [1, 2, 4]);
  });

  it('go on in the same files after a restart, and stand beside the metrics of the run', async () => {
    await sample({ cpuPercent: 1 });
    recording.dispose();
    const resources = { onDidChange: changed.event, latest: () => latest };
    const going = (): GoingRun[] => runs;
    recording = new SystemMetrics({ resources, home, clock, logger: silentLogger, going });
    await sample({ cpuPercent: 2 });
    assert.deepEqual((await read())[systemNames.cpu], [1, 2]);
    const own = home.runFolder(one.spec.id);
    await assert.rejects(stat(join(own, 'points.bin')));
    assert.equal((await stat(join(systemFolder(own), 'points.bin'))).size, 16 + 2 * 40);
  });
});
