import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunState, SweepState } from '../../../../src/agent/journal/state.ts';
import {
  nextStep,
  type SweepSituation,
  type SweepStep,
} from '../../../../src/agent/runs/sweepSchedule.ts';
import type { SweepPlan } from '../../../../src/runs/sweep.ts';
import { runState, runsOf, startMs, stateOf } from '../../vscode/states.ts';

const sweepOf = (more: Partial<SweepPlan> = {}): SweepState => ({
  plan: {
    id: 's1',
    params: ['x'],
    points: [0, 1, 2].map((x) => ({ params: { x }, command: `train ${x}`, label: `x=${x}` })),
    machineIds: ['gpu1', 'gpu2'],
    metrics: {},
    ...more,
  },
  callId: 'c1',
  skipped: new Map(),
});

const pointRun = (index: number, machineId: string, changes: Partial<RunState> = {}): RunState => {
  const run = runState(index + 1, changes);
  return { ...run, spec: { ...run.spec, machineId, sweep: { id: 's1', index } } };
};

const step = (runs: readonly RunState[], more: Partial<SweepSituation> = {}): SweepStep =>
  nextStep({
    state: stateOf({ runs: runsOf(...runs) }),
    sweep: sweepOf(),
    nowMs: startMs,
    open: ['gpu1', 'gpu2'],
    isScheduler: () => false,
    isTaken: () => false,
    isFollowed: () => true,
    ...more,
  });

const launched = (next: SweepStep): unknown =>
  next.kind === 'launch'
    ? [next.work.machineId, next.work.indices, next.work.specs.map(({ number }) => number)]
    : next;

describe('the next step of a sweep', () => {
  it('takes the first waiting point to the machine where the fewest run', () => {
    assert.deepEqual(launched(step([])), ['gpu1', [0], []]);
    assert.deepEqual(launched(step([pointRun(0, 'gpu1')])), ['gpu2', [1], []]);
    assert.deepEqual(launched(step([], { isTaken: (index) => index === 0 })), ['gpu1', [1], []]);
  });

  it('starts what was planned and is not there, on its own machine, before any other point', () => {
    const { process: _process, ...absent } = pointRun(0, 'gpu2');
    const notFollowed = { isFollowed: () => false };
    assert.deepEqual(launched(step([absent], notFollowed)), ['gpu2', [], [1]]);
    assert.deepEqual(launched(step([absent])), ['gpu1', [1], []]);
    assert.deepEqual(launched(step([pointRun(0, 'gpu2')], notFollowed)), ['gpu1', [1], []]);
  });

  it('gives a scheduler all points together', () => {
    const isScheduler = (): boolean => true;
    assert.deepEqual(launched(step([], { isScheduler, open: ['cluster'] })), [
      'cluster',
      [0, 1, 2],
      [],
    ]);
    const all = [0, 1, 2].map((index) => pointRun(index, 'cluster'));
    assert.equal(step(all, { isScheduler, open: ['cluster'] }).kind, 'wait');
  });

  it('waits where no machine is open, all points are on their way, or as many run as may', () => {
    assert.equal(step([], { open: [] }).kind, 'wait');
    assert.equal(step([], { isTaken: () => true }).kind, 'wait');
    const one = sweepOf({ maxParallel: 1 });
    assert.equal(step([pointRun(0, 'gpu1')], { sweep: one }).kind, 'wait');
    assert.equal(step([], { sweep: one, isTaken: (index) => index === 0 }).kind, 'wait');
  });

  it('ends it when all points are over, with its session, and with the minutes of the session', () => {
    const over = [0, 1].map((index) => pointRun(index, 'gpu1', { verdict: { kind: 'ok' } }));
    const sweep = { ...sweepOf(), skipped: new Map([[2, 'cannot be']]) };
    assert.deepEqual(step(over, { sweep }), { kind: 'end', why: 'done' });
    assert.deepEqual(step([], { state: stateOf({ phase: 'ended' }) }), {
      kind: 'end',
      why: 'session_ended',
    });
    const state = stateOf({ budget: { minutes: 1 } });
    assert.equal(step([], { state, nowMs: startMs + 59_999 }).kind, 'launch');
    assert.deepEqual(step([], { state, nowMs: startMs + 60_000 }), { kind: 'end', why: 'budget' });
  });
});
