import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { killRun } from '../../../../src/agent/runs/killRun.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import type { Machines } from '../../../../src/machines/machine.ts';
import type { Run } from '../../../../src/runs/liveRun.ts';
import type { Liveness } from '../../../../src/runs/run.ts';
import type { Runs } from '../../../../src/runs/runs.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { runState, sessionId, started } from '../../vscode/states.ts';

describe('the end of a run that nobody follows', () => {
  const folder = scratchFolder();
  const clock = new ManualClock();
  const { spec, process } = runState(1);
  let log: SessionLog;
  beforeEach(async () => {
    const { v: _v, id: _id, at: _at, ...first } = started();
    log = await SessionLog.open(join(folder(), 'journal.jsonl'), clock, first);
    await log.record({ type: 'run.planned', callId: 'c', spec });
  });
  afterEach(() => log.close());

  /**
   * What is recorded of it. `liveness`: after it was killed; absent where there is no such run on
   * its machine.
   */
  const recordedOf = async (liveness: Liveness | undefined): Promise<string[]> => {
    const run = { spec, process, liveness, metrics: { summaries: () => [] } } as unknown as Run;
    const sent = {
      signal: 'TERM',
      signalled: [],
      left: [7],
      isEscalated: true,
      wasRunning: true,
      isVerified: true,
    };
    const runs = {
      adopt: () => Promise.resolve(liveness === undefined ? undefined : run),
      kill: () => Promise.resolve(sent),
    } as unknown as Runs;
    const before = log.events.length;
    const state = log.state.runs.get(spec.id) ?? assert.fail();
    const killed = await killRun(
      {
        ...{ runs, clock, machines: {} as Machines, owner: () => Promise.resolve(undefined) },
        withLog: (_id, work) => work(log),
      },
      sessionId,
      state,
    );
    const isThere = liveness !== undefined;
    assert.deepEqual([killed.left, killed.isEscalated], [isThere ? [7] : [], isThere]);
    return log.events.slice(before).map(({ type }) => type);
  };
  const ended: Liveness = { kind: 'ended', verdict: { kind: 'killed' }, endedMs: 5 };
  const start = () =>
    log.record({ type: 'run.started', runId: spec.id, process: process ?? assert.fail() });

  it('is recorded, and its start where that was not', async () => {
    assert.deepEqual(await recordedOf(ended), ['run.started', 'run.ended']);
    assert.deepEqual(log.state.runs.get(spec.id)?.verdict, { kind: 'killed' });
  });

  it('is recorded where it waits in line, unless another process owns its session', async () => {
    await log.record({ type: 'run.queued', runId: spec.id, why: 'full' });
    const state = log.state.runs.get(spec.id) ?? assert.fail();
    const deps = {
      runs: {} as Runs,
      machines: {} as Machines,
      clock,
      withLog: () => assert.fail(),
    };
    const owner = () => Promise.resolve({ kind: 'terminal' } as never);
    await assert.rejects(
      killRun({ ...deps, owner }, sessionId, state),
      /waits for a free slot or GPU on /,
    );
    assert.deepEqual(await recordedOf(undefined), ['run.not_started']);
  });

  it('is recorded alone where its start is known', async () => {
    await start();
    assert.deepEqual(await recordedOf(ended), ['run.ended']);
  });

  it('is recorded once', async () => {
    await start();
    await log.record({
      type: 'run.ended',
      runId: spec.id,
      verdict: { kind: 'ok' },
      endedMs: 1,
      metrics: [],
    });
    assert.deepEqual(await recordedOf(ended), []);
    assert.deepEqual(log.state.runs.get(spec.id)?.verdict, { kind: 'ok' });
  });

  it('is not recorded while it goes on, is not known, or never was', async () => {
    await start();
    assert.deepEqual(await recordedOf({ kind: 'running' }), []);
    assert.deepEqual(await recordedOf({ kind: 'unknown', why: 'no answer' }), []);
    assert.deepEqual(await recordedOf(undefined), []);
  });
});
