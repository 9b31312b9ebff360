import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { RunWatchdogs } from '../../../../src/agent/runs/runWatchdogs.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import { Emitter } from '../../../../src/base/emitter.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import type {
  GpuSample,
  ResourceSample,
} from '../../../../src/machines/resources/resourceSample.ts';
import type { Run, RunChange } from '../../../../src/runs/liveRun.ts';
import type { MetricLimits } from '../../../../src/metrics/metricsOptions.ts';
import { RunMetrics } from '../../../../src/metrics/runMetrics.ts';
import type { Liveness } from '../../../../src/runs/run.ts';
import { defaultPolicy, type WatchdogPolicy } from '../../../../src/watchdogs/settings.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { runState, started } from '../../vscode/states.ts';

const minuteMs = 60_000;
const gb = 1e9;

describe('the watch over the runs of a session', () => {
  const folder = scratchFolder();
  let clock: ManualClock;
  let log: SessionLog;
  let sessionRuns: RunWatchdogs;
  let runs: {
    number: number;
    liveness: Liveness;
    lastOutputMs: number | undefined;
    machineId: string;
    metrics?: RunMetrics;
  }[];
  let killed: number[];
  let sample: ResourceSample | undefined;
  let probed: Emitter<string>;
  let changed: Emitter<RunChange>;

  beforeEach(async () => {
    clock = new ManualClock();
    [runs, killed, sample] = [[], [], undefined];
    [probed, changed] = [new Emitter(), new Emitter()];
    const { v: _v, id: _id, at: _at, ...first } = started();
    log = await SessionLog.open(join(folder(), 'journal.jsonl'), clock, first);
  });
  afterEach(async () => {
    sessionRuns.dispose();
    await log.close();
  });

  const runOf = (number: number): Run => {
    const { machineId, ...known } = runs.find((run) => run.number === number) ?? assert.fail();
    const { spec, process } = runState(number);
    const metrics = { isWhole: true, names: () => [], series: () => assert.fail() };
    return { spec: { ...spec, machineId }, process, metrics, ...known } as unknown as Run;
  };
  const go = async (number: number, machineId = 'gpu1'): Promise<void> => {
    runs.push({ number, machineId, liveness: { kind: 'running' }, lastOutputMs: 1 });
    const { spec, process } = runOf(number);
    await log.record({ type: 'run.planned', callId: 'c', spec });
    await log.record({ type: 'run.started', runId: spec.id, process: process ?? assert.fail() });
  };
  const open = (policy: Partial<WatchdogPolicy> = {}): void => {
    sessionRuns = new RunWatchdogs({
      ...{
        log,
        clock,
        logger: silentLogger,
        onFailed: assert.fail,
        policy: { ...defaultPolicy, ...policy },
      },
      sessionRuns: {
        live: () => runs.map(({ number }) => runOf(number)),
        settle: () => Promise.resolve(),
        ledger: () => ({ rows: [], experiments: [], imported: [] }),
      },
      runs: {
        onDidChange: changed.event,
        output: () => Promise.resolve({ text: '', sizeBytes: 0, path: '', isCut: false }),
        kill({ spec: { number }, liveness }) {
          killed.push(number);
          const sent = { signal: 'TERM', signalled: [], left: [], isEscalated: false };
          return Promise.resolve({ ...sent, wasRunning: true, isVerified: true, liveness });
        },
      },
      resources: { onDidChange: probed.event, latest: () => sample },
      questions: { ask: () => Promise.resolve({ id: 'q1', fallback: '', deadlineMs: 1 }) },
      waiting: { alarm: () => undefined },
    });
    sessionRuns.open();
  };
  /** Alarms as `run kind action`, once nothing more is being recorded. */
  const alarms = async (): Promise<string[]> => {
    let before = -1;
    while (before !== log.events.length) {
      before = log.events.length;
      await log.record({ type: 'note.unpinned', number: 1 });
      before += 1;
      for (let round = 0; round < 3; round += 1)
        await new Promise((resolve) => setImmediate(resolve));
    }
    return log.events.flatMap((event) => {
      if (event.type !== 'run.alarmed') return [];
      return [`${log.state.runs.get(event.runId)?.spec.number} ${event.kind} ${event.action}`];
    });
  };
  const refresh = (facts: Omit<ResourceSample, 'atMs'>, machineId = 'gpu1'): void => {
    sample = { atMs: clock.now(), ...facts };
    probed.fire(machineId);
  };
  const disk = (freeGb: number) => ({
    disks: [{ path: '/', freeBytes: freeGb * gb, totalBytes: 1_000 * gb }],
  });

  it('tells of a full disk once for all runs of the machine, and anew after there was room', async () => {
    await Promise.all([go(1, 'other'), go(2), go(3)]);
    open();
    refresh(disk(100));
    for (const _ of [1, 2, 3]) refresh(disk(4));
    assert.deepEqual(await alarms(), ['2 disk warn']);
    refresh(disk(6));
    refresh(disk(4));
    assert.deepEqual(await alarms(), ['2 disk warn'], 'there was not much room');
    refresh(disk(8));
    refresh(disk(4));
    assert.deepEqual(await alarms(), ['2 disk warn', '2 disk warn']);
  });

  it('ends all runs of a machine for its disk where the policy says kill, and those of no other', async () => {
    await Promise.all([go(1, 'other'), go(2), go(3)]);
    open({ disk: { ...defaultPolicy.disk, action: 'kill' } });
    refresh(disk(4));
    assert.deepEqual(await alarms(), ['2 disk kill', '3 disk kill']);
    assert.deepEqual(killed.toSorted(), [2, 3]);
  });

  it('does not tell again of a disk that it told of before it was taken up', async () => {
    await go(1);
    await log.record({
      type: 'run.alarmed',
      runId: runOf(1).spec.id,
      kind: 'disk',
      detail: 'd',
      action: 'warn',
    });
    open();
    refresh(disk(4));
    assert.deepEqual(await alarms(), ['1 disk warn']);
    refresh(disk(100));
    refresh(disk(4));
    assert.deepEqual(await alarms(), ['1 disk warn', '1 disk warn']);
  });

  const gpu = (utilisationPercent?: number): GpuSample => ({
    ...{ id: '0', processes: [{ pid: 101 }] },
    ...(utilisationPercent !== undefined && { utilisationPercent }),
  });
  const lookFor = async (minutes: number, gpus: readonly GpuSample[]): Promise<string[]> => {
    for (let second = 0; second <= minutes * 60; second += 15) {
      refresh({ gpus });
      await clock.advance(15_000);
    }
    return (await alarms()).filter((text) => text.includes('gpu_idle'));
  };
  const gpuCases: readonly (readonly [
    name: string,
    gpus: readonly GpuSample[],
    told: readonly string[],
  ])[] = [
    ['does nothing', [gpu(0)], ['1 gpu_idle warn']],
    ['works', [gpu(50)], []],
    ['the driver tells nothing of', [gpu()], []],
    [
      'does nothing beside one that the driver tells nothing of',
      [gpu(0), { ...gpu(), id: '1' }],
      [],
    ],
    ['does nothing beside one that works', [gpu(0), { ...gpu(50), id: '1' }], []],
    ['belongs to somebody else', [{ ...gpu(0), processes: [{ pid: 9 }] }], []],
  ];
  for (const [name, gpus, told] of gpuCases)
    it(`${told.length > 0 ? 'tells' : 'says nothing'} of a GPU that ${name}`, async () => {
      await go(1);
      open({ silence: { action: 'off', minutes: 1 } });
      assert.deepEqual(await lookFor(16, gpus), told);
    });

  it('counts no silence while a machine does not answer', async () => {
    await go(1);
    open({ silence: { action: 'warn', minutes: 10 } });
    const [run] = runs;
    assert.ok(run);
    for (let outage = 0; outage < 20; outage += 1) {
      run.liveness = { kind: 'unknown', why: 'no answer' };
      await clock.advance(minuteMs);
      run.liveness = { kind: 'running' };
      await clock.advance(15_000);
    }
    assert.deepEqual(await alarms(), []);
    await clock.advance(10 * minuteMs);
    assert.deepEqual(await alarms(), ['1 silence warn']);
  });

  it('measures a run that began anew from there, and looks no more once there is nothing to watch', async () => {
    await go(1);
    open({ silence: { action: 'warn', minutes: 10 } });
    await clock.advance(9 * minuteMs);
    const run = runOf(1);
    changed.fire({ kind: 'started', run, process: run.process ?? assert.fail() });
    await clock.advance(9 * minuteMs);
    assert.deepEqual(await alarms(), []);
    await clock.advance(2 * minuteMs);
    assert.deepEqual(await alarms(), ['1 silence warn']);
    changed.fire({ kind: 'ended', run, verdict: { kind: 'ok' }, endedMs: 1 });
    await clock.advance(minuteMs);
    assert.equal(clock.pendingTimers, 0);
  });

  it('says once that a metric pattern is switched off, also after the run has ended', async () => {
    await go(1);
    open();
    const why = 'the pattern (a+)+ of the metric loss took longer than 1 s on one line';
    changed.fire({ kind: 'pattern_off', run: runOf(1), why });
    changed.fire({ kind: 'pattern_off', run: runOf(1), why });
    assert.deepEqual(await alarms(), ['1 metric_pattern warn']);
    const { spec } = runOf(1);
    const end = { verdict: { kind: 'ok' as const }, endedMs: 5 };
    await log.record({ type: 'run.ended', runId: spec.id, ...end, metrics: [] });
    for (const metric of ['a', 'b', 'c', 'd', 'e', 'f'])
      changed.fire({ kind: 'pattern_off', run: runOf(1), why: `${why} of ${metric}` });
    assert.equal((await alarms()).length, 7);
  });

  describe('with more points than memory holds', () => {
    const output = (from: number, to: number, bad: (at: number) => boolean): Buffer =>
      Buffer.from(
        Array.from({ length: to - from }, (_, at) => `loss=${bad(from + at) ? 'nan' : 0.5}\n`).join(
          '',
        ),
      );
    const metricsWith = async (
      limits: Partial<MetricLimits>,
      bytes: Buffer,
    ): Promise<RunMetrics> => {
      const opened = await RunMetrics.open(
        join(folder(), `m${runs.length}`),
        { names: ['loss'] },
        { limits },
      );
      opened.ingest(bytes, 0, 1);
      return opened;
    };
    const adopt = async (metrics: RunMetrics): Promise<void> => {
      await go(runs.length + 1);
      Object.assign(runs.at(-1) ?? assert.fail(), { metrics });
    };

    it('finds from the disk what it finds in memory, and hears no point twice', async () => {
      const bad = (at: number): boolean => at === 5_005;
      const whole = await metricsWith({}, output(0, 5_010, bad));
      await adopt(whole);
      const sampled = await metricsWith({ pointsPerSeries: 256 }, output(0, 5_000, bad));
      await adopt(sampled);
      assert.deepEqual([whole.isWhole, sampled.isWhole], [true, false]);
      open();
      const early = output(5_000, 5_010, bad);
      sampled.onDidAdd((points) => changed.fire({ kind: 'points', run: runOf(2), points }));
      sampled.ingest(early, sampled.resumeOffset, 2);
      await until('the disk is read', async () => (await alarms()).length > 1);
      assert.deepEqual(await alarms(), ['1 non_finite kill', '2 non_finite kill']);
      const details = log.events.flatMap((event) =>
        event.type === 'run.alarmed' ? [event.detail] : [],
      );
      assert.equal(details[0], details[1]);
      for (const metrics of [whole, sampled]) metrics.dispose();
    });

    it('counts no point twice that comes while the disk is read', async () => {
      const lines = (values: readonly number[]): Buffer =>
        Buffer.from(values.map((value) => `loss=${value}\n`).join(''));
      const calm = Array.from({ length: 5_000 }, (_, at) => 0.5 + (at % 7) / 100);
      const { divergence } = defaultPolicy;
      const wild = Array.from({ length: divergence.forPoints - 1 }, () => 500);
      const metrics = await metricsWith({ pointsPerSeries: 256 }, lines(calm));
      await adopt(metrics);
      metrics.onDidAdd((points) => changed.fire({ kind: 'points', run: runOf(1), points }));
      const replay = metrics.replay.bind(metrics);
      let isRead = false;
      let reads = 0;
      metrics.replay = ({ onPoints, onEnd }) =>
        replay({
          onPoints(points) {
            onPoints(points);
            if (reads++ === 0) metrics.ingest(lines(wild), metrics.resumeOffset, 2);
          },
          onEnd() {
            onEnd();
            isRead = true;
          },
        });
      open();
      await until('the disk is read', () => isRead);
      assert.deepEqual([reads, await alarms()], [2, []]);
      metrics.ingest(lines([500]), metrics.resumeOffset, 3);
      assert.deepEqual(await alarms(), ['1 divergence warn']);
      metrics.dispose();
    });

    it('says once that no more points are stored, also after a restart', async () => {
      const limits = { records: 100, pointsPerSeries: 64 };
      const metrics = await metricsWith(
        limits,
        output(0, 50, () => false),
      );
      await adopt(metrics);
      metrics.onDidEnd(() => changed.fire({ kind: 'points_ended', run: runOf(1) }));
      open();
      metrics.ingest(
        output(50, 500, () => false),
        metrics.resumeOffset,
        2,
      );
      assert.deepEqual(await alarms(), ['1 points warn']);
      sessionRuns.dispose();
      open();
      assert.deepEqual(await alarms(), ['1 points warn']);
      metrics.dispose();
    });

    it('says after a restart what it could not say before', async () => {
      const metrics = await metricsWith(
        { records: 100 },
        output(0, 500, () => false),
      );
      await adopt(metrics);
      open();
      assert.deepEqual(await alarms(), ['1 points warn']);
      metrics.dispose();
    });
  });
});
