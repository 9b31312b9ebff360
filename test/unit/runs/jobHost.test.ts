import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { MachineFailure, type JobEnd, type JobState } from '../../../src/machines/machine.ts';
import { JobHost } from '../../../src/runs/jobHost.ts';
import {
  verdictText,
  type RunEnd,
  type RunProcess,
  type RunSpec,
  type Verdict,
} from '../../../src/runs/run.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { ScriptedScheduler } from '../../fakes/scriptedScheduler.ts';

const id = 'r-job000000' as RunId;
const spec: RunSpec = {
  ...{
    id,
    sessionId: 's-test00000' as SessionId,
    number: 1,
    machineId: 'cluster',
    command: 'train',
    cwd: '/',
  },
  ...{ env: {}, metrics: {}, label: '', plannedMs: 1 },
};
const process: RunProcess = { pid: 77, startTime: '5000', bootId: 'boot', startedMs: 1 };

const queued: JobState = { kind: 'queued', why: 'Priority' };
const running: JobState = { kind: 'running', node: 'n1' };
const endedBy = (end: JobEnd, endedMs = 42): JobState => ({ kind: 'ended', end, endedMs });
const cancelled = endedBy({ kind: 'cancelled' });
const forgotten: JobState = { kind: 'unknown', isLeftOut: false };
const leftOut: JobState = { kind: 'unknown', isLeftOut: true };

