/**
 * Starts each run on its machine exactly once. If the connection breaks, waits and requests the
 * start again.
 */
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { retry } from '../base/retries.ts';
import {
  MachineFailure,
  type JobElement,
  type JobRequest,
  type Machine,
  type MachineSetup,
  type Scheduler,
} from '../machines/machine.ts';
import { renewArgv, runFolder, signalArgv, startArgv } from './supervisor.ts';
import { notStarted, unconfirmed } from './launchFailure.ts';
import type { RunSpec } from './run.ts';

export const startTimeoutMs = 30_000;
/**
 * Time within which a failed submission is repeated. Long, because it may take minutes until it is
 * known whether another, interrupted process has already submitted the job.
 */
const submitTimeoutMs = 180_000;
/** Delays between attempts on a machine whose connection broke. */
const policy = { firstMs: 500 };

/**
 * Starts the process of a run. Repeated requests are harmless: the supervisor starts a run only
 * once. Rejects with `LaunchFailure`.
 */
export async function startProcess(machine: Machine, spec: RunSpec, clock: Clock): Promise<void> {
  const argv = startArgv(runFolder(machine.runsFolder, spec.id));
  const env = envOf(spec, await machine.setup?.());
  const start = (): Promise<void> => machine.spawnDetached(argv, { cwd: spec.cwd, env });
  await persistently(spec, { start, clock, withinMs: startTimeoutMs });
}

/**
 * Submits the jobs of runs. Several jobs form a job array, of which at most `maxParallel` run at a
 * time. Rejects with `LaunchFailure`.
 */
export async function submitJobs(
  machine: Machine,
  scheduler: Scheduler,
  specs: readonly [RunSpec, ...RunSpec[]],
  { clock, maxParallel }: { readonly clock: Clock; readonly maxParallel?: number | undefined },
): Promise<void> {
  const setup = await machine.setup?.();
  const request: JobRequest = {
    elements: specs.map((spec) => elementOf(spec, machine.runsFolder, envOf(spec, setup))),
    ...(maxParallel !== undefined && { maxParallel }),
    ...(specs[0].resources && { resources: specs[0].resources }),
    ...timeLimit(specs),
  };
  const start = (): Promise<unknown> => scheduler.submit(request);
  await persistently(specs[0], { start, clock, withinMs: submitTimeoutMs });
}

/**
 * Returns the variables of a run. The values of the user's variables are read at the start, and are
 * in no file of the session.
 */
const envOf = (
  spec: RunSpec,
  setup: MachineSetup | undefined,
): Readonly<Record<string, string>> => ({
  PYTHONUNBUFFERED: '1',
  ...setup?.runEnv,
  ...setup?.env,
  ...spec.env,
});

function elementOf(spec: RunSpec, runsFolder: string, env: JobElement['env']): JobElement {
  const folder = runFolder(runsFolder, spec.id);
  const argvs = {
    argv: startArgv(folder),
    signalArgv: signalArgv(folder),
    renewArgv: renewArgv(folder),
  };
  return { name: spec.id, ...argvs, cwd: spec.cwd, env };
}

/**
 * Minutes added to the time limit of a job for the work before and after the run, so that the run's
 * own limit applies first.
 */
const spareMinutes = 2;

/**
 * Returns the time limit of a job. A run whose limit counts from the first metric has no known end,
 * so its job gets the scheduler's default time limit.
 */
function timeLimit(specs: readonly RunSpec[]): Pick<JobRequest, 'timeLimitMinutes'> {
  const limits = specs.map(({ limit }) =>
    limit?.from === 'launch' ? limit.ms + (limit.graceMs ?? 0) : Infinity,
  );
  const longest = Math.max(...limits);
  return longest === Infinity
    ? {}
    : { timeLimitMinutes: Math.ceil(longest / 60_000) + spareMinutes };
}

interface Attempts {
  start(): Promise<unknown>;
  readonly clock: Clock;
  readonly withinMs: number;
}

async function persistently(spec: RunSpec, { start, clock, withinMs }: Attempts): Promise<void> {
  const again = (error: unknown, backoffMs: number): number | undefined =>
    mayRun(error) ? backoffMs : undefined;
  try {
    await retry({ ...policy, withinMs }, { clock, again }, start);
  } catch (error) {
    if (!mayRun(error)) throw notStarted(spec, messageOf(error), error);
    throw unconfirmed(spec, `may have been started: ${messageOf(error)}`, error);
  }
}

const mayRun = (error: unknown): boolean =>
  error instanceof MachineFailure && ['unreachable', 'timeout'].includes(error.reason);
