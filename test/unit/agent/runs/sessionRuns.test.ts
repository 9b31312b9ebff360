import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import { SessionRuns } from '../../../../src/agent/runs/sessionRuns.ts';
import { Closing } from '../../../../src/agent/journal/closing.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { Emitter } from '../../../../src/base/emitter.ts';
import { ToolFailure } from '../../../../src/base/errors.ts';
import { LaunchFailure } from '../../../../src/runs/launchFailure.ts';
import type { Run, RunChange } from '../../../../src/runs/liveRun.ts';
import type { Liveness, RunProcess, RunSpec, Verdict } from '../../../../src/runs/run.ts';
import { Runs } from '../../../../src/runs/runs.ts';
import { fillDisk } from '../../../fakes/fullDisk.ts';
import { scratchFolder, until } from '../../../fakes/scratch.ts';
import { localOnly, sessionId } from '../../tools/machineTools.harness.ts';

describe('plans of runs', () => {
  const folder = scratchFolder();

  it('have a number each, also when they are made at the same time', async () => {
    const machines = localOnly(folder());
    const runs = new Runs({ machines, folder: path.join(folder(), 'points'), clock: systemClock });
    const log = await SessionLog.open(path.join(folder(), 'journal.jsonl'), systemClock, {
      ...{
        type: 'session.started',
        sessionId,
        goal: 'g',
        budget: {},
        provider: 'demo',
        model: 'm',
      },
      ...{ workFolder: folder(), helios: '0' },
    });
    const sessionRuns = new SessionRuns({
      sessionId,
      log,
      runs,
      machines,
      clock: systemClock,
      onFailed: assert.fail,
    });
    const plans = await Promise.all(
      ['a', 'b', 'c', 'd'].map((command) =>
        sessionRuns.plan({ machineId: 'local', command, metrics: {} }, 'call'),
      ),
    );
    assert.deepEqual(
      plans.map(({ number }) => number),
      [1, 2, 3, 4],
    );
    const labelled = { machineId: 'local', command: 'a', metrics: {}, label: 'lr=1' };
    const labels = [];
    for (const experimentId of ['e1', 'e2'])
      labels.push((await sessionRuns.plan({ ...labelled, experimentId }, experimentId)).label);
    assert.deepEqual(labels, ['lr=1', 'lr=1 (e2)']);
    sessionRuns.dispose();
    runs.dispose();
    await log.close();
  });
});

