import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import {
  MachineFailure,
  type JobRequest,
  type Machine,
  type Scheduler,
} from '../../../src/machines/machine.ts';
import { LaunchFailure } from '../../../src/runs/launchFailure.ts';
import type { RunSpec } from '../../../src/runs/run.ts';
import { startProcess, submitJobs } from '../../../src/runs/starting.ts';
import { ManualClock } from '../../fakes/manualClock.ts';

const spec = (more: Partial<RunSpec> = {}): RunSpec => ({
  ...{
    id: 'r-1' as RunId,
    sessionId: 's-1' as SessionId,
    number: 7,
    machineId: 'gpu1',
    command: 'train',
    cwd: '/w',
  },
  ...{ env: { LR: '1' }, metrics: {}, label: '', plannedMs: 1, ...more },
});

describe('starting a run', () => {
  let clock: ManualClock;
  let attempts: string[];
  beforeEach(() => {
    clock = new ManualClock();
    attempts = [];
  });
  /** That answers with each of `answers` in turn, and with the last for ever. */
  const machineWith = (...answers: readonly (Error | undefined)[]): Machine =>
    Object.assign(new LocalMachine({ runsFolder: '/h/runs', workFolder: '/', env: {} }), {
      spawnDetached: (argv: readonly string[], options: { cwd: string; env: object }) => {
        const answer = answers[Math.min(attempts.length, answers.length - 1)];
        attempts.push(`${argv.join(' ')} in ${options.cwd} with ${JSON.stringify(options.env)}`);
        return answer === undefined ? Promise.resolve() : Promise.reject(answer);
      },
    });
  const settled = async (work: Promise<unknown>): Promise<unknown> => {
    const late = Symbol('late');
    return Promise.race([
      work.catch((error: unknown) => error),
      new Promise((resolve) => setImmediate(resolve, late)),
    ]);
  };
  const isFailure = (error: unknown, reason: string): boolean =>
    error instanceof LaunchFailure && error.reason === reason;

  it('asks for its supervisor once, with the environment of the run', async () => {
    await startProcess(machineWith(undefined), spec(), clock);
    const env = '{"PYTHONUNBUFFERED":"1","LR":"1"}';
    assert.deepEqual(attempts, [`/bin/sh /h/runs/r-1/capsule.sh start in /w with ${env}`]);
  });

  it('asks again twice a second while the machine does not answer', async () => {
    const failures = [new MachineFailure('unreachable', 'a'), new MachineFailure('timeout', 'b')];
    const started = startProcess(machineWith(...failures, undefined), spec(), clock);
    await clock.advance(499);
    assert.equal(attempts.length, 1);
    await clock.advance(1);
    assert.equal(attempts.length, 2);
    await clock.advance(500);
    assert.equal(attempts.length, 3);
    await started;
  });

  it('may have been started where no answer came for 30 seconds', async () => {
    const cause = new MachineFailure('unreachable', 'no way there');
    const started = startProcess(machineWith(cause), spec(), clock);
    started.catch(() => undefined);
    await clock.advance(29_999);
    assert.equal(typeof (await settled(started)), 'symbol');
    await clock.advance(1);
    const failure = await settled(started);
    assert.ok(isFailure(failure, 'unconfirmed'), String(failure));
    assert.match(String(failure), /Run 7 may have been started: no way there/);
    assert.equal(attempts.length, 61);
  });

  for (const error of [
    new MachineFailure('denied', 'no'),
    new MachineFailure('auth', 'no'),
    new Error('no'),
  ])
    it(`was not started where the answer is ${error.constructor.name} ${'reason' in error ? error.reason : ''}`, async () => {
      const failure = await settled(startProcess(machineWith(error), spec(), clock));
      assert.ok(isFailure(failure, 'not_started'), String(failure));
      assert.equal(attempts.length, 1);
    });

  const submitted = async (
    specs: readonly [RunSpec, ...RunSpec[]],
    maxParallel?: number,
  ): Promise<JobRequest> => {
    const requests: JobRequest[] = [];
    const submit = (request: JobRequest): Promise<readonly string[]> => {
      requests.push(request);
      return Promise.resolve([]);
    };
    await submitJobs(machineWith(undefined), { submit } as unknown as Scheduler, specs, {
      clock,
      maxParallel,
    });
    assert.equal(requests.length, 1);
    return requests[0] ?? { elements: [] };
  };

  it('asks a scheduler for all of them at once, with what the first one needs', async () => {
    const resources = { gpus: 1 };
    const { elements, ...rest } = await submitted(
      [spec({ resources }), spec({ id: 'r-2' as RunId })],
      3,
    );
    assert.deepEqual(rest, { maxParallel: 3, resources });
    assert.deepEqual(
      elements.map(({ name, argv }) => `${name}: ${argv.join(' ')}`),
      ['r-1: /bin/sh /h/runs/r-1/capsule.sh start', 'r-2: /bin/sh /h/runs/r-2/capsule.sh start'],
    );
    assert.match(
      elements[0]?.renewArgv.join(' ') ?? '',
      /^\/bin\/rm -rf -- \/h\/runs\/r-1\/claim .*r-1\/heartbeat$/,
    );
    assert.deepEqual(Object.keys(await submitted([spec()])), ['elements']);
  });

  const launch = (ms: number, graceMs?: number): RunSpec =>
    spec({ limit: { ms, from: 'launch', ...(graceMs !== undefined && { graceMs }) } });
  const limits: readonly [
    what: string,
    specs: readonly [RunSpec, ...RunSpec[]],
    minutes: number | undefined,
  ][] = [
    ['an hour', [launch(3_600_000)], 62],
    ['an hour and a moment', [launch(3_600_001)], 63],
    ['an hour with its grace', [launch(3_600_000, 60_000)], 63],
    ['the longest of several', [launch(60_000), launch(120_000)], 4],
    ['no limit', [spec()], undefined],
    ['no limit of one of them', [launch(60_000), spec()], undefined],
    [
      'a limit from the first metric',
      [spec({ limit: { ms: 60_000, from: 'first_metric' } })],
      undefined,
    ],
  ];
  for (const [what, specs, minutes] of limits)
    it(`asks a scheduler for ${minutes ?? 'no'} minutes for ${what}`, async () =>
      assert.equal((await submitted(specs)).timeLimitMinutes, minutes));

  it('waits three minutes for a scheduler whose answer does not come', async () => {
    const submit = (): Promise<never> => Promise.reject(new MachineFailure('timeout', 'no answer'));
    const work = submitJobs(machineWith(undefined), { submit } as unknown as Scheduler, [spec()], {
      clock,
    });
    work.catch(() => undefined);
    await clock.advance(179_999);
    assert.equal(typeof (await settled(work)), 'symbol');
    await clock.advance(1);
    assert.ok(isFailure(await settled(work), 'unconfirmed'));
  });
});
