import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { SessionRuns } from '../../../../src/agent/runs/sessionRuns.ts';
import { Sweeps } from '../../../../src/agent/runs/sweeps.ts';
import { SweepLane } from '../../../../src/agent/runs/sweepLane.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import { Emitter } from '../../../../src/base/emitter.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';
import { MachineFailure, type MachineFailureReason } from '../../../../src/machines/machine.ts';
import { LaunchFailure } from '../../../../src/runs/launchFailure.ts';
import type { Run, RunChange } from '../../../../src/runs/liveRun.ts';
import type { RunSpec } from '../../../../src/runs/run.ts';
import type { Runs } from '../../../../src/runs/runs.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { SleepyComputer, standstillsOf } from '../../../fakes/sleepyComputer.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { standIn } from '../../../fakes/scriptedMachine.ts';
import { sessionId, started } from '../../vscode/states.ts';

describe('the way of points to a machine', () => {
  let clock: ManualClock;
  let rested: number;
  let lane: SweepLane;
  beforeEach(() => {
    [clock, rested] = [new ManualClock(), 0];
    lane = new SweepLane('gpu1', clock, () => void (rested += 1));
  });
  /** Seconds until it is tried again. */
  const restOf = async (): Promise<number> => {
    const before = rested;
    for (let seconds = 0; ; seconds += 1) {
      if (rested > before) return seconds;
      assert.equal(lane.isOpen, false);
      await clock.advance(1_000);
    }
  };

  it('takes one at a time', () => {
    assert.equal(lane.isOpen, true);
    lane.begin();
    assert.equal(lane.isOpen, false);
    lane.done();
    assert.equal(lane.isOpen, true);
  });

  it('rests where there is no room, until a run has ended', async () => {
    lane.full('no GPU is free');
    assert.equal(lane.problem, 'no GPU is free');
    assert.equal(await restOf(), 15);
    lane.full('no GPU is free');
    lane.runEnded();
    assert.deepEqual([lane.isOpen, lane.problem, clock.pendingTimers], [true, undefined, 0]);
  });

  it('does not rest where a run has ended since it was asked', () => {
    lane.begin();
    lane.runEnded();
    lane.full('no GPU is free');
    lane.done();
    assert.equal(lane.isOpen, true);
    lane.begin();
    lane.full('no GPU is free');
    lane.done();
    assert.equal(lane.isOpen, false);
  });

  it('rests longer each time that the machine does not answer, whatever ends, until a launch went well', async () => {
    const rests: number[] = [];
    for (let time = 0; time < 5; time += 1) {
      lane.away('no answer');
      lane.runEnded();
      rests.push(await restOf());
    }
    assert.deepEqual(rests, [5, 15, 30, 60, 60]);
    lane.away('no answer');
    lane.launched();
    assert.deepEqual([lane.isOpen, lane.problem], [true, undefined]);
    lane.away('no answer');
    assert.equal(await restOf(), 5);
  });
});

