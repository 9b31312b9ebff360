import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Disposable } from '../../../src/base/disposable.ts';
import type { RunId } from '../../../src/base/ids.ts';
import { Sleeper, type Wake } from '../../../src/sleep/sleeper.ts';
import type { Comparator, SleepRequest, Trigger } from '../../../src/sleep/trigger.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { FakeDeps, run7, run8 } from './fakePorts.ts';

const minute = 60_000;
const ends = (runId: RunId): Trigger => ({
  type: 'process_exit',
  runId,
  name: runId === run7 ? 'run 7' : 'run 8',
});
const loss = (comparator: Comparator, threshold: number, runIds = [run7]): Trigger => ({
  type: 'tracked_metric',
  runIds,
  metric: 'loss',
  comparator,
  threshold,
});
const json = (machineId: string): Trigger => ({
  type: 'metric',
  machineId,
  source: { type: 'json_file', path: '/m.json' },
  field: 'loss',
  comparator: '<',
  threshold: 1,
});
const exists = (machineId: string, path = '/done'): Trigger => ({
  type: 'file',
  machineId,
  path,
  mode: 'exists',
});

describe('Sleeper', () => {
  let clock: ManualClock;
  let deps: FakeDeps;
  let sleeper: Sleeper;
  let wakes: Wake[];

  beforeEach(() => {
    clock = new ManualClock();
    deps = new FakeDeps(clock);
    deps.add('local');
    sleeper = new Sleeper(deps, clock);
    wakes = [];
  });

  afterEach(() => {
    sleeper.dispose();
    assert.equal(clock.pendingTimers, 0, 'timers are left');
    assert.equal(deps.hasListeners, false, 'listeners are left');
  });

  const timer = (afterMs: number): Trigger => ({ type: 'timer', atMs: clock.now() + afterMs });
  const request = (logic: 'any' | 'all', ...triggers: Trigger[]): SleepRequest => ({
    reason: 'test',
    logic,
    triggers,
    deadlineMs: clock.now() + 60 * minute,
  });
  const arm = (asked: SleepRequest): Disposable => sleeper.arm(asked, (wake) => wakes.push(wake));
  /** What could not be looked at, as a sleep that ends by its deadline tells it. */
  const errorsAfter = (afterMs: number, trigger: Trigger): readonly string[] => {
    const errors: string[] = [];
    const asked = { ...request('any', trigger), deadlineMs: clock.now() + afterMs };
    sleeper.arm(asked, (wake) => errors.push(...wake.errors));
    return errors;
  };
  const wokeBy = async (afterMs = 0): Promise<Wake | undefined> => {
    await clock.advance(afterMs);
    assert.ok(wakes.length <= 1, 'woke more than once');
    return wakes[0];
  };

  it('wakes by the timer beside a metric that cannot be read, and tells of it', async () => {
    arm(request('any', json('local'), timer(minute)));
    assert.equal(await wokeBy(minute - 1), undefined);
    const wake = await wokeBy(1);
    assert.equal(wake?.why, 'trigger');
    assert.deepEqual(wake.met, ['00:01:00 UTC']);
    assert.deepEqual(wake.unmet, ['loss < 1']);
    assert.match(wake.errors.join(), /^loss < 1: \/m\.json does not exist$/);
  });

  it('says that an event file of TensorBoard is damaged', async () => {
    const source = { type: 'tensorboard', logdir: '/tb' } as const;
    const trigger: Trigger = { ...json('local'), type: 'metric', source } as Trigger;
    deps.machine('local').write('/tb/events.out.tfevents.1', 'no record at all');
    const errors = errorsAfter(10_000, trigger);
    await clock.advance(10_000);
    assert.match(
      errors.join(),
      /\/tb\/events.out.tfevents.1 is unreadable from byte 0 on: the checksum of a length/,
    );
  });

  for (const trouble of ['hangs', 'unreachable'] as const)
    it(`is not held up by a machine: ${trouble}`, async () => {
      const gpu = deps.add('gpu1');
      gpu.trouble = trouble;
      arm(request('any', exists('gpu1'), json('gpu1'), json('gone'), exists('local')));
      assert.equal(await wokeBy(40_000), undefined);
      deps.machine('local').write('/done', '');
      const wake = await wokeBy(2000);
      assert.deepEqual(wake?.met, ['/done exists']);
      assert.equal(wake.errors.length, 3);
      assert.match(
        wake.errors.join(),
        trouble === 'hangs' ? /no answer within 15 s/ : /gpu1 does not answer/,
      );
      assert.match(wake.errors.join(), /There is no machine gone/);
    });

  it('hears the end of a run at once, and of one that has ended before', async () => {
    arm(request('any', ends(run8), ends(run7)));
    deps.end(run7);
    assert.deepEqual((await wokeBy())?.met, ['run 7 has ended']);
    wakes = [];
    arm(request('any', ends(run7)));
    assert.equal(wakes.length, 0, 'not before arm has returned');
    assert.deepEqual((await wokeBy())?.met, ['run 7 has ended']);
  });

  it('compares values as they come, whatever comes after them', async () => {
    arm(request('any', loss('<', 1)));
    deps.print(run8, 'loss', 0.1);
    deps.print(run7, 'accuracy', 0.1);
    deps.print(run7, 'loss', 3, NaN, -Infinity, 1);
    assert.equal(await wokeBy(), undefined);
    deps.print(run7, 'loss', 0.99, 1.5);
    assert.deepEqual((await wokeBy())?.met, ['loss < 1']);
  });

  it('never takes NaN for a value, not even for an unequal one', async () => {
    for (const comparator of ['<', '>', '<=', '>=', '==', '!='] as const)
      arm(request('any', loss(comparator, 1)));
    deps.print(run7, 'loss', NaN);
    assert.equal(await wokeBy(minute), undefined);
  });

  it('takes a value that was read before it was armed', async () => {
    deps.print(run7, 'loss', 0.5);
    arm(request('any', loss('<', 1)));
    assert.equal((await wokeBy())?.why, 'trigger');
  });

  it('does not wait for a metric of runs that have ended', async () => {
    arm(request('any', loss('<', 1, [run7, run8])));
    deps.print(run7, 'loss', 2);
    deps.end(run7);
    assert.equal(await wokeBy(), undefined);
    deps.end(run8);
    const wake = await wokeBy();
    assert.equal(wake?.why, 'run_ended');
    assert.deepEqual(wake.unmet, ['loss < 1']);
  });

  it('takes the last value of a run that ends', async () => {
    arm(request('any', loss('<', 1)));
    deps.print(run7, 'loss', 0.5);
    deps.end(run7);
    assert.equal((await wokeBy())?.why, 'trigger');
  });

  it('goes on when a metric cannot come any more but something else can', async () => {
    arm(request('any', loss('<', 1), timer(minute)));
    deps.end(run7);
    assert.equal(await wokeBy(minute - 1), undefined);
    assert.equal((await wokeBy(1))?.why, 'trigger');
  });

  it('does not wait for all when one of them can never be', async () => {
    arm(request('all', loss('<', 1), timer(30 * minute)));
    deps.end(run7);
    assert.equal((await wokeBy())?.why, 'run_ended');
  });

  it('with all, keeps ends and timers and looks at the newest metric', async () => {
    arm(request('all', ends(run8), timer(minute), loss('<', 1)));
    deps.print(run7, 'loss', 0.5);
    deps.print(run7, 'loss', 2);
    deps.end(run8);
    assert.equal(await wokeBy(5 * minute), undefined, 'a dip counts only while it lasts');
    deps.print(run7, 'loss', 0.5, 2);
    assert.equal(await wokeBy(), undefined, 'nor does one within a batch');
    deps.print(run7, 'loss', 2, NaN);
    assert.equal(await wokeBy(), undefined);
    deps.print(run7, 'loss', 0.9);
    assert.deepEqual((await wokeBy())?.met, ['run 8 has ended', '00:01:00 UTC', 'loss < 1']);
  });

  it('with all, reads a file metric anew', async () => {
    const local = deps.machine('local');
    local.write('/m.json', '{"loss": 0.5}');
    arm(request('all', json('local'), ends(run7)));
    await clock.advance(10_000);
    local.write('/m.json', '{"loss": 2}', 2000.5);
    await clock.advance(10_000);
    deps.end(run7);
    assert.equal(await wokeBy(10_000), undefined);
    local.write('/m.json', '{"loss": 0.1}', 3000.5);
    assert.equal((await wokeBy(10_000))?.why, 'trigger');
  });

  it('does not take nothing at all for all', async () => {
    arm({ reason: 'r', logic: 'all', triggers: [], deadlineMs: clock.now() + minute });
    assert.equal(await wokeBy(minute - 1), undefined);
    assert.equal((await wokeBy(1))?.why, 'deadline');
  });

  it('wakes at the deadline, once', async () => {
    arm(request('any', loss('<', 1)));
    assert.equal((await wokeBy(60 * minute))?.why, 'deadline');
    deps.print(run7, 'loss', 0);
    deps.end(run7);
    assert.equal((await wokeBy(60 * minute))?.why, 'deadline');
  });

  it('wakes once when everything happens together', async () => {
    arm(request('any', ends(run7), ends(run8), loss('<', 1), timer(0)));
    deps.print(run7, 'loss', 0);
    deps.end(run7);
    deps.end(run8);
    assert.deepEqual((await wokeBy(minute))?.met.length, 3);
  });

  it('says nothing once it was disposed, even if it was about to', async () => {
    const sleep = arm(request('any', ends(run7)));
    deps.end(run7);
    sleep.dispose();
    assert.equal(await wokeBy(60 * minute), undefined);
  });

  it('goes on after a restart from what was recorded', async () => {
    const local = deps.machine('local');
    local.write('/m.json', 'old', 1000);
    const baseline = { modifiedMs: 1000, sizeBytes: 3 };
    const modified: Trigger = {
      type: 'file',
      machineId: 'local',
      path: '/m.json',
      mode: 'modified',
      baseline,
    };
    const asked = request('all', ends(run7), timer(minute), modified);
    arm(asked);
    await clock.advance(1000);
    sleeper.dispose();
    deps.end(run7);
    local.write('/m.json', 'new', 2000);
    await clock.advance(10 * minute);
    assert.equal(wakes.length, 0);
    sleeper = new Sleeper(deps, clock);
    arm(JSON.parse(JSON.stringify(asked)) as SleepRequest);
    assert.equal((await wokeBy(0))?.why, 'trigger');
  });

  it('ends at once after a restart beyond the deadline', async () => {
    const asked = request('any', ends(run7));
    await clock.advance(120 * minute);
    arm(asked);
    assert.equal((await wokeBy(0))?.why, 'deadline');
  });

  it('reads no value of a file that may no longer be read', async () => {
    const source = { type: 'json_file', path: '/m.json' } as const;
    const below = { comparator: '<', threshold: 1, field: 'loss', machineId: 'local' } as const;
    const local = deps.machine('local');
    local.write('/m.json', '{"loss": 2}');
    arm({
      ...request('any', { type: 'metric', source, ...below }),
      deadlineMs: clock.now() + 2 * minute,
    });
    assert.equal(await wokeBy(minute), undefined);
    deps.unreadable = 'Not allowed: a key';
    local.write('/m.json', '{"loss": 0.5}', 2000.5);
    assert.deepEqual((await wokeBy(2 * minute))?.errors, ['loss < 1: Not allowed: a key']);
  });

  it('sees a file made that was not there before', async () => {
    arm(request('any', { type: 'file', machineId: 'local', path: '/new', mode: 'modified' }));
    assert.equal(await wokeBy(minute), undefined);
    deps.machine('local').write('/new', '');
    assert.equal((await wokeBy(2000))?.why, 'trigger');
  });

  it('takes a silent machine for no end of a process, and a new process by the same pid for one', async () => {
    const gpu = deps.add('gpu1');
    gpu.processes.push({ pid: 42, startTime: '100', command: 'sleep' });
    arm(request('any', { type: 'foreign_exit', machineId: 'gpu1', pid: 42, startTime: '100' }));
    assert.equal(await wokeBy(minute), undefined);
    gpu.trouble = 'unreachable';
    assert.equal(await wokeBy(5 * minute), undefined);
    gpu.trouble = undefined;
    gpu.processes[0] = { pid: 42, startTime: '200', command: 'sleep' };
    assert.deepEqual((await wokeBy(2 * minute))?.met, ['gpu1:42 has ended']);
  });

  const train = { pid: 42, startTime: '100', command: 'python train.py' };
  const gone: Trigger = {
    type: 'pattern_exit',
    machineId: 'local',
    pattern: 'train',
    processes: [train],
  };

  it('waits for all that the pattern finds, also those that come later or change their name', async () => {
    const { processes } = deps.machine('local');
    processes.push(train);
    arm(request('any', gone));
    assert.equal(await wokeBy(minute), undefined);
    processes.push({ pid: 43, startTime: '101', command: 'python train.py --eval' });
    await clock.advance(4000);
    processes.shift();
    processes[0] = { pid: 43, startTime: '101', command: 'python eval.py' };
    assert.equal(await wokeBy(minute), undefined, 'it is the same process by another name');
    processes.pop();
    assert.deepEqual((await wokeBy(4000))?.met, ['no train on local any more']);
  });

  it('says in the end whom the pattern still finds', async () => {
    deps.machine('local').processes.push(train);
    arm({ ...request('any', gone), deadlineMs: clock.now() + minute });
    const wake = await wokeBy(minute);
    assert.deepEqual(wake?.unmet, ['no train on local any more']);
    assert.deepEqual(wake.found, ['no train on local any more: pid 42 python train.py']);
  });

  it('ends 15 seconds after the last run if only runs of the session could meet it', async () => {
    deps.machine('local').processes.push(train);
    arm(request('any', { ...gone, isOwn: true }));
    assert.equal(await wokeBy(minute), undefined);
    deps.idle = true;
    deps.end(run7);
    assert.equal(await wokeBy(14_000), undefined);
    deps.idle = false;
    assert.equal(await wokeBy(minute), undefined, 'another one has begun');
    deps.idle = true;
    deps.end(run8);
    assert.equal((await wokeBy(15_000))?.why, 'run_ended');
  });

  it('goes on without any run where something else may meet it', async () => {
    deps.machine('local').processes.push(train);
    deps.idle = true;
    for (const other of [gone, exists('local'), timer(10 * minute)]) {
      const armed = sleeper.arm(request('any', { ...gone, isOwn: true }, other), (wake) =>
        wakes.push(wake),
      );
      assert.equal(await wokeBy(2 * minute), undefined);
      armed.dispose();
    }
  });

  it('waits for all runs, also for those that were launched later', async () => {
    arm(request('any', { type: 'all_exit' }));
    deps.end(run7);
    assert.equal(await wokeBy(minute), undefined);
    deps.idle = true;
    deps.end(run8);
    assert.deepEqual((await wokeBy(0))?.met, ['every run has ended']);
  });

  it('does not take another process with the same pid for the one that was found', async () => {
    const { processes } = deps.machine('local');
    processes.push({ pid: 42, startTime: '900', command: 'vim' });
    arm(request('any', gone));
    assert.equal((await wokeBy(4000))?.why, 'trigger');
  });

  const stable: Trigger = {
    type: 'file',
    machineId: 'local',
    path: '/out',
    mode: 'size_stable',
    windowMs: minute,
  };

  it('waits until a file has kept its size for the window, and begins it anew after a restart', async () => {
    const local = deps.machine('local');
    arm(request('any', stable));
    assert.equal(await wokeBy(5 * minute), undefined, 'there is none');
    for (let size = 1; size < 20; size += 1) {
      local.write('/out', 'x'.repeat(size));
      assert.equal(await wokeBy(20_000), undefined);
    }
    await clock.advance(30_000);
    sleeper.dispose();
    sleeper = new Sleeper(deps, clock);
    arm(request('any', stable));
    assert.equal(await wokeBy(50_000), undefined);
    assert.deepEqual((await wokeBy(12_000))?.met, ['/out size_stable']);
  });

  it('does not take a file for stable while nobody could look at it', async () => {
    const local = deps.machine('local');
    local.write('/out', 'x');
    arm(request('any', stable));
    await clock.advance(10_000);
    local.trouble = 'unreachable';
    await clock.advance(10 * minute);
    local.trouble = undefined;
    assert.equal(await wokeBy(50_000), undefined);
    assert.equal((await wokeBy(12_000))?.why, 'trigger');
  });

  it('counts new values of a file in a row, not looks at the same one', async () => {
    const local = deps.machine('local');
    local.write('/m.json', '{"loss": 0.5}');
    arm(request('any', { ...json('local'), sustainedChecks: 3 } as Trigger));
    assert.equal(await wokeBy(10 * minute), undefined);
    for (const [at, value] of [0.4, 2, 0.5, 0.5].entries()) {
      local.write('/m.json', `{"loss": ${value}}`, 5000.5 + at);
      assert.equal(await wokeBy(4000), undefined, String(value));
    }
    local.write('/m.json', '{"loss": 0.3}', 9000.5);
    assert.deepEqual((await wokeBy(4000))?.met, ['loss < 1 (3 times in a row)']);
  });

  it('reads a file once more where its time is too coarse to show a change', async () => {
    const local = deps.machine('local');
    local.write('/m.json', '{"loss": 2.5}', clock.now());
    arm(request('any', json('local')));
    assert.equal(await wokeBy(100), undefined);
    local.write('/m.json', '{"loss": 0.5}', clock.now() - 100);
    assert.equal((await wokeBy(4000))?.why, 'trigger');
  });

  it('counts values of a run in a row', async () => {
    arm(request('any', { ...loss('<', 1), sustainedChecks: 2 } as Trigger));
    deps.print(run7, 'loss', 0.5, 2, 0.5, NaN, 0.5);
    assert.equal(await wokeBy(), undefined);
    deps.print(run7, 'loss', 0.5);
    assert.equal((await wokeBy())?.why, 'trigger');
  });

  it('wakes when each GPU is free, so often in a row, and not for what is not known', async () => {
    const idle: Trigger = {
      type: 'resource',
      machineId: 'gpu1',
      resource: 'gpu_util',
      comparator: '<',
      threshold: 10,
      sustainedChecks: 2,
    };
    arm(request('any', idle));
    const gpus = (...percents: (number | undefined)[]) =>
      deps.resources.sample('gpu1', {
        gpus: percents.map((percent, id) => ({
          id: String(id),
          ...(percent !== undefined && { utilisationPercent: percent }),
        })),
      });
    for (const percents of [[0, 90], [0, 5], [0, undefined], [5]]) {
      gpus(...percents);
      assert.equal(await wokeBy(), undefined, String(percents));
    }
    const errors = errorsAfter(1, idle);
    gpus(0, undefined);
    await clock.advance(1);
    assert.match(errors.join(), /gpu1 does not report gpu_util/);
    gpus(0, 11);
    gpus(0, 9);
    assert.equal(await wokeBy(), undefined);
    gpus(0, 9);
    assert.equal((await wokeBy())?.why, 'trigger');
  });

  it('takes what a command prints, and says when that is no number', async () => {
    const local = deps.machine('local');
    const source = { type: 'command', command: 'tail -1 loss' } as const;
    local.printed = 'epoch 3';
    const low: Trigger = {
      type: 'metric',
      machineId: 'local',
      source,
      field: 'x',
      comparator: '<',
      threshold: 1,
    };
    arm(request('any', low));
    const errors = errorsAfter(2000, low);
    await clock.advance(2000);
    assert.match(errors.join(), /"epoch 3", which is not a number/);
    local.printed = 'epoch 4\n0.5\n';
    assert.equal((await wokeBy(4000))?.why, 'trigger');
  });
});
