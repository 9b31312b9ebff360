/** Launches runs: writes their folder on the machine, starts them, and explains failed starts. */
import { waitAtMost, type Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { shellText } from '../base/shellText.ts';
import { shellQuote } from '../base/text.ts';
import { quotedReason } from '../base/untrusted.ts';
import { preambleOf } from '../machines/environment/preamble.ts';
import { MachineFailure, type Machine } from '../machines/machine.ts';
import { checkMetricSpec } from '../metrics/lines/metricSpec.ts';
import { supervisorFiles, runFolder } from './supervisor.ts';
import type { FollowedRuns } from './followedRuns.ts';
import { notStarted, unconfirmed, type LaunchFailure } from './launchFailure.ts';
import type { LiveRun, Run } from './liveRun.ts';
import { readOutput } from './outputTail.ts';
import type { RunSpec } from './run.ts';
import type { RunMachines } from './runMachines.ts';
import { startProcess, startTimeoutMs, submitJobs } from './starting.ts';

export interface LaunchTogetherOptions {
  /**
   * Maximum number of jobs of an array that run at a time; only for machines with a scheduler.
   * Default: the scheduler's own limit.
   */
  readonly maxParallel?: number;
  /** Cancels the launch. Has no effect once the runs are being started. */
  readonly signal?: AbortSignal;
}

export interface LaunchesDeps {
  readonly machines: RunMachines;
  readonly followed: FollowedRuns;
  readonly clock: Clock;
}

/**
 * Launches runs for this process. A run is launched only once, however often it is requested; after
 * a failed launch, the next request launches it again.
 */
export class Launches {
  readonly #deps: LaunchesDeps;
  readonly #launches = new Map<RunId, Promise<Run>>();
  /** Machines whose folder of runs only the user can access. */
  readonly #closed = new WeakSet<Machine>();

  constructor(deps: LaunchesDeps) {
    this.#deps = deps;
  }

  has(id: RunId): boolean {
    return this.#launches.has(id);
  }

  /** See `Runs.launch`. */
  one(spec: RunSpec, signal: AbortSignal | undefined): Promise<Run> {
    const known = this.#launches.get(spec.id);
    if (known !== undefined) return known;
    const { scheduler } = this.#deps.machines.get(spec.machineId);
    const start = (run: LiveRun): Promise<void> =>
      scheduler ? this.#submit([run], undefined) : this.#startProcess(run);
    return this.#remember(spec, this.#started(this.#prepared(spec, signal), start));
  }

  /** See `Runs.launchTogether`. */
  async together(
    specs: readonly RunSpec[],
    { signal, maxParallel }: LaunchTogetherOptions,
  ): Promise<readonly PromiseSettledResult<Run>[]> {
    const [first] = specs;
    const outcomes: PromiseSettledResult<Run>[] = [];
    if (first === undefined) return outcomes;
    if (this.#deps.machines.get(first.machineId).scheduler)
      this.#launchArray(specs, maxParallel, signal);
    for (const spec of specs)
      outcomes.push(...(await Promise.allSettled([this.one(spec, signal)])));
    return outcomes;
  }

  /** Submits the runs that are not being launched yet as one array. */
  #launchArray(
    specs: readonly RunSpec[],
    maxParallel: number | undefined,
    signal: AbortSignal | undefined,
  ): void {
    const newSpecs = specs.filter(({ id }) => !this.#launches.has(id));
    const prepared = newSpecs.map((spec) => ({ spec, run: this.#prepared(spec, signal) }));
    const submitted = Promise.all(prepared.map(({ run }) => run)).then((runs) =>
      this.#submit(runs, maxParallel),
    );
    // Each prepared launch reports a rejection of `submitted`. Launches that could not be prepared
    // do not await `submitted`, so without this handler a rejection could be unhandled.
    submitted.catch(() => undefined);
    for (const { spec, run } of prepared)
      void this.#remember(
        spec,
        this.#started(run, () => submitted),
      );
  }

  #remember(spec: RunSpec, launch: Promise<Run>): Promise<Run> {
    this.#launches.set(spec.id, launch);
    launch.catch(() => this.#launches.delete(spec.id));
    return launch;
  }

  async #prepared(spec: RunSpec, signal: AbortSignal | undefined): Promise<LiveRun> {
    checkMetricSpec(spec.metrics);
    const run = await this.#prepare(spec);
    if (!signal?.aborted) return run;
    this.#deps.followed.forget(run);
    throw signal.reason;
  }

  async #prepare(spec: RunSpec): Promise<LiveRun> {
    try {
      const machine = await this.#deps.machines.listed(spec.machineId);
      await this.#closeRuns(machine);
      await writeCapsule(machine, spec);
      return await this.#deps.followed.follow(spec);
    } catch (error) {
      throw notStarted(spec, messageOf(error), error);
    }
  }

  /**
   * Creates the folder of runs, so that only the user can access it, once: each launch would wait
   * for it.
   */
  async #closeRuns(machine: Machine): Promise<void> {
    if (this.#closed.has(machine)) return;
    const { runsFolder } = machine;
    const command = `exec /bin/sh -c ${shellQuote(makeRunsFolder)} helios ${shellQuote(runsFolder)}`;
    const { outcome, stderr } = await machine.exec(command, { cwd: '/', timeoutMs: 30_000 });
    if (outcome.kind !== 'exited' || outcome.code !== 0) {
      const why = quotedReason(stderr, machine.id, outcome.kind);
      throw new MachineFailure(
        'io',
        `Machine ${machine.id} could not create the folder ${runsFolder}: ${why}`,
      );
    }
    this.#closed.add(machine);
  }

  async #started(prepared: Promise<LiveRun>, start: (run: LiveRun) => Promise<void>): Promise<Run> {
    const run = await prepared;
    try {
      await start(run);
      return run;
    } catch (error) {
      this.#deps.followed.forget(run);
      throw error;
    }
  }

  async #submit(
    [first, ...others]: readonly LiveRun[],
    maxParallel: number | undefined,
  ): Promise<void> {
    if (first === undefined) return;
    const machine = this.#machineOf(first);
    const { scheduler } = machine;
    if (scheduler === undefined)
      throw notStarted(first.spec, `machine ${machine.id} has no scheduler any more`);
    const specs: [RunSpec, ...RunSpec[]] = [first.spec, ...others.map(({ spec }) => spec)];
    await submitJobs(machine, scheduler, specs, { clock: this.#deps.clock, maxParallel });
    // A run whose check fails is checked again by its timer.
    await Promise.all([first, ...others].map((run) => run.check()));
  }

  async #startProcess(run: LiveRun): Promise<void> {
    const { spec } = run;
    const { clock } = this.#deps;
    await startProcess(this.#machineOf(run), spec, clock);
    // A failed refresh is ignored here, because the run repeats it.
    await waitAtMost(
      clock,
      startTimeoutMs,
      Promise.all([run.refresh().catch(() => undefined), run.started]),
    );
    if (run.process) return;
    const { text } = await readOutput(this.#machineOf(run), run, 20).catch(() => ({ text: '' }));
    if (run.liveness.kind === 'ended') throw await this.#refusal(spec, text);
    throw unconfirmed(
      spec,
      `did not confirm its start within ${startTimeoutMs / 1000} s. ${quotedReason(text, 'its output', '')}`,
    );
  }

  async #refusal(spec: RunSpec, text: string): Promise<LaunchFailure> {
    const machine = this.#deps.machines.get(spec.machineId);
    const { busy: mark, path } = runFolder(machine.runsFolder, spec.id);
    const busy = await machine.stat(mark).catch(() => undefined);
    // Remove everything of this launch, because the run may be launched again when a slot or GPU is
    // free.
    if (busy !== undefined)
      await machine
        .exec(`rm -rf -- ${shellQuote(path)}`, { cwd: '/', timeoutMs: 30_000 })
        .catch(() => undefined);
    // Until the command starts, only the supervisor writes, and the scheduler's prologues.
    const said = machine.scheduler ? quotedReason(text, 'the output of the job', '') : text;
    const why = said || 'the supervisor could not start the command';
    return notStarted(spec, why, undefined, busy !== undefined);
  }

  #machineOf({ spec }: Run): Machine {
    return this.#deps.machines.get(spec.machineId);
  }
}

/**
 * Returns the shell text that runs before the command. With a scheduler, it has no prologue: the
 * batch script of the job has already run the prologue.
 */
async function preambleOfRun(machine: Machine, { command }: RunSpec): Promise<string> {
  const prologue = machine.scheduler ? [] : ((await machine.setup?.())?.prologue ?? []);
  return preambleOf(machine, prologue, command);
}

const makeRunsFolder = shellText('./makeRunsFolder.sh', import.meta.url);

/**
 * Writes the folder of a run. Only its owner can access the folder and its files, because the files
 * contain the environment of the run and are executed.
 */
async function writeCapsule(machine: Machine, spec: RunSpec): Promise<void> {
  const { path } = runFolder(machine.runsFolder, spec.id);
  const files = Object.entries(supervisorFiles(spec, machine, await preambleOfRun(machine, spec)));
  await Promise.all(
    files.map(([name, text]) =>
      machine.writeFile(`${path}/${name}`, Buffer.from(text), { isPrivate: true }),
    ),
  );
}