describe('the journal of runs', () => {
  const folder = scratchFolder();
  const changes = new Emitter<RunChange>();
  const followed = new Map<string, Run>();
  let log: SessionLog;
  let sessionRuns: SessionRuns;
  let failures: unknown[];
  /** What a launch comes to. */
  let launching: (spec: RunSpec) => Promise<Run>;
  beforeEach(async () => {
    failures = [];
    followed.clear();
    launching = () => assert.fail('nothing is launched here');
    log = await SessionLog.open(path.join(folder(), 'journal.jsonl'), systemClock, {
      ...{
        type: 'session.started',
        sessionId,
        goal: 'g',
        budget: {},
        provider: 'demo',
        model: 'm',
      },
      ...{ workFolder: folder(), helios: '0' },
    });
    const runs = {
      onDidChange: changes.event,
      get: (id: string) => followed.get(id),
      launch: (spec: RunSpec) => launching(spec),
      adopt: (spec: RunSpec) => Promise.resolve(followed.get(spec.id)),
      output: () => Promise.resolve({ text: 'Traceback' }),
    } as unknown as Runs;
    const machines = localOnly(folder());
    const onFailed = (error: unknown): void => void failures.push(error);
    sessionRuns = new SessionRuns({ sessionId, log, runs, machines, clock: systemClock, onFailed });
  });
  afterEach(async () => {
    sessionRuns.dispose();
    await log.close();
  });

  const planned = (callId = 'call'): Promise<RunSpec> =>
    sessionRuns.plan({ machineId: 'local', command: 'train', metrics: {} }, callId);
  const process: RunProcess = { pid: 7, startTime: '1', bootId: 'b', startedMs: 1 };
  const ended = (verdict: Verdict): Liveness => ({ kind: 'ended', verdict, endedMs: 5 });
  const runOf = (
    spec: RunSpec,
    liveness: Liveness,
    started: RunProcess | undefined = process,
  ): Run => {
    const run = {
      spec,
      liveness,
      process: started,
      metrics: { summaries: () => [] },
      handle: undefined,
    };
    return run as unknown as Run;
  };
  const hear = (run: Run, kind: 'started' | 'ended'): void =>
    changes.fire({ kind, run } as RunChange);
  const told = (): string[] =>
    log.events.slice(1).map((event: JournalEvent) => {
      if (event.type === 'run.not_started') return `not started: ${event.why}`;
      return event.type === 'run.ended'
        ? `ended ${event.verdict.kind} ${event.outputTail ?? ''}`.trim()
        : event.type;
    });
  const settled = async (count: number): Promise<void> => {
    await until('it is recorded', () => log.events.length > count);
    await sessionRuns.settle();
  };
  const lost: Verdict = { kind: 'lost', why: 'the power was cut' };

  const ends: readonly (readonly [
    name: string,
    verdict: Verdict,
    started: boolean,
    told: readonly string[],
  ])[] = [
    ['well', { kind: 'ok' }, true, ['run.started', 'ended ok']],
    [
      'badly, with what it printed last',
      { kind: 'killed' },
      true,
      ['run.started', 'ended killed Traceback'],
    ],
    ['unseen, after it began', lost, true, ['run.started', 'ended lost Traceback']],
    ['unseen, without having begun', lost, false, ['not started: the power was cut']],
    ['before it began', { kind: 'failed', code: 1 }, false, ['ended failed Traceback']],
  ];
  for (const [name, verdict, isStarted, expected] of ends)
    it(`has what is heard of a run that ended ${name}, once, its start first`, async () => {
      const spec = await planned();
      const run = runOf(spec, ended(verdict));
      if (!isStarted) Object.assign(run, { process: undefined });
      for (const kind of ['ended', ...(isStarted ? ['started' as const] : []), 'ended'] as const)
        hear(run, kind);
      await settled(1 + expected.length);
      hear(run, 'ended');
      await sessionRuns.settle();
      assert.deepEqual(told(), ['run.planned', ...expected]);
      assert.deepEqual(failures, []);
    });

  it('has nothing of the runs of others', async () => {
    const spec = await planned();
    hear(runOf({ ...spec, id: 'r-other' as RunSpec['id'] }, ended({ kind: 'ok' })), 'ended');
    hear(runOf(spec, { kind: 'running' }), 'started');
    await settled(2);
    assert.deepEqual(told(), ['run.planned', 'run.started']);
  });

  it('gets the end that a full disk refused when it is heard of again', async () => {
    const spec = await planned();
    const run = runOf(spec, ended({ kind: 'ok' }));
    hear(runOf(spec, { kind: 'running' }), 'started');
    await settled(2);
    const disk = await fillDisk();
    try {
      hear(run, 'ended');
      await until('it was refused', () => failures.length > 0);
    } finally {
      disk.makeRoom();
    }
    hear(run, 'ended');
    await settled(3);
    assert.deepEqual(told(), ['run.planned', 'run.started', 'ended ok']);
  });

  const reasons: readonly (readonly [
    name: string,
    error: Error,
    isClosing: boolean,
    told: readonly string[],
  ])[] = [
    ['that failed', new LaunchFailure('not_started', 'no room'), false, ['not started: no room']],
    ['that may have happened', new LaunchFailure('unconfirmed', 'no answer'), false, []],
    ['that Helios broke off as it closed', new LaunchFailure('not_started', 'closing'), true, []],
  ];
  for (const [name, error, isClosing, expected] of reasons)
    it(`says of a start ${name}: ${expected.join() || 'nothing, it is found again'}`, async () => {
      const abort = new AbortController();
      launching = () => {
        if (isClosing) abort.abort(new Closing());
        return Promise.reject(error);
      };
      const request = { machineId: 'local', command: 'train', metrics: {} };
      await assert.rejects(
        sessionRuns.launch(request, 'call', abort.signal),
        (thrown) => thrown instanceof ToolFailure && thrown.message === error.message,
      );
      assert.deepEqual(told(), ['run.planned', ...expected]);
      const again = sessionRuns.plannedFor('call');
      assert.equal(again?.number, expected.length === 0 ? 1 : undefined);
    });

  it('knows the plan that a call made last, unless it came to nothing', async () => {
    const first = await planned();
    await sessionRuns.giveUp(first.id, 'no room');
    assert.equal(sessionRuns.plannedFor('call'), undefined);
    const second = await planned();
    await planned('another');
    assert.equal(sessionRuns.plannedFor('call')?.id, second.id);
    assert.equal(sessionRuns.plannedFor('a third'), undefined);
  });

  it('finds a run by its id, its number or its handle, of which the newest counts', async () => {
    const specs = [await planned(), await planned(), await planned()];
    for (const spec of specs.slice(0, 2)) hear(runOf(spec, { kind: 'running' }), 'started');
    await settled(5);
    const numberOf = (reference: string): number | undefined =>
      sessionRuns.find(reference)?.spec.number;
    for (const reference of ['1', 'run 1', ' #1 ', 'Run1', specs[0]?.id ?? ''])
      assert.equal(numberOf(reference), 1);
    assert.equal(numberOf('local:7'), 2);
    for (const reference of ['4', 'local:8', 'run', '1x', ''])
      assert.equal(numberOf(reference), undefined, reference);
  });

  it('is told of runs that never came to life once the session is taken up, except where their call is made again', async () => {
    await planned('open');
    const gone = await planned('over');
    const given = await planned('given up');
    await sessionRuns.giveUp(given.id, 'no room');
    const before = told().length;
    await sessionRuns.adoptAll(new Set(['open']));
    assert.deepEqual(told().slice(before), [
      'not started: Helios stopped before the run was started',
    ]);
    assert.equal(
      log.state.runs.get(gone.id)?.notStarted,
      'Helios stopped before the run was started',
    );
  });
});
