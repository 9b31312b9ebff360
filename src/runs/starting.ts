/**
 * Starting runs on their machine, once: a link that breaks meanwhile is waited for, and the start
 * asked for again.
 */
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { retry } from '../base/retries.ts';
import {
  MachineFailure,
  type JobElement,
  type JobRequest,
  type Machine,
  type Scheduler,
} from '../machines/machine.ts';
import { renewArgv, runFolder, signalArgv, startArgv } from './supervisor.ts';
import { notStarted, unconfirmed } from './launchFailure.ts';
import type { RunSpec } from './run.ts';

export const startTimeoutMs = 30_000;
/** Whether somebody else has submitted a job, who was interrupted, is known after so long. */
const submitTimeoutMs = 180_000;
/** The waits between attempts on a machine whose link broke. */
const policy = { firstMs: 500 };

/** The supervisor starts a run once, however often it is asked. Rejects with `LaunchFailure`. */
export async function startProcess(machine: Machine, spec: RunSpec, clock: Clock): Promise<void> {
  const argv = startArgv(runFolder(machine.runsFolder, spec.id));
  const start = (): Promise<void> =>
    machine.spawnDetached(argv, { cwd: spec.cwd, env: envOf(spec) });
  await persistently(spec, { start, clock, withinMs: startTimeoutMs });
}

/**
 * More than one: as an array, of which at most `maxParallel` run at a time. Rejects with
 * `LaunchFailure`.
 */
export async function submitJobs(
  { runsFolder }: Machine,
  scheduler: Scheduler,
  specs: readonly [RunSpec, ...RunSpec[]],
  { clock, maxParallel }: { readonly clock: Clock; readonly maxParallel?: number | undefined },
): Promise<void> {
  const request: JobRequest = {
    elements: specs.map((spec) => elementOf(spec, runsFolder)),
    ...(maxParallel !== undefined && { maxParallel }),
    ...(specs[0].resources && { resources: specs[0].resources }),
    ...timeLimit(specs),
  };
  const start = (): Promise<unknown> => scheduler.submit(request);
  await persistently(specs[0], { start, clock, withinMs: submitTimeoutMs });
}

const envOf = (spec: RunSpec): Readonly<Record<string, string>> => ({
  PYTHONUNBUFFERED: '1',
  ...spec.env,
});

function elementOf(spec: RunSpec, runsFolder: string): JobElement {
  const folder = runFolder(runsFolder, spec.id);
  const argvs = {
    argv: startArgv(folder),
    signalArgv: signalArgv(folder),
    renewArgv: renewArgv(folder),
  };
  return { name: spec.id, ...argvs, cwd: spec.cwd, env: envOf(spec) };
}

/** For what comes before and after the run, so that its own limit comes first. */
const spareMinutes = 2;

/**
 * A clock that starts with the first metric starts nobody knows when: the machine's own limit
 * holds.
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