describe('points of a sweep that are not launched', () => {
  const folder = scratchFolder();
  let clock: ManualClock;
  let computer: SleepyComputer;
  let log: SessionLog;
  let sweeps: Sweeps;
  let sessionRuns: SessionRuns;
  /**
   * What becomes of the launches, one after the other: an error, or nothing for one that goes well.
   */
  let outcomes: (LaunchFailure | undefined)[];
  let asked: string[];
  beforeEach(async () => {
    [clock, outcomes, asked] = [new ManualClock(), [], []];
    const { v: _v, id: _id, at: _at, ...first } = started();
    log = await SessionLog.open(path.join(folder(), 'journal.jsonl'), clock, first);
    const machines = createMachines(
      ['gpu1', 'gpu2'].map((id) => standIn({ id, kind: 'ssh', host: id }, path.join(folder(), id))),
    );
    const there = new Map<string, Run>();
    const launch = (spec: RunSpec): PromiseSettledResult<Run> => {
      const reason = outcomes.shift();
      asked.push(`${spec.number}@${spec.machineId}`);
      if (reason !== undefined) return { status: 'rejected', reason };
      const process = { pid: 7, startTime: '1', bootId: 'b', startedMs: 1 };
      const value = {
        spec,
        process,
        liveness: { kind: 'running' },
        metrics: { summaries: () => [] },
      };
      there.set(spec.id, value as unknown as Run);
      return { status: 'fulfilled', value: value as unknown as Run };
    };
    const runs = {
      onDidChange: new Emitter<RunChange>().event,
      get: (id: string) => there.get(id),
      launchTogether: (specs: readonly RunSpec[]) => Promise.resolve(specs.map(launch)),
    } as unknown as Runs;
    sessionRuns = new SessionRuns({ sessionId, log, runs, machines, clock, onFailed: assert.fail });
    computer = new SleepyComputer(clock);
    const standstills = standstillsOf(log, clock, computer);
    const deps = { log, sessionRuns, runs, machines, clock, standstills };
    sweeps = new Sweeps({ ...deps, onFailed: assert.fail });
    sweeps.open();
  });
  afterEach(async () => {
    sweeps.dispose();
    sessionRuns.dispose();
    await log.close();
  });

  const failure = (
    reason: LaunchFailure['reason'],
    of?: MachineFailureReason,
    isBusy = false,
  ): LaunchFailure =>
    new LaunchFailure(reason, `${reason} ${of ?? ''}`.trim(), {
      isBusy,
      ...(of !== undefined && { cause: new MachineFailure(of, of) }),
    });
  const startMany = (
    count: number,
    maxParallel: number,
    ...machineIds: readonly string[]
  ): Promise<unknown> => {
    const points = Array.from({ length: count }, (_, x) => ({
      params: { x },
      command: `train ${x}`,
      label: `x=${x}`,
    }));
    const plan = { params: ['x'], machineIds, metrics: {}, maxParallel, points };
    return sweeps.start(plan, 'call', new AbortController().signal);
  };
  const start = (...machineIds: readonly string[]): Promise<unknown> =>
    startMany(1, 1, ...machineIds);
  const told = (): string[] =>
    log.events.flatMap((event) => {
      if (event.type === 'sweep.point_skipped') return [`skipped: ${event.why}`];
      return event.type === 'run.not_started' ? [`not started: ${event.why}`] : [];
    });
  const running = (): string[] =>
    [...log.state.runs.values()].flatMap(({ spec, process }) =>
      process === undefined ? [] : [`${spec.number}@${spec.machineId}`],
    );
  /** Lets the machines be tried again until a point runs. */
  const untilItRuns = async (): Promise<void> => {
    for (let tries = 0; running().length === 0 && tries < 100; tries += 1) {
      const before = log.events.length;
      await clock.advance(15_000);
      await until(
        'it was tried',
        () => log.events.length > before || clock.pendingTimers > 0 || running().length > 0,
      );
    }
  };

  it('are skipped where the fault is their own', async () => {
    outcomes = [failure('not_started', 'denied')];
    await start('gpu1', 'gpu2');
    await until('it is over', () => log.state.sweeps.get('s1')?.end !== undefined);
    assert.deepEqual(told(), ['not started: not_started denied', 'skipped: not_started denied']);
    assert.deepEqual([asked.length, running()], [1, []]);
  });

  it('do not go with the minutes in which the computer slept', async () => {
    await log.record({ type: 'session.resumed', by: 'user', budget: { minutes: 60 } });
    await startMany(2, 1, 'gpu1');
    await until('one runs', () => running().length === 1);
    computer.sleep(2 * 3_600_000);
    const runId = [...log.state.runs.keys()][0] ?? assert.fail();
    const ended = { type: 'run.ended', runId, verdict: { kind: 'ok' }, metrics: [] } as const;
    await log.record({ ...ended, endedMs: clock.now() });
    await until('both ran', () => running().length === 2);
    assert.equal(log.state.sweeps.get('s1')?.end, undefined);
  });

  it('go where least of the sweep runs, as many as may, and nowhere once the session has ended', async () => {
    const end = async (machineId: string): Promise<void> => {
      const run = [...log.state.runs.values()].find(
        ({ spec, verdict }) => spec.machineId === machineId && !verdict,
      );
      const runId = run?.spec.id ?? assert.fail();
      await log.record({
        type: 'run.ended',
        runId,
        verdict: { kind: 'ok' },
        endedMs: 1,
        metrics: [],
      });
    };
    await startMany(5, 2, 'gpu1', 'gpu2');
    await until('they run', () => running().length === 2);
    await end('gpu2');
    await until('the next runs', () => running().length === 3);
    assert.deepEqual(asked.map((one) => one.slice(2)).toSorted(), ['gpu1', 'gpu2', 'gpu2']);
    await log.record({ type: 'session.ended', reason: 'goal', summary: 's', evidence: [] });
    await until('it is over', () => log.state.sweeps.get('s1')?.end !== undefined);
    assert.equal(log.state.sweeps.get('s1')?.end, 'session_ended');
    await end('gpu1');
    await sweeps.settle();
    assert.equal(asked.length, 3);
  });

  const later: readonly (readonly [
    name: string,
    failures: readonly LaunchFailure[],
    machines: number,
    asked: RegExp,
    told: number,
  ])[] = [
    [
      'no room, are planned anew',
      [failure('not_started', undefined, true)],
      1,
      /^1@gpu1,2@gpu1$/,
      1,
    ],
    [
      'a machine without answer, go to another one',
      [failure('not_started', 'unreachable')],
      2,
      /^1@gpu1,2@gpu2$/,
      1,
    ],
    [
      'a full disk, go to another one',
      [failure('not_started', 'no_space')],
      2,
      /^1@gpu1,2@gpu2$/,
      1,
    ],
    [
      'their only machine, stay planned for it',
      [failure('not_started', 'unreachable')],
      1,
      /^1@gpu1,1@gpu1$/,
      0,
    ],
    [
      'a start that may have happened, stay with its machine',
      [failure('unconfirmed')],
      2,
      /^1@gpu1,1@gpu1$/,
      0,
    ],
    [
      'such a start whose machine is lost then, stay with it',
      [failure('unconfirmed'), failure('not_started', 'unreachable')],
      2,
      /^1@gpu1,1@gpu1,1@gpu1$/,
      0,
    ],
  ];
  for (const [name, failures, machines, expected, given] of later)
    it(`that wait for ${name}`, async () => {
      outcomes = [...failures];
      await start(...['gpu1', 'gpu2'].slice(0, machines));
      await untilItRuns();
      assert.match(asked.join(), expected);
      assert.equal(running().length, 1);
      assert.deepEqual(
        [told().length, told().filter((text) => text.startsWith('skipped'))],
        [given, []],
      );
    });
});
