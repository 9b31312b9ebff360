import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import { MachineFailure } from '../../../src/machines/machine.ts';
import { LaunchFailure } from '../../../src/runs/launchFailure.ts';
import type { RunSpec } from '../../../src/runs/run.ts';
import { Runs } from '../../../src/runs/runs.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { MemoryMachine } from '../../fakes/memoryMachine.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { ScriptedScheduler } from '../../fakes/scriptedScheduler.ts';

const spec = (number: number, more: Partial<RunSpec> = {}): RunSpec => ({
  ...{
    id: `r-${number}` as RunId,
    sessionId: 's-1' as SessionId,
    number,
    machineId: 'local',
    command: 'train',
  },
  ...{ cwd: '/w', env: {}, metrics: {}, label: '', plannedMs: number, ...more },
});

describe('runs that are given to a scheduler', () => {
  const scratch = scratchFolder();
  let clock: ManualClock;
  let memory: MemoryMachine;
  let scheduler: ScriptedScheduler;
  let runs: Runs;
  let told: string[];
  let commands: string[];
  beforeEach(() => {
    clock = new ManualClock();
    memory = new MemoryMachine();
    scheduler = new ScriptedScheduler();
    scheduler.jobState = { kind: 'queued', why: 'Priority' };
    told = [];
    commands = [];
    Object.assign(memory.machine, {
      scheduler,
      exec: (command: string) => {
        commands.push(command);
        const outcome = { kind: 'exited', code: 0 } as const;
        const result = { stdout: '', stderr: '', omittedBytes: { stdout: 0, stderr: 0 }, outcome };
        return new Promise((resolve) => setImmediate(resolve, result)).finally(() =>
          memory.written.push('folder'),
        );
      },
    });
    runs = new Runs({ machines: createMachines([memory.machine]), folder: scratch(), clock });
    runs.onDidChange((change) => told.push(`${change.kind} ${change.run.spec.number}`));
  });
  afterEach(() => runs.dispose());
  const isRefused = (error: unknown): boolean =>
    error instanceof LaunchFailure && error.reason === 'not_started';
  const namesOf = (): readonly (readonly string[])[] =>
    scheduler.requests.map(({ elements }) => elements.map(({ name }) => name));

  it('are launched once their job is in the queue, with their folder made first', async () => {
    const [run, again] = await Promise.all([runs.launch(spec(1)), runs.launch(spec(1))]);
    assert.equal(run, again);
    assert.deepEqual(namesOf(), [['r-1']]);
    assert.deepEqual([run.liveness.kind, told], ['queued', ['queued 1']]);
    assert.equal(commands.length, 1);
    assert.match(commands[0] ?? '', /umask 077\nmkdir -p [^]* helios \/h\/runs$/);
    const [first, ...files] = memory.written.map((text) => /^[^:]*/.exec(text)?.[0]);
    assert.equal(first, 'folder');
    const names = ['capsule.sh', 'command.sh', 'spec.json', 'terms'];
    assert.deepEqual(
      files.sort(),
      names.map((name) => `/h/runs/r-1/${name}`),
    );
  });

  it('are one array where they belong together, of those that were not launched yet', async () => {
    await runs.launch(spec(2));
    const outcomes = await runs.launchTogether([spec(1), spec(2), spec(3)], { maxParallel: 2 });
    assert.deepEqual(namesOf(), [['r-2'], ['r-1', 'r-3']]);
    assert.deepEqual(
      scheduler.requests.map(({ maxParallel }) => maxParallel),
      [undefined, 2],
    );
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value.spec.number),
      [1, 2, 3],
    );
    assert.deepEqual(
      runs.all().map(({ spec: { number } }) => number),
      [1, 2, 3],
    );
    assert.deepEqual(await runs.launchTogether([]), []);
  });

  it('are refused together, forgotten, and may be launched again', async () => {
    scheduler.refusal = new MachineFailure('denied', 'no such account');
    const outcomes = await runs.launchTogether([spec(1), spec(2)]);
    for (const outcome of outcomes)
      assert.ok(outcome.status === 'rejected' && isRefused(outcome.reason), outcome.status);
    assert.deepEqual([runs.all(), told, clock.pendingTimers], [[], [], 0]);
    scheduler.refusal = undefined;
    assert.equal((await runs.launch(spec(1))).liveness.kind, 'queued');
  });

  it('are not launched where one of them cannot be, or was interrupted before', async () => {
    const broken = spec(2, { metrics: { patterns: { loss: '(' } } });
    const outcomes = await runs.launchTogether([spec(1), broken]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    const enough = new Error('enough');
    await assert.rejects(runs.launch(spec(3), AbortSignal.abort(enough)), enough);
    assert.deepEqual([scheduler.requests, runs.all()], [[], []]);
    assert.ok(!existsSync(join(scratch(), 'r-2')));
  });

  it('are adopted where their job is known, and not where none was submitted', async () => {
    assert.equal((await runs.adopt(spec(1)))?.handle, 'local:4711');
    scheduler.jobId = undefined;
    assert.equal(await runs.adopt(spec(2)), undefined);
    assert.equal(await runs.adopt(spec(1)), runs.get(spec(1).id));
  });

  it('show what their job said beside them where they printed nothing', async () => {
    const run = await runs.launch(spec(1));
    memory.put('/h/runs/r-1/batch.log', 'slurmstepd: no such file\n');
    assert.equal((await runs.output(run, { lines: 5 })).text, 'slurmstepd: no such file');
    memory.put('/h/runs/r-1/output.log', '1');
    assert.equal((await runs.output(run, { lines: 5 })).text, '1');
  });

  it('tell nothing more once they were let go of', async () => {
    const run = await runs.launch(spec(1));
    runs.dispose();
    assert.deepEqual([runs.all(), clock.pendingTimers], [[], 0]);
    scheduler.jobState = { kind: 'ended', end: { kind: 'cancelled' }, endedMs: 5 };
    await clock.advance(60_000);
    assert.deepEqual([told, run.liveness.kind], [['queued 1'], 'queued']);
  });

  it('are verified to be over when they were killed, with their end known', async () => {
    const run = await runs.launch(spec(1));
    scheduler.onCancel = () =>
      (scheduler.jobState = { kind: 'ended', end: { kind: 'cancelled' }, endedMs: 5 });
    const { isVerified, wasRunning, signal } = await runs.kill(run);
    assert.deepEqual([isVerified, wasRunning, signal], [true, true, 'TERM']);
    assert.deepEqual(run.liveness, { kind: 'ended', verdict: { kind: 'killed' }, endedMs: 5 });
    assert.deepEqual(told, ['queued 1', 'ended 1']);
    const again = await runs.kill(run);
    assert.deepEqual([again.isVerified, again.wasRunning], [true, false]);
    assert.equal((await runs.kill(run, { signal: 'STOP' })).isVerified, false);
  });
});
