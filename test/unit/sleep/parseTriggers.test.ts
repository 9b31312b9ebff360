import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { ToolFailure } from '../../../src/base/errors.ts';
import { MachineFailure } from '../../../src/machines/machine.ts';
import { parseSleep, type ParsedSleep } from '../../../src/sleep/parseTriggers.ts';
import type { FoundRun } from '../../../src/sleep/sleepPorts.ts';
import type { Trigger } from '../../../src/sleep/trigger.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { FakeDeps, run7, run8 } from './fakePorts.ts';

const hour = 3600_000;

describe('parseSleep', () => {
  let clock: ManualClock;
  let deps: FakeDeps;
  let runs: Map<string, FoundRun>;
  let endMs: number | undefined;

  beforeEach(() => {
    endMs = undefined;
    clock = new ManualClock();
    deps = new FakeDeps(clock);
    deps.add('local');
    runs = new Map([
      ['local:70', { id: run7, name: 'run 7', isEnded: true }],
      ['8', { id: run8, name: 'run 8', isEnded: false }],
    ]);
  });

  const ask = (conditions: unknown[], deadlineMinutes?: number): Promise<ParsedSleep> =>
    parseSleep(
      { reason: 'r', conditions, logic: 'any', deadlineMinutes },
      {
        clock,
        machines: { get: (id) => deps.machine(id) },
        probes: deps.probes,
        resources: deps.resources,
        runs: {
          find: (reference) => runs.get(reference),
          findSweep: (reference) => (reference === 's1' ? 's1' : undefined),
          going: () => [...runs.values()].filter((run) => !run.isEnded),
          isIdle: () => runs.size === 0,
          isOwn: (_machineId, { groupId }) => groupId === 8,
        },
        endMs: () => endMs,
      },
    );
  const one = async (condition: unknown): Promise<Trigger | undefined> =>
    (await ask([condition])).request.triggers[0];
  const refused = (condition: unknown, message: RegExp): Promise<void> =>
    assert.rejects(
      ask([condition]),
      (error: unknown) => error instanceof ToolFailure && message.test(error.message),
      JSON.stringify(condition),
    );

  it('takes a timer in each of its units', async () => {
    for (const given of [{ wake_after_seconds: 90 }, { seconds: 90 }, { minutes: 1.5 }])
      assert.deepEqual(await one({ type: 'timer', ...given }), {
        type: 'timer',
        atMs: clock.now() + 90_000,
      });
  });

  it('never waits an hour because a timer had no usable time', async () => {
    for (const given of [
      {},
      { seconds: '90' },
      { seconds: 0 },
      { minutes: -1 },
      { hours: 1 },
      { seconds: 1, minutes: 1 },
      { minutes: 1e9 },
    ])
      await refused({ type: 'timer', ...given }, /Expected shape: \{"type":"timer","minutes":30\}/);
  });

  it('takes a run by its name or its process, also one that has ended', async () => {
    const seven = { type: 'process_exit', runId: run7, name: 'run 7' };
    assert.deepEqual(await one({ type: 'process_exit', task_id: 'local:70' }), seven);
    assert.deepEqual(await one({ type: 'process_exit', machine_id: 'local', pid: 70 }), seven);
    assert.deepEqual(
      await one({ type: 'process_exit', machine_id: 'local', task_id: 'local:70' }),
      seven,
    );
    assert.deepEqual(await one({ type: 'process_exit', run: 8 }), {
      type: 'process_exit',
      runId: run8,
      name: 'run 8',
    });
  });

  it('refuses a sweep that does not exist, and says which one', () =>
    refused({ type: 'process_exit', sweep: 's9' }, /^There is no sweep "s9"\./));

  it('takes another process only while it is alive, with what tells it from a later one', async () => {
    const local = deps.machine('local');
    const condition = { type: 'process_exit', machine_id: 'local', pid: 42 };
    await refused(condition, /No process 42 on local: it has ended, or.*Current runs: run 8/);
    local.processes.push({ pid: 42, startTime: '991', command: 'sleep 60' });
    assert.deepEqual(await one(condition), {
      type: 'foreign_exit',
      machineId: 'local',
      pid: 42,
      startTime: '991',
    });
    local.trouble = 'unreachable';
    await assert.rejects(ask([condition]), (error: unknown) => error instanceof MachineFailure);
  });

  it('refuses a process that is named wrongly, showing how to name it', async () => {
    for (const given of [
      { pid: 42 },
      { machine_id: 'local' },
      { task_id: 'local:70', pid: 42 },
      { machine_id: 'local', pid: '42' },
      { machine_id: 'local', pid: 1.5 },
    ])
      await refused({ type: 'process_exit', ...given }, /Expected shape: .*"task_id":"run 7"/);
    await refused(
      { type: 'process_exit', task_id: 'local:99' },
      /no run "local:99"\. Current runs: run 8/,
    );
    for (const pattern of ['', 'a\nb', 7])
      await refused(
        { type: 'process_exit', machine_id: 'local', process_pattern: pattern },
        /Expected shape/,
      );
    await refused(
      { type: 'process_exit', machine_id: 'local', pid: 42, process_pattern: 'x' },
      /Expected shape/,
    );
    await refused({ type: 'process_exit', process_pattern: 'x' }, /Expected shape/);
  });

  it('takes a pattern only when it finds something, and says what is like it', async () => {
    const local = deps.machine('local');
    const condition = { type: 'process_exit', machine_id: 'local', process_pattern: 'train\\.py' };
    local.processes.push({ pid: 42, startTime: '991', command: 'python Train_gpt.py --lr 1' });
    await refused(
      condition,
      /No process on local.*similar command line: 42 python Train_gpt\.py --lr 1\. Current runs: run 8/,
    );
    await refused(
      { ...condition, process_pattern: 'nothing_at_all' },
      /No process has a similar command line/,
    );
    local.processes.push({ pid: 43, startTime: '992', command: 'python train.py' });
    assert.deepEqual(await one(condition), {
      type: 'pattern_exit',
      machineId: 'local',
      pattern: 'train\\.py',
      processes: [{ pid: 43, startTime: '992', command: 'python train.py' }],
    });
    local.processes.splice(0, 2, {
      ...{ pid: 44, startTime: '993', command: 'python train.py', groupId: 8 },
    });
    const own = await one(condition);
    assert.equal(own?.type === 'pattern_exit' && own.isOwn, true);
  });

  it('takes an exit without an id for the end of all runs, and refuses it when none goes on', async () => {
    assert.deepEqual(await one({ type: 'process_exit' }), { type: 'all_exit' });
    runs.clear();
    await refused({ type: 'process_exit' }, /^No run goes on or waits/);
  });

  it('sleeps by default no longer than the session has minutes left', async () => {
    endMs = clock.now() + 52 * 60_000;
    const { request, isDefaultDeadline } = await ask([{ type: 'process_exit' }]);
    assert.deepEqual([request.deadlineMs, isDefaultDeadline], [endMs, true]);
  });

  it('takes a tracked metric of the runs that are going, or of one', async () => {
    const metric = { type: 'metric', metric_name: 'loss', threshold: 1 };
    const trigger = { type: 'tracked_metric', metric: 'loss', threshold: 1 };
    assert.deepEqual(await one({ ...metric, direction: 'below' }), {
      ...trigger,
      runIds: [run8],
      comparator: '<',
    });
    assert.deepEqual(await one({ ...metric, direction: 'above', task_id: 'local:70' }), {
      ...trigger,
      runIds: [run7],
      comparator: '>',
    });
    assert.deepEqual(await one({ ...metric, comparator: '<=' }), {
      ...trigger,
      runIds: [run8],
      comparator: '<=',
    });
  });

  it('refuses a tracked metric without what it needs', async () => {
    const metric = { type: 'metric', metric_name: 'loss', threshold: 1, direction: 'below' };
    for (const wrong of [
      { metric_name: undefined },
      { threshold: undefined },
      { threshold: '1' },
      { threshold: NaN },
      { direction: undefined },
      { direction: 'down' },
      { comparator: '<' },
      { sustained_checks: 0 },
      { sustained_checks: 1.5 },
    ])
      await refused(
        { ...metric, ...wrong },
        /Expected shape: .*"metric_name":"loss","direction":"below"/,
      );
    await refused({ ...metric, task_id: 'nope' }, /no run "nope"/);
    runs.clear();
    await refused(metric, /No run is active, so loss cannot change/);
  });

  it('takes a metric from a file or a command', async () => {
    const base = { type: 'metric', machine_id: 'local', comparator: '<', threshold: 1 };
    const { machine_id: machineId, ...rest } = base;
    const expected = { ...rest, machineId };
    assert.deepEqual(
      await one({ ...base, field: 'a.b', source: { type: 'json_file', path: '/x/m.json' } }),
      {
        ...expected,
        field: 'a.b',
        source: { type: 'json_file', path: '/x/m.json' },
      },
    );
    assert.deepEqual(
      await one({ ...base, field: 'loss', source: { type: 'csv_file', path: 'out/m.csv' } }),
      {
        ...expected,
        field: 'loss',
        source: { type: 'csv_file', path: '/project/out/m.csv' },
      },
    );
    const tensorboard = await one({
      ...base,
      field: 'loss',
      source: { type: 'tensorboard', logdir: 'tb' },
    });
    const source = { type: 'tensorboard', logdir: '/project/tb' };
    assert.deepEqual(tensorboard, { ...expected, field: 'loss', source });
    assert.deepEqual(await one({ ...base, source: { type: 'command', command: 'cat loss' } }), {
      ...expected,
      field: 'cat loss',
      source: { type: 'command', command: 'cat loss' },
    });
  });

  it('refuses a source that is not whole, and one that is not supported', async () => {
    const right = {
      type: 'metric',
      machine_id: 'local',
      source: { type: 'json_file', path: '/m' },
      field: 'loss',
      comparator: '<',
      threshold: 1,
    };
    for (const wrong of [
      { machine_id: undefined },
      { source: {} },
      { source: { type: 'json_file' } },
      { source: 'json_file' },
      { field: undefined },
      { comparator: 'below' },
      { threshold: null },
    ])
      await refused({ ...right, ...wrong }, /Expected shape: .*"source":\{"type":"json_file"/);
    await refused({ ...right, source: { type: 'tensorboard', path: '/x' } }, /logdir/);
    await assert.rejects(ask([{ ...right, machine_id: 'gone' }]), /no machine gone/);
  });

  it('takes ~ for the home folder, as the gate does', async () => {
    const file = { type: 'file', machine_id: 'local', path: '~/log' };
    await refused(file, /home folder of local is not known yet/);
    Object.assign(deps.machine('local'), { homeFolder: '/home/ada' });
    assert.deepEqual(await one(file), {
      type: 'file',
      machineId: 'local',
      path: '/home/ada/log',
      mode: 'exists',
    });
  });

  it('records how a file is now, for telling whether it changes', async () => {
    const file = { type: 'file', machine_id: 'local', path: 'log' };
    const expected = { type: 'file', machineId: 'local', path: '/project/log' };
    assert.deepEqual(await one(file), { ...expected, mode: 'exists' });
    assert.deepEqual(await one({ ...file, mode: 'modified' }), { ...expected, mode: 'modified' });
    deps.machine('local').write('/project/log', 'abc', 1234.5);
    assert.deepEqual(await one({ ...file, mode: 'modified' }), {
      ...expected,
      mode: 'modified',
      baseline: { modifiedMs: 1234.5, sizeBytes: 3 },
    });
    assert.deepEqual(await one({ ...file, mode: 'size_stable' }), {
      ...expected,
      mode: 'size_stable',
      windowMs: 60_000,
    });
    const brief = await one({ ...file, mode: 'size_stable', window_seconds: 5 });
    assert.deepEqual(brief, { ...expected, mode: 'size_stable', windowMs: 5000 });
    for (const wrong of [
      { mode: 'gone' },
      { window_seconds: 5 },
      { mode: 'size_stable', window_seconds: 0 },
    ])
      await refused({ ...file, ...wrong }, /Expected shape: .*"exists"/s);
    await refused({ type: 'file', path: '/x' }, /machine_id/);
  });

  it('takes a resource that the machine tells, and says what it tells otherwise', async () => {
    const condition = {
      type: 'resource',
      machine_id: 'local',
      resource: 'gpu_util',
      threshold: 10,
    };
    await refused(condition, /local does not report gpu_util; it reports: nothing/);
    const gpus = [{ id: '1', utilisationPercent: 90 }];
    deps.resources.sample('local', { gpus, cpuPercent: 12 });
    const trigger = {
      type: 'resource',
      machineId: 'local',
      resource: 'gpu_util',
      comparator: '<',
      threshold: 10,
    };
    assert.deepEqual(await one(condition), trigger);
    assert.deepEqual(
      await one({ ...condition, gpu_index: 1, comparator: '>=', sustained_checks: 3 }),
      {
        ...trigger,
        gpuIndex: 1,
        comparator: '>=',
        sustainedChecks: 3,
      },
    );
    await refused(
      { ...condition, gpu_index: 0 },
      /gpu_util of GPU 0; it reports: GPU 1 90 %; CPU 12 %/,
    );
    for (const wrong of [
      { resource: 'gpu' },
      { threshold: 101 },
      { threshold: '5' },
      { resource: 'cpu', gpu_index: 0 },
    ])
      await refused({ ...condition, ...wrong }, /Expected shape: .*"resource":"gpu_util"/);
    await refused({ ...condition, machine_id: undefined }, /machine_id/);
  });

  it('says what there is when there is no such type', async () => {
    await refused(
      { type: 'weather', machine_id: 'local' },
      /no condition of type "weather".*Supported/s,
    );
    await refused({ seconds: 5 }, /has no type: \{"seconds":5\}/);
    for (const condition of [null, 'timer', ['timer'], 5])
      await refused(condition, /Supported conditions/);
  });

  it('always has a deadline, and says whose it is', async () => {
    await assert.rejects(ask([]), /Nothing would end this sleep/);
    await assert.rejects(ask([], 0), /Nothing would end this sleep/);
    assert.deepEqual((await ask([], 10)).request.deadlineMs, clock.now() + 600_000);
    const timer = { type: 'timer', seconds: 1 };
    for (const minutes of [undefined, 0]) {
      const { request, isDefaultDeadline } = await ask([timer], minutes);
      assert.equal(request.deadlineMs, clock.now() + 8 * hour);
      assert.equal(isDefaultDeadline, true);
    }
    assert.equal(
      (await ask([{ type: 'timer', minutes: 720 }])).request.deadlineMs,
      clock.now() + 12 * hour,
    );
    assert.equal((await ask([timer], 5)).isDefaultDeadline, false);
  });
});
