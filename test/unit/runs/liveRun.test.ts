import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { MachineFailure } from '../../../src/machines/machine.ts';
import type { WriteAt } from '../../../src/metrics/disk/appendOnly.ts';
import { systemWrite } from '../../../src/metrics/disk/appendOnly.ts';
import type { MetricSpec } from '../../../src/metrics/metric.ts';
import { PatternSearch } from '../../../src/metrics/patterns/patternSearch.ts';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import { LiveRun, type RunChange } from '../../../src/runs/liveRun.ts';
import type { RunSpec } from '../../../src/runs/run.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { MemoryMachine } from '../../fakes/memoryMachine.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';
import { ScriptedScheduler } from '../../fakes/scriptedScheduler.ts';

const spec: RunSpec = {
  ...{
    id: 'r-1' as RunId,
    sessionId: 's-1' as SessionId,
    number: 7,
    machineId: 'local',
    command: 'train',
    cwd: '/w',
  },
  ...{ env: {}, metrics: { names: ['loss'] }, label: '', plannedMs: 1 },
};
const inRun = (name: string): string => `/h/runs/r-1/${name}`;
const statFile = '/proc/77/stat';
const stat = `77 (x) S${' 0'.repeat(18)} 5000 1\n`;
const processFile = 'pid=77\nstart_time=5000\nboot_id=boot\nstarted_ms=1\n';
const record = 'code=3\nended_ms=5\nstarted=1\n';
const isLost = (text: string): boolean => text === 'ended (lost)';

