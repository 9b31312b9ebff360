import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { Waiting } from '../../../../src/agent/loop/waiting.ts';
import type { SessionRuns } from '../../../../src/agent/runs/sessionRuns.ts';
import type { Sweeps } from '../../../../src/agent/runs/sweeps.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import type { Run } from '../../../../src/runs/liveRun.ts';
import type { Sleeper, Wake } from '../../../../src/sleep/sleeper.ts';
import type { SleepRequest } from '../../../../src/sleep/trigger.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { SleepyComputer, standstillsOf } from '../../../fakes/sleepyComputer.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { runId, runState, started } from '../../vscode/states.ts';

const minuteMs = 60_000;

describe('a session that sleeps', () => {
  const folder = scratchFolder();
  let clock: ManualClock;
  let computer: SleepyComputer;
  let log: SessionLog;
  let waiting: Waiting;
  let live: Run[];
  let awake: number;
  /** Sleeps that were armed and are not disposed. */
  let armed: { readonly request: SleepRequest; wake(why: Wake['why']): void }[];
  let armings: number;
  let settling: Promise<void>;
  beforeEach(async () => {
    clock = new ManualClock();
    computer = new SleepyComputer(clock);
    [live, awake, armed, armings, settling] = [[], 0, [], 0, Promise.resolve()];
    await begin();
  });
  afterEach(async () => {
    waiting.dispose();
    await log.close();
  });

  const begin = async (minutes?: number): Promise<void> => {
    const { v: _v, id: _id, at: _at, ...first } = started();
    const budget = minutes === undefined ? {} : { minutes };
    log = await SessionLog.open(join(folder(), `journal-${minutes}.jsonl`), clock, {
      ...first,
      budget,
    });
    waiting = new Waiting({
      ...{ log, clock, standstills: standstillsOf(log, clock, computer) },
      ...{ onAwake: () => void (awake += 1), onFailed: assert.fail },
      sessionRuns: {
        ...{ live: () => live, settle: () => settling },
        ledger: () => ({ rows: [], experiments: [] }),
      } as unknown as SessionRuns,
      sweeps: { tables: () => [] } as unknown as Sweeps,
      sleeper: {
        arm(request: SleepRequest, onWake: (wake: Wake) => void) {
          armings += 1;
          const sleep = {
            request,
            wake: (why: Wake['why']) => onWake({ why, met: [], unmet: [], errors: [] }),
          };
          armed.push(sleep);
          return { dispose: () => void (armed = armed.filter((other) => other !== sleep)) };
        },
      } as unknown as Sleeper,
    });
  };
  const fallAsleep = (callId = 'c'): Promise<void> =>
    log.record({
      ...{ type: 'sleep.started', sleepId: 's1', callId },
      request: { reason: 'training', logic: 'any', triggers: [] },
    });
  const ends = (): string[] =>
    log.events.flatMap((event) =>
      event.type === 'sleep.ended' ? [`${event.why}: ${event.detail}`] : [],
    );
  const messages = (): string[] =>
    log.events.flatMap((event) => (event.type === 'message.added' ? [event.origin] : []));
  const woken = (): Promise<void> => until('it is awake', () => awake > 0);

  it('is armed once, and not at all while it is awake', async () => {
    waiting.arm();
    assert.equal(armings, 0);
    await fallAsleep();
    waiting.arm();
    waiting.arm();
    assert.equal(armings, 1);
    armed[0]?.wake('trigger');
    await woken();
    assert.deepEqual([ends(), messages(), armed, awake], [['trigger: trigger'], ['wake'], [], 1]);
  });

  it('is not armed again between what wakes it and the record of that', async () => {
    const settled = Promise.withResolvers<void>();
    settling = settled.promise;
    await fallAsleep();
    waiting.arm();
    armed[0]?.wake('deadline');
    waiting.arm();
    assert.deepEqual([armings, ends()], [1, []]);
    settled.resolve();
    await woken();
    assert.deepEqual([ends(), awake], [['deadline: deadline'], 1]);
  });

  it('is ended by one alone: by the user, though something else was about to', async () => {
    const settled = Promise.withResolvers<void>();
    settling = settled.promise;
    await fallAsleep();
    waiting.arm();
    armed[0]?.wake('trigger');
    await waiting.end('hello');
    settled.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    await waiting.halt();
    assert.deepEqual([ends(), messages(), awake], [['person: hello'], [], 0]);
    await waiting.end('again');
    assert.equal(ends().length, 1);
  });

  it('has its wake in the journal once it was halted', async () => {
    await fallAsleep();
    waiting.arm();
    const ended = new Promise<void>((resolve) => log.onDidRecord(() => resolve()));
    armed[0]?.wake('trigger');
    await ended;
    await waiting.halt();
    assert.deepEqual([messages(), awake], [['wake'], 1]);
  });

  it('wakes to what was said while the model chose to sleep, which needs no digest', async () => {
    await log.record({ type: 'message.added', origin: 'person', text: 'stop' });
    await fallAsleep();
    waiting.arm();
    await woken();
    assert.deepEqual(
      [ends(), messages()],
      [['person: a message that the agent has not read'], ['person']],
    );
  });

  const unheard: readonly (readonly [
    name: string,
    events: readonly SessionEvent[],
    isWoken: boolean,
  ])[] = [
    ['an alarm that warns', [alarmed('warn')], true],
    ['an alarm that a request has told of', [alarmed('warn'), asked()], false],
    ['the alarm of a run that is being killed', [alarmed('kill')], false],
    ['the alarm of a run that was killed', [alarmed('kill'), overNow()], true],
    ['nothing', [], false],
  ];
  for (const [name, events, isWoken] of unheard)
    it(`${isWoken ? 'wakes at once' : 'sleeps on'} with ${name}`, async () => {
      await log.record({ type: 'run.planned', callId: 'c', spec: runState(1).spec });
      for (const event of events) await log.record(event);
      await fallAsleep();
      waiting.arm();
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(armed.length, isWoken ? 0 : 1);
      if (!isWoken) return;
      await woken();
      assert.deepEqual(ends(), ['alarm: run 1: says nothing']);
    });

  it('wakes with the minutes of the goal', async () => {
    await log.close();
    await begin(90);
    await fallAsleep();
    waiting.arm();
    await clock.advance(90 * minuteMs - 1);
    assert.equal(armed.length, 1);
    await clock.advance(1);
    await woken();
    assert.deepEqual(ends(), ['deadline: the minutes of the budget are used up']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('sleeps on when the minutes passed while the computer slept', async () => {
    await log.close();
    await begin(90);
    await fallAsleep();
    waiting.arm();
    await clock.advance(80 * minuteMs);
    computer.sleep(8 * 60 * minuteMs);
    await clock.advance(minuteMs);
    await until('it is recorded', () => log.state.restMs !== undefined);
    await clock.advance(9 * minuteMs - 1);
    assert.equal(armed.length, 1);
    await clock.advance(1);
    await woken();
    assert.deepEqual(ends(), ['deadline: the minutes of the budget are used up']);
  });

  describe('with a monitor', () => {
    const sleepOn = async (): Promise<void> => {
      assert.equal(await waiting.untilCheckIn('s9'), true);
      assert.deepEqual([log.state.sleep?.sleepId, log.state.sleep?.isCheckIn], ['s1', false]);
      waiting.arm();
    };
    beforeEach(async () => {
      await log.record({ type: 'run.planned', callId: 'c', spec: runState(1).spec });
      await log.record({ type: 'monitor.started', goal: 'watch', intervalMs: 60_000, callId: 'c' });
      await fallAsleep();
      waiting.arm();
      await clock.advance(60_000);
      await woken();
    });

    it('keeps its conditions watched over check-ins, so that none begins anew', async () => {
      assert.deepEqual([ends(), messages()], [['check_in: check in'], ['monitor']]);
      await sleepOn();
      await clock.advance(60_000);
      await until('it is awake again', () => awake > 1);
      await sleepOn();
      assert.deepEqual([armings, armed.length], [1, 1]);
      armed[0]?.wake('trigger');
      await until('it is awake', () => awake > 2);
      assert.deepEqual(messages(), ['monitor', 'monitor', 'wake']);
      assert.deepEqual([armed, clock.pendingTimers], [[], 0]);
    });

    it('wakes at once for what was met during the check-in', async () => {
      armed[0]?.wake('trigger');
      assert.equal(awake, 1);
      await sleepOn();
      await until('it is awake again', () => awake > 1);
      assert.deepEqual(ends(), ['check_in: check in', 'trigger: trigger']);
    });

    it('forgets the sleep when another begins, or the user writes', async () => {
      await log.record({
        ...{ type: 'sleep.started', sleepId: 's2', callId: 'c' },
        request: { reason: 'other', logic: 'any', triggers: [] },
      });
      waiting.arm();
      assert.deepEqual(
        armed.map(({ request }) => request.reason),
        ['other'],
      );
      await clock.advance(60_000);
      await until('it is awake again', () => awake > 1);
      await log.record({ type: 'message.added', origin: 'person', text: 'hm' });
      await waiting.untilCheckIn('s9');
      assert.equal(log.state.sleep?.isCheckIn, true);
    });

    it('says nothing while no run is active', async () => {
      await log.record(overNow());
      await sleepOn();
      await clock.advance(600_000);
      assert.equal(awake, 1);
    });
  });

  it('with a monitor looks in after its interval, or when a run or a sweep ends: not each point of one', async () => {
    assert.equal(await waiting.untilCheckIn('s9'), false);
    const point = { ...runState(2).spec, sweep: { id: 's1', index: 0 } };
    live = [{ spec: runState(1).spec }, { spec: point }] as unknown as Run[];
    const plan = { id: 's1', params: [], points: [], machineIds: ['gpu1'], metrics: {} };
    await log.record({ type: 'sweep.started', plan, callId: 'c' });
    await log.record({ type: 'sweep.started', plan: { ...plan, id: 's2' }, callId: 'd' });
    await log.record({ type: 'sweep.ended', sweepId: 's2', why: 'done', text: 't' });
    await log.record({ type: 'monitor.started', goal: 'watch', intervalMs: 300_000, callId: 'c' });
    assert.equal(await waiting.untilCheckIn('s9'), true);
    assert.deepEqual(log.state.sleep?.request.triggers, [
      { type: 'timer', atMs: clock.now() + 300_000 },
      { type: 'process_exit', runId: runId(1), name: 'run 1' },
      { type: 'sweep_end', sweepId: 's1' },
    ]);
    assert.equal(log.state.sleep.isCheckIn, true);
    live = [];
    waiting.arm();
    armed[0]?.wake('trigger');
    await woken();
    assert.deepEqual(messages(), ['monitor']);
  });
});

function alarmed(action: 'warn' | 'kill'): SessionEvent {
  return { type: 'run.alarmed', runId: runId(1), kind: 'silence', detail: 'says nothing', action };
}

function asked(): SessionEvent {
  return { type: 'model.requested', turn: 1, provider: 'p', model: 'm' };
}

function overNow(): SessionEvent {
  return {
    type: 'run.ended',
    runId: runId(1),
    verdict: { kind: 'killed' },
    endedMs: 1,
    metrics: [],
  };
}