describe('a run in the queue of a scheduler', () => {
  let clock: ManualClock;
  let scheduler: ScriptedScheduler;
  /** Name in the folder of the run → when it was changed. */
  let files: Map<string, number>;
  let written: string[];
  let writeFailure: MachineFailure | undefined;
  let host: JobHost;
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

  beforeEach(() => {
    clock = new ManualClock();
    scheduler = new ScriptedScheduler();
    files = new Map();
    written = [];
    writeFailure = undefined;
    const machine = Object.assign(new LocalMachine({ runsFolder: '/runs', workFolder: '/' }), {
      stat: (path: string) => {
        const modifiedMs = files.get(nameOf(path));
        return Promise.resolve(
          modifiedMs === undefined ? undefined : { sizeBytes: 1, modifiedMs, isDirectory: false },
        );
      },
      writeFile: (path: string, content: Uint8Array) => {
        if (writeFailure !== undefined) return Promise.reject(writeFailure);
        written.push(`${nameOf(path)}: ${Buffer.from(content).toString()}`);
        return Promise.resolve();
      },
    });
    host = new JobHost({ spec, machine, scheduler, clock });
  });

  it('is looked for by its name until its job is known, and then by its job', async () => {
    scheduler.jobId = undefined;
    assert.deepEqual([await host.exists(), host.jobId], [false, undefined]);
    assert.deepEqual(await host.identified(process), process);
    scheduler.jobId = '4711';
    assert.deepEqual([await host.exists(), host.jobId], [true, '4711']);
    assert.deepEqual(await host.identified(process), { ...process, jobId: '4711' });
    assert.equal(scheduler.asked.filter((asked) => asked.startsWith('find')).length, 3);
  });

  it('is gone when after two minutes nobody has submitted it', async () => {
    scheduler.jobId = undefined;
    await clock.advance(119_999);
    assert.deepEqual(await host.presence(undefined), { kind: 'starting' });
    await clock.advance(1);
    const gone = { kind: 'gone', why: 'it was never submitted', isFinal: true };
    assert.deepEqual(await host.presence(undefined), gone);
  });

  it('waits in the queue, begins, and runs, as the scheduler says', async () => {
    scheduler.jobState = queued;
    assert.deepEqual(await host.presence(undefined), {
      kind: 'queued',
      jobId: '4711',
      why: 'Priority',
    });
    scheduler.jobState = running;
    assert.deepEqual(await host.presence(undefined), { kind: 'starting' });
    assert.deepEqual(await host.presence(process), { kind: 'alive' });
  });

  const ends: readonly [end: JobEnd, verdict: Verdict | undefined, isFinalBefore: boolean][] = [
    [{ kind: 'completed' }, undefined, false],
    [{ kind: 'failed', code: 3 }, { kind: 'failed', code: 3 }, true],
    [{ kind: 'failed', code: 0, signal: 'KILL' }, { kind: 'signalled', signal: 'KILL' }, true],
    [{ kind: 'cancelled' }, { kind: 'killed' }, true],
    [{ kind: 'time_limit' }, { kind: 'time_limit' }, false],
    [{ kind: 'out_of_memory' }, { kind: 'out_of_memory' }, false],
    [{ kind: 'preempted' }, { kind: 'preempted' }, false],
    [{ kind: 'node_failed', why: 'n1 is down' }, { kind: 'lost', why: 'n1 is down' }, false],
  ];
  for (const [end, verdict, isFinalBefore] of ends)
    it(`is gone when its job is over: ${JSON.stringify(end)}`, async () => {
      scheduler.jobState = endedBy(end);
      const how = verdict === undefined ? 'completed' : verdictText(verdict);
      const why = `its job 4711 left no exit record: ${how}`;
      const known = verdict && { end: { verdict, endedMs: 42 } };
      assert.deepEqual(await host.presence(undefined), {
        kind: 'gone',
        why,
        isFinal: isFinalBefore,
        ...known,
      });
      files.set('heartbeat', 1);
      assert.deepEqual(
        await host.presence(process),
        { kind: 'alive' },
        'its supervisor may live on',
      );
      await clock.advance(19_999);
      assert.deepEqual(await host.presence(process), { kind: 'alive' });
      await clock.advance(1);
      assert.deepEqual(await host.presence(process), {
        kind: 'gone',
        why,
        isFinal: true,
        ...known,
      });
    });

  it('lives on while its supervisor beats, whatever is said of its job', async () => {
    scheduler.jobState = cancelled;
    for (let beat = 1; beat < 10; beat += 1) {
      files.set('heartbeat', beat);
      assert.deepEqual(await host.presence(process), { kind: 'alive' });
      await clock.advance(19_999);
    }
  });

  it('has ended now where the scheduler does not say when', async () => {
    scheduler.jobState = endedBy({ kind: 'cancelled' }, 0);
    const { end } = (await host.presence(undefined)) as { end?: RunEnd };
    assert.equal(end?.endedMs, clock.now());
  });

  it('was taken out of the queue where others of its array are known, and it never began', async () => {
    scheduler.jobState = leftOut;
    const end = { verdict: { kind: 'killed' }, endedMs: clock.now() };
    assert.deepEqual(await host.presence(undefined), {
      ...goneAs('it was removed from the queue'),
      end,
    });
    files.set('claim', 1);
    assert.deepEqual(await host.presence(undefined), { kind: 'starting' });
    files.clear();
    scheduler.jobState = forgotten;
    assert.deepEqual(await host.presence(undefined), { kind: 'starting' });
  });

  const goneAs = (why: string): object => ({ kind: 'gone', why, isFinal: true });

  it('is looked at itself where the scheduler has forgotten it, for two minutes of silence', async () => {
    scheduler.jobState = forgotten;
    assert.deepEqual(await host.presence(process), { kind: 'starting' });
    files.set('heartbeat', 1);
    assert.deepEqual(await host.presence(process), { kind: 'alive' });
    await clock.advance(119_999);
    assert.deepEqual(await host.presence(process), { kind: 'alive' });
    await clock.advance(1);
    const why = 'the scheduler no longer knows its job 4711, and it shows no sign of life';
    assert.deepEqual(await host.presence(process), goneAs(why));
    files.set('heartbeat', 2);
    assert.deepEqual(await host.presence(process), { kind: 'alive' });
  });

  const signalled: Verdict = { kind: 'signalled', signal: 'TERM' };
  const failed: Verdict = { kind: 'failed', code: 1 };
  /** `undefined`: it may not be the end. */
  const records: readonly [
    verdict: Verdict,
    mayRequeue: boolean,
    state: JobState,
    settled: Verdict | undefined,
  ][] = [
    [{ kind: 'killed' }, true, running, { kind: 'killed' }],
    [failed, false, running, failed],
    [failed, true, running, undefined],
    [failed, true, queued, undefined],
    [failed, true, cancelled, failed],
    [signalled, false, running, undefined],
    [signalled, false, queued, undefined],
    [signalled, false, forgotten, signalled],
    [signalled, false, endedBy({ kind: 'completed' }), signalled],
    [signalled, false, endedBy({ kind: 'failed', code: 1 }), signalled],
    [signalled, false, cancelled, { kind: 'killed' }],
    [signalled, false, endedBy({ kind: 'preempted' }), { kind: 'preempted' }],
    [signalled, true, endedBy({ kind: 'time_limit' }), { kind: 'time_limit' }],
    [
      signalled,
      false,
      endedBy({ kind: 'node_failed', why: 'down' }),
      { kind: 'lost', why: 'down' },
    ],
  ];
  for (const [verdict, mayRequeue, state, settled] of records) {
    const what = `${verdict.kind}${mayRequeue ? ', and may be put back,' : ''} with a job that is ${JSON.stringify(state)}`;
    it(`has ended ${settled ? `(${settled.kind})` : 'not yet'} where its record says ${what}`, async () => {
      scheduler.mayRequeue = mayRequeue;
      scheduler.jobState = state;
      const record = { verdict, endedMs: 7 };
      const found = await host.settled(record, () => Promise.resolve(record));
      assert.deepEqual(found, settled && { verdict: settled, endedMs: 7 });
    });
  }

  it('has ended as its newest record says, which may have gone', async () => {
    scheduler.mayRequeue = true;
    scheduler.jobState = cancelled;
    const record: RunEnd = { verdict: failed, endedMs: 7 };
    const newer: RunEnd = { verdict: { kind: 'ok' }, endedMs: 8 };
    assert.deepEqual(await host.settled(record, () => Promise.resolve(newer)), newer);
    assert.deepEqual(await host.settled(record, () => Promise.resolve(undefined)), record);
    scheduler.jobId = undefined;
  });

  const order = (text: string, ms: number): string =>
    `on the node of 4711 (${id}): ${text}, ${ms} ms`;
  const begun = ['find r-job000000', 'state 4711 at once'];
  const nothing = { signalled: [], isEscalated: false, left: [] };

  it('gets a signal through its supervisor, and is not ended by it', async () => {
    files.set('process', 1);
    const report = await host.signal('STOP', undefined);
    assert.deepEqual(report, { signalled: [77], isEscalated: false, left: [], isOver: false });
    assert.deepEqual(scheduler.asked, [...begun, order('signal STOP', 15_000)]);
    assert.deepEqual(written, []);
  });

  it('gets no signal while it waits, or has not come to its script', async () => {
    assert.deepEqual(await host.signal('STOP', undefined), { ...nothing, isOver: false });
    files.set('process', 1);
    scheduler.jobState = queued;
    assert.deepEqual(await host.signal('STOP', undefined), { ...nothing, isOver: false });
    assert.ok(
      !scheduler.asked.some((asked) => asked.startsWith('on the node')),
      scheduler.asked.join(),
    );
  });

  it('is ended by its supervisor, then by the scheduler, and is over when its job is', async () => {
    files.set('process', 1);
    scheduler.onCancel = () => (scheduler.jobState = cancelled);
    const report = await host.signal('TERM', 2_500);
    assert.deepEqual(report, { signalled: [77], isEscalated: false, left: [], isOver: true });
    assert.deepEqual(scheduler.asked, [
      ...begun,
      order('end TERM 25', 17_500),
      'cancel 4711',
      'state 4711',
    ]);
    assert.deepEqual(written, [], 'its supervisor has said who ended it');
  });

  it('is marked as killed where no supervisor could say so, unless it is known already how it ends', async () => {
    scheduler.onCancel = () => (scheduler.jobState = cancelled);
    scheduler.jobState = queued;
    assert.deepEqual(await host.signal('TERM', 2_500.2), { ...nothing, isOver: true });
    assert.deepEqual(written.splice(0), ['kill: grace_ms=2501\n']);
    for (const mark of ['kill', 'limit', 'exit']) {
      files = new Map([[mark, 1]]);
      scheduler.jobState = queued;
      await host.signal('TERM', 2_500);
      assert.deepEqual(written, [], mark);
    }
  });

  it('is ended by the scheduler where its node does not answer, and only then', async () => {
    files.set('process', 1);
    scheduler.onCancel = () => (scheduler.jobState = cancelled);
    scheduler.answer = new MachineFailure('timeout', 'n1 is silent');
    await assert.rejects(host.signal('STOP', undefined), scheduler.answer);
    assert.deepEqual(await host.signal('TERM', 1_000), { ...nothing, isOver: true });
    assert.equal(written.length, 1);
    scheduler.jobState = running;
    scheduler.answer = new MachineFailure('unreachable', 'no way to the cluster');
    await assert.rejects(host.signal('TERM', 1_000), scheduler.answer);
    assert.equal(scheduler.asked.filter((asked) => asked.startsWith('cancel')).length, 1);
  });

  it('is not cancelled where it cannot be marked first, and told where it cannot be cancelled', async () => {
    scheduler.jobState = queued;
    scheduler.onCancel = () => {
      throw new MachineFailure('unreachable', 'no way to the cluster');
    };
    const isCancelled = (): boolean => scheduler.asked.includes('cancel 4711');
    writeFailure = new MachineFailure('no_space', 'the disk is full');
    await assert.rejects(host.signal('TERM', 1_000), writeFailure);
    assert.equal(isCancelled(), false);
    writeFailure = undefined;
    await assert.rejects(host.signal('TERM', 1_000), { reason: 'unreachable' });
    assert.deepEqual([isCancelled(), written.length], [true, 1]);
  });

  /** What became of an order after so long, once with a millisecond less. */
  const overAfter = async (order: Promise<{ isOver: boolean }>, ms: number): Promise<boolean> => {
    let isSettled = false;
    void order.then(() => (isSettled = true));
    await clock.advance(ms - 1);
    assert.equal(isSettled, false);
    await clock.advance(1);
    assert.equal(isSettled, true);
    return (await order).isOver;
  };

  it('is not over where its job goes on for a minute after it was cancelled', async () => {
    assert.equal(await overAfter(host.signal('TERM', 1_000), 60_000), false);
  });

  it('is over where it is taken out of the queue, asked for five times a second', async () => {
    scheduler.jobState = queued;
    const order = host.signal('TERM', 1_000);
    await clock.advance(1_000);
    scheduler.jobState = leftOut;
    assert.equal(await overAfter(order, 200), true);
  });

  it('is left alone where it is over, or not known', async () => {
    scheduler.jobState = cancelled;
    assert.deepEqual(await host.signal('TERM', 1_000), { ...nothing, isOver: true });
    scheduler.jobState = forgotten;
    assert.deepEqual(await host.signal('TERM', 1_000), { ...nothing, isOver: false });
    assert.ok(
      !scheduler.asked.some((asked) => /^cancel|^on the node/.test(asked)),
      scheduler.asked.join(),
    );
  });

  it('is not over while its supervisor beats, though its job is said to be', async () => {
    scheduler.jobState = cancelled;
    files.set('heartbeat', 1);
    assert.equal(await overAfter(host.signal('TERM', 1_000), 7_000), true, 'it did not beat');
    const order = host.signal('TERM', 1_000);
    await clock.advance(6_000);
    files.set('heartbeat', 2);
    assert.equal(await overAfter(order, 1_000), false);
    files.set('exit', 1);
    assert.equal((await host.signal('TERM', 1_000)).isOver, true, 'its record is there');
  });

  it('was never there for who asks before it is submitted', async () => {
    scheduler.jobId = undefined;
    assert.deepEqual(await host.signal('TERM', 1_000), { ...nothing, isOver: false });
    const record: RunEnd = { verdict: signalled, endedMs: 7 };
    assert.deepEqual(await host.settled(record, () => Promise.resolve(record)), record);
    assert.deepEqual(scheduler.asked, ['find r-job000000', 'find r-job000000']);
  });
});