describe('a run that is followed', () => {
  const scratch = scratchFolder();
  let clock: ManualClock;
  let memory: MemoryMachine;
  let run: LiveRun;
  let told: string[];
  let warnings: string[];
  let write: WriteAt;
  let metricSpec: MetricSpec;

  const textOf = (change: RunChange): string => {
    switch (change.kind) {
      case 'points':
        return `points ${change.points.map(({ value }) => value).join(' ')}`;
      case 'queued':
      case 'unknown':
        return `${change.kind} (${change.why})`;
      case 'started':
        return `started ${change.process.pid}`;
      case 'ended':
        return `ended (${change.verdict.kind})`;
      default:
        return change.kind;
    }
  };
  const open = async (scheduler?: ScriptedScheduler): Promise<void> => {
    const metrics = await RunMetrics.open(join(scratch(), 'r-1'), metricSpec, {
      write: (...args) => write(...args),
      search: new PatternSearch(clock),
    });
    if (scheduler) Object.assign(memory.machine, { scheduler });
    const logger = { ...silentLogger, warn: (text: string) => void warnings.push(text) };
    const onChange = (change: RunChange): void => void told.push(textOf(change));
    run = new LiveRun({ spec, machine: memory.machine, metrics, clock, logger, onChange });
  };
  beforeEach(async () => {
    clock = new ManualClock();
    memory = new MemoryMachine();
    memory.put('/proc/sys/kernel/random/boot_id', 'boot');
    memory.put(statFile, stat);
    told = [];
    warnings = [];
    write = systemWrite;
    metricSpec = spec.metrics;
    await open();
  });
  afterEach(() => run.dispose());

  const begin = async (): Promise<void> => {
    memory.put(inRun('process'), processFile);
    run.attach();
    await run.check();
  };
  const print = (text: string, offset = 0): void =>
    void memory.sink?.onBytes(Buffer.from(text), offset);
  const isSettled = async (promise: Promise<void>): Promise<boolean> => {
    let isDone = false;
    void promise.then(() => (isDone = true));
    await clock.advance(0);
    return isDone;
  };

  it('has not printed anything before it has started', async () => {
    run.attach();
    print('loss=1\n');
    print('loss=2\n', 7);
    await clock.advance(0);
    assert.deepEqual(
      [told, run.liveness.kind, run.handle, run.lastOutputMs],
      [[], 'starting', undefined, undefined],
    );
    assert.equal(await isSettled(run.started), false);
    memory.put(inRun('process'), processFile);
    await run.refresh();
    assert.deepEqual(told, ['started 77', 'points 1', 'output', 'points 2', 'output']);
    assert.deepEqual([run.liveness.kind, run.handle], ['running', 'local:77']);
    assert.equal(await isSettled(run.started), true);
    assert.equal(await isSettled(run.ended), false);
  });

  it('holds little of what it prints while its start is not known, and loses nothing of it', async () => {
    run.attach();
    const line = `${'.'.repeat(65_527)} loss=1\n`;
    assert.equal(line.length, 65_535);
    for (let at = 0; at < 1_000; at++) print(line, at * line.length);
    await clock.advance(0);
    assert.deepEqual([told, memory.isFollowed], [[], false]);
    const first = memory.sink;
    memory.put(inRun('process'), processFile);
    await run.refresh();
    const offset = run.metrics.resumeOffset;
    assert.ok(offset > 0 && offset <= 5 * line.length, `${offset} bytes were held`);
    assert.notEqual(memory.sink, first);
    assert.equal(memory.followedFrom, offset);
    print(line, offset);
    assert.equal(run.metrics.summary('loss')?.count, offset / line.length + 1);
  });

  it('looks at once when it prints before it is known to have started', async () => {
    run.attach();
    memory.put(inRun('process'), processFile);
    print('loss=1\n');
    await clock.advance(0);
    assert.deepEqual(told, ['started 77', 'points 1', 'output']);
  });

  it('has printed when it did, also what was there before somebody looked', async () => {
    memory.put(inRun('process'), processFile);
    run.attach({ sizeBytes: 7, modifiedMs: 123 });
    assert.equal(run.lastOutputMs, 123);
    await run.check();
    print('loss=1\n');
    assert.equal(run.lastOutputMs, 123);
    await clock.advance(1_000);
    print('loss=2\n', 7);
    assert.equal(run.lastOutputMs, clock.now());
    assert.deepEqual([...run.metrics.series('loss').timesMs], [123, clock.now()]);
  });

  it('knows when its machine answered last: by a check or by output', async () => {
    await begin();
    const lastAnswerMs = run.lastAnswerMs ?? assert.fail();
    assert.equal(lastAnswerMs, clock.now());
    await clock.advance(5_000);
    assert.equal(run.lastAnswerMs, lastAnswerMs + 5_000);
    memory.failure = new MachineFailure('unreachable', 'no route');
    await clock.advance(15_000);
    assert.equal(run.liveness.kind, 'unknown');
    assert.equal(run.lastAnswerMs, lastAnswerMs + 5_000);
    print('loss=1\n');
    assert.equal(run.lastAnswerMs, clock.now());
  });

  it('has printed nothing yet where its output is empty', () => {
    run.attach({ sizeBytes: 0, modifiedMs: 123 });
    assert.equal(run.lastOutputMs, undefined);
  });

  it('ends with its record, once all it printed was read, and then nothing is done any more', async () => {
    await begin();
    memory.put(inRun('exit'), record);
    memory.unread = 'loss=0.5';
    memory.sink?.onChange('exit');
    await clock.advance(0);
    assert.deepEqual(told, ['started 77', 'output', 'points 0.5', 'ended (failed)']);
    assert.deepEqual(run.liveness, {
      kind: 'ended',
      verdict: { kind: 'failed', code: 3 },
      endedMs: 5,
    });
    assert.deepEqual(
      [clock.pendingTimers, memory.isFollowed, await isSettled(run.ended)],
      [0, false, true],
    );
    await run.check();
    memory.sink?.onChange('exit');
    memory.sink?.onError(new MachineFailure('unreachable', 'late'));
    await clock.advance(60_000);
    assert.equal(told.length, 4);
    assert.equal(run.liveness.kind, 'ended');
  });

  it('ends with a record that nothing told of, and is not looked at any more', async () => {
    await begin();
    memory.put(inRun('exit'), record);
    await clock.advance(5_000);
    assert.deepEqual([told.at(-1), clock.pendingTimers], ['ended (failed)', 0]);
  });

  it('ends without having started where its record says so, for who waits for its start, too', async () => {
    run.attach();
    memory.put(inRun('exit'), 'code=75\nended_ms=5\nstarted=0\n');
    await run.check();
    assert.deepEqual(told, ['ended (lost)']);
    assert.equal(await isSettled(run.started), true);
  });

  it('is looked at every five seconds, and has five more for its record when it is gone', async () => {
    await begin();
    memory.files.delete(statFile);
    await clock.advance(4_999);
    assert.ok(!told.some(isLost));
    await clock.advance(1);
    assert.ok(!told.some(isLost), 'seen to be gone now');
    await clock.advance(4_999);
    assert.ok(!told.some(isLost));
    await clock.advance(1);
    assert.deepEqual(told, ['started 77', 'ended (lost)']);
    assert.equal(
      run.liveness.kind === 'ended' && run.liveness.endedMs,
      clock.now(),
      'nothing told of its life',
    );
  });

  it('counts anew from when it is gone that was there again', async () => {
    await begin();
    memory.files.delete(statFile);
    await clock.advance(5_000);
    memory.put(statFile, stat);
    await run.check();
    memory.files.delete(statFile);
    await clock.advance(5_000);
    assert.equal(run.liveness.kind, 'running');
    await clock.advance(5_000);
    assert.equal(run.liveness.kind, 'ended');
  });

  const signs: readonly [
    heartbeatMs: number | undefined,
    printedMs: number | undefined,
    lastMs: number,
  ][] = [
    [7, undefined, 7],
    [undefined, 9, 9],
    [7, 9, 9],
    [11, 9, 11],
  ];
  for (const [heartbeatMs, printedMs, lastMs] of signs)
    it(`was lost at its last sign of life: heartbeat ${heartbeatMs}, output ${printedMs}`, async () => {
      memory.put(inRun('process'), processFile.replace('boot_id=boot', 'boot_id=before'));
      if (heartbeatMs !== undefined) memory.put(inRun('heartbeat'), '', heartbeatMs);
      run.attach(printedMs === undefined ? undefined : { sizeBytes: 1, modifiedMs: printedMs });
      await run.check();
      const verdict = { kind: 'lost', why: 'its machine was restarted' };
      assert.deepEqual(run.liveness, { kind: 'ended', verdict, endedMs: lastMs });
    });

  it('was killed where that was asked for and no record came', async () => {
    await begin();
    memory.files.delete(statFile);
    memory.put(inRun('kill'), '');
    await clock.advance(10_000);
    assert.equal(told.at(-1), 'ended (killed)');
  });

  it('is unknown while its machine does not answer, told once, and goes on when it does', async () => {
    await begin();
    memory.failure = new MachineFailure('unreachable', 'no route');
    await clock.advance(30_000);
    assert.deepEqual(
      [run.liveness, told],
      [{ kind: 'unknown', why: 'no route' }, ['started 77', 'unknown (no route)']],
    );
    memory.failure = undefined;
    await clock.advance(30_000);
    assert.deepEqual([run.liveness.kind, told.slice(2)], ['running', ['recovered']]);
    memory.sink?.onError(new MachineFailure('unreachable', 'a broken link'));
    assert.equal(told.at(-1), 'unknown (a broken link)');
    await run.check();
    assert.equal(told.at(-1), 'recovered');
  });

  it('is unknown where a look after a change fails', async () => {
    await begin();
    memory.failure = new MachineFailure('timeout', 'too slow');
    memory.sink?.onChange('exit');
    await clock.advance(0);
    assert.deepEqual(run.liveness, { kind: 'unknown', why: 'too slow' });
  });

  it('is starting again, not running, where it was unknown before it had a process', async () => {
    memory.failure = new MachineFailure('unreachable', 'no route');
    run.attach();
    await run.check();
    memory.failure = undefined;
    await run.check();
    assert.deepEqual([run.liveness.kind, told], ['starting', ['unknown (no route)', 'recovered']]);
  });

  describe('with a pattern', () => {
    beforeEach(async () => {
      run.dispose();
      metricSpec = { patterns: { loss: 'L~((?:\\d+\\.?)+)$' } };
      await open();
    });

    it('ends after the points that are found later, of the last line too', async () => {
      await begin();
      memory.put(inRun('exit'), record);
      memory.unread = 'L~0.5\nL~0.25\nL~0.125';
      await run.refresh();
      assert.deepEqual([...run.metrics.series('loss').values], [0.5, 0.25, 0.125]);
      assert.equal(told.at(-1), 'ended (failed)');
      assert.equal(
        told
          .join(' ')
          .match(/points [\d. ]*/g)
          ?.join('')
          .replaceAll('points ', ''),
        '0.5 0.25 0.125 ',
      );
    });

    it('says that the pattern is switched off before it ends', async () => {
      await begin();
      print(`L~${'1'.repeat(60)}x\n`);
      memory.put(inRun('exit'), record);
      const refreshed = run.refresh();
      await until('the run ends', async () => {
        await clock.advance(250);
        return run.liveness.kind === 'ended';
      });
      await refreshed;
      assert.deepEqual(told.slice(-2), ['pattern_off', 'ended (failed)']);
    });

    it('is over once, however often its end is seen while its last lines are searched', async () => {
      await begin();
      memory.put(inRun('exit'), record);
      memory.files.delete(statFile);
      memory.unread = 'L:0.5';
      await Promise.all([run.refresh(), run.check(), clock.advance(20_000)]);
      await run.ended;
      assert.equal(told.filter((text) => text.startsWith('ended')).length, 1);
    });

    it('is let go of while its last lines are searched', async () => {
      await begin();
      memory.put(inRun('exit'), record);
      memory.unread = 'L:0.5';
      const refreshed = run.refresh();
      await until('it is drained', () => memory.unread === '');
      run.dispose();
      await refreshed;
      assert.deepEqual([told.filter((text) => text.startsWith('ended')), warnings], [[], []]);
    });
  });

  it('goes on where its points cannot be written, which is logged', async () => {
    await begin();
    write = () => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    };
    print('loss=1\n');
    assert.equal(told.at(-1), 'output');
    assert.match(warnings.join(), /^Metrics of run r-1: No space left/);
    write = systemWrite;
    print('loss=2\n', 7);
    assert.deepEqual(told.slice(-2), ['points 1 2', 'output']);
  });

  it('is let go of without an end: nothing is told, asked or waited for any more', async () => {
    run.attach();
    run.dispose();
    assert.deepEqual([await isSettled(run.started), await isSettled(run.ended)], [true, true]);
    assert.deepEqual([clock.pendingTimers, memory.isFollowed], [0, false]);
    memory.put(inRun('process'), processFile);
    memory.put(inRun('exit'), record);
    await run.refresh();
    await run.check();
    memory.sink?.onError(new MachineFailure('unreachable', 'late'));
    assert.deepEqual([told, clock.pendingTimers], [[], 0]);
  });

  describe('in a queue', () => {
    let scheduler: ScriptedScheduler;
    beforeEach(async () => {
      run.dispose();
      scheduler = new ScriptedScheduler();
      scheduler.jobState = { kind: 'queued', why: 'Priority' };
      await open(scheduler);
      run.attach();
      await run.check();
    });

    it('waits, told once for each reason, and begins when its job does', async () => {
      await run.check();
      scheduler.jobState = { kind: 'queued', why: 'Resources' };
      await run.check();
      assert.deepEqual(told, ['queued (Priority)', 'queued (Resources)']);
      assert.deepEqual(
        [run.liveness, run.handle],
        [{ kind: 'queued', jobId: '4711', why: 'Resources' }, 'local:4711'],
      );
      scheduler.jobState = { kind: 'running', node: 'n1' };
      await run.check();
      assert.equal(run.liveness.kind, 'starting');
      memory.put(inRun('process'), processFile);
      await run.check();
      assert.deepEqual(told.slice(2), ['started 77']);
      assert.equal(run.process?.jobId, '4711');
    });

    it('begins anew after it was put back, and is not taken for what it was', async () => {
      scheduler.jobState = { kind: 'running', node: 'n1' };
      memory.put(inRun('process'), processFile);
      await run.check();
      scheduler.jobState = { kind: 'queued', why: 'BeginTime' };
      await run.check();
      await run.check();
      assert.deepEqual(told.slice(1), ['started 77', 'queued (BeginTime)']);
      assert.deepEqual([run.process], [undefined]);
      memory.put(inRun('process'), processFile.replace('77', '78'));
      scheduler.jobState = { kind: 'running', node: 'n2' };
      await run.check();
      assert.deepEqual(told.slice(3), ['started 78']);
      assert.deepEqual([run.liveness.kind, run.process?.pid], ['running', 78]);
    });

    const others: readonly [what: string, file: string][] = [
      ['start', processFile.replace('5000', '6000')],
      ['boot', processFile.replace('boot_id=boot', 'boot_id=other')],
      ['pid', processFile.replace('77', '78')],
    ];
    for (const [what, file] of others)
      it(`knows the process of a new beginning by its ${what}`, async () => {
        scheduler.jobState = { kind: 'running', node: 'n1' };
        memory.put(inRun('process'), processFile);
        await run.check();
        scheduler.jobState = { kind: 'queued', why: 'BeginTime' };
        await run.check();
        memory.put(inRun('process'), file);
        await run.refresh();
        assert.ok(run.process);
      });

    it('is over when a record may be its end, and not while it may begin anew', async () => {
      scheduler.mayRequeue = true;
      scheduler.jobState = { kind: 'running', node: 'n1' };
      memory.put(inRun('process'), processFile);
      memory.put(inRun('exit'), record);
      await run.check();
      assert.equal(run.liveness.kind, 'running');
      scheduler.jobState = { kind: 'ended', end: { kind: 'failed', code: 3 }, endedMs: 6 };
      await run.check();
      assert.deepEqual(told.slice(1), ['started 77', 'ended (failed)']);
    });
  });
});
