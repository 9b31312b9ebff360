/**
 * The runs of a session: plans, launches, adopts and records them. Each run has the same id from
 * its plan to its end.
 */
import type { Clock } from '../../base/clock.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { newRunId, type RunId, type SessionId } from '../../base/ids.ts';
import type { Ledger } from '../../experiments/ledger.ts';
import { startProblem } from '../../machines/confinement/grants.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { checkMetricFiles } from './metricFiles.ts';
import { checkMetricSpec } from '../../metrics/lines/metricSpec.ts';
import type { MetricSpec, MetricSummary } from '../../metrics/metric.ts';
import {
  boundedLimit,
  handleOf,
  type RunLimit,
  type RunProcess,
  type RunResources,
  type RunSpec,
} from '../../runs/run.ts';
import type { Run, RunChange } from '../../runs/liveRun.ts';
import { LaunchFailure } from '../../runs/launchFailure.ts';
import type { Runs } from '../../runs/runs.ts';
import { readTrainingLimits } from '../../experiments/target/trainingLimits.ts';
import { isClosing } from '../journal/closing.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { Confining } from './confining.ts';
import type { RunState, SessionState } from '../journal/state.ts';
import { isWaiting, placeInLine, type QueuedRun } from './line.ts';
import { endOutput } from './endOutput.ts';
import { commandsOf, distinctLabel, runLabel } from './runLabel.ts';
import { GrowingLedger } from './sessionLedger.ts';
import { takesPlace, waitsFor } from './sweepLane.ts';
import { withCountedEpochs, withKnownPatterns, withTargetMetrics } from './targetMetrics.ts';
import { withheldFrom } from './withheldFrom.ts';

export interface LaunchRequest {
  readonly machineId: string;
  readonly command: string;
  readonly cwd?: string;
  readonly metrics: MetricSpec;
  readonly label?: string;
  readonly limit?: RunLimit;
  readonly resources?: RunResources;
  readonly sweep?: NonNullable<RunSpec['sweep']>;
  /** Id of the run's experiment, such as `e7`. */
  readonly experimentId?: string;
  /** Set if the run repeats its experiment only to check the result. */
  readonly isReproduction?: true;
  /**
   * True if the run may wait in line for a free slot or GPU. Default: the launch fails if none is
   * free.
   */
  readonly mayWait?: boolean;
}

export interface SessionRunsDeps {
  readonly sessionId: SessionId;
  readonly log: SessionLog;
  readonly runs: Runs;
  readonly machines: Machines;
  readonly clock: Clock;
  /**
   * Resolves with additional environment variables for the run. Rejects with `ToolFailure` when the
   * command must not be run.
   */
  runEnv?(machine: Machine, command: string): Promise<Readonly<Record<string, string>>>;
  readonly confining?: Pick<Confining, 'of'>;
  /** Returns the minutes after which every run ends; `undefined` if the user set no such limit. */
  maxMinutes?(): number | undefined;
  /** Called when the end of a run cannot be recorded. */
  onFailed(error: unknown): void;
}

export class SessionRuns {
  readonly #deps: SessionRunsDeps;
  readonly #owned = new DisposableStore();
  readonly #ledger = new GrowingLedger();
  /**
   * Pending writes of `run.ended`, so that each end is recorded once, however often it is reported.
   */
  readonly #recording = new Map<RunId, Promise<void>>();
  readonly #starting = new Map<RunId, Promise<void>>();
  /** Queue of plans, so that each plan gets the next number. */
  #planning: Promise<unknown> = Promise.resolve();

  constructor(deps: SessionRunsDeps) {
    this.#deps = deps;
    this.#owned.add(deps.runs.onDidChange((change) => this.#heard(change)));
  }

  /**
   * Records the plan of a run, then starts the run. If the same tool call planned a run before a
   * crash, continues with that run: adopts the run if it exists, else starts it. If no slot or GPU
   * is free, puts a run that may wait in line; the session's `Sweeps` then start it.
   */
  async launch(
    request: LaunchRequest,
    callId: string,
    signal: AbortSignal,
  ): Promise<Run | QueuedRun> {
    checkMetricSpec(request.metrics);
    const spec = this.plannedFor(callId) ?? (await this.plan(request, callId));
    try {
      const full = request.mayWait === true ? await this.#fullText(spec) : undefined;
      if (full !== undefined) return await this.#queue(spec, full);
      const run = await this.#deps.runs.launch(spec, signal);
      await this.#recordStart(run);
      return run;
    } catch (error) {
      if (error instanceof LaunchFailure && error.isBusy && request.mayWait === true)
        return this.#queue(spec, error.message);
      const mayExist = error instanceof LaunchFailure && error.reason === 'unconfirmed';
      if (!mayExist && !isClosing(signal)) await this.giveUp(spec.id, messageOf(error));
      throw new ToolFailure(messageOf(error), { cause: error });
    }
  }

  /** Resolves with the reason why the run has to wait; `undefined` if it can start now. */
  async #fullText({ id, machineId, resources }: RunSpec): Promise<string | undefined> {
    const machine = this.#deps.machines.get(machineId);
    if (!takesPlace(machine, resources)) return undefined;
    return placeInLine(this.#state, { id, machineId }) > 1
      ? 'other runs wait in line before it'
      : waitsFor(machine, resources);
  }

  async #queue(spec: RunSpec, why: string): Promise<QueuedRun> {
    if (this.#state.runs.get(spec.id)?.sweepsAhead === undefined)
      await this.#deps.log.record({ type: 'run.queued', runId: spec.id, why });
    return { spec, place: placeInLine(this.#state, spec) };
  }

  /** Finds a run that waits in line, by the same references as `find`. */
  queued(reference: string): QueuedRun | undefined {
    const run = this.find(reference);
    return run && isWaiting(run)
      ? { spec: run.spec, place: placeInLine(this.#state, run.spec) }
      : undefined;
  }

  /** Starts a run that waits in line, or adopts it if a process that died has started it. */
  async startQueued(spec: RunSpec): Promise<PromiseSettledResult<Run> | undefined> {
    const machine = this.#deps.machines.get(spec.machineId);
    const begun = await this.#deps.runs.adoptBegun(spec);
    if (begun === undefined && (await waitsFor(machine, spec.resources)) !== undefined)
      return undefined;
    const [outcome] = begun === undefined ? await this.startTogether([spec]) : [];
    if (begun !== undefined) await this.#recordStart(begun);
    return outcome ?? (begun && { status: 'fulfilled', value: begun });
  }

  /** Starts planned runs on one machine and records their starts: see `Runs.launchTogether`. */
  async startTogether(
    specs: readonly RunSpec[],
    maxParallel?: number,
  ): Promise<readonly PromiseSettledResult<Run>[]> {
    const options = maxParallel === undefined ? {} : { maxParallel };
    const outcomes = await this.#deps.runs.launchTogether(specs, options);
    for (const outcome of outcomes)
      if (outcome.status === 'fulfilled') await this.#recordStart(outcome.value);
    return outcomes;
  }

  /** Records that a planned run was never started. */
  giveUp(runId: RunId, why: string): Promise<void> {
    return this.#deps.log.record({ type: 'run.not_started', runId, why });
  }

  /** Returns the plan that this tool call already recorded before a crash. */
  plannedFor(callId: string): RunSpec | undefined {
    const event = this.#deps.log.events.findLast(
      (one) => one.type === 'run.planned' && one.callId === callId,
    );
    if (event?.type !== 'run.planned') return undefined;
    return this.#state.runs.get(event.spec.id)?.notStarted === undefined ? event.spec : undefined;
  }

  /**
   * Adopts the session's runs: follows runs without a verdict, and makes the output and metrics of
   * ended runs readable. Records `run.not_started` for a run that does not exist, unless a sweep or
   * one of the `pendingCalls` (ids of tool calls that are executed again) will start it.
   */
  async adoptAll(pendingCalls: ReadonlySet<string>): Promise<void> {
    const runs = [...this.#state.runs.values()].filter(
      (run) => run.notStarted === undefined && !isWaiting(run),
    );
    await Promise.all(runs.map((run) => this.#adopt(run, pendingCalls)));
  }

  /** Returns the session's runs that this process follows and that have not ended. */
  live(): Run[] {
    return this.all().filter((run) => run.liveness.kind !== 'ended');
  }

  /** Returns the session's runs that this process follows, oldest first. */
  all(): Run[] {
    return [...this.#state.runs.keys()]
      .map((id) => this.#deps.runs.get(id))
      .filter((run) => run !== undefined);
  }

  /**
   * Finds a run by its id, its number (`run 7`, `7`) or its handle (`machine:pid`, `machine:job`).
   * If several runs have the handle, returns the newest.
   */
  find(reference: string): RunState | undefined {
    const name = reference.trim().replace(/^#/, '');
    const number = /^(?:run\s*)?(\d+)$/i.exec(name)?.[1];
    return [...this.#state.runs.values()].findLast(
      (run) =>
        run.spec.id === name || String(run.spec.number) === number || this.#handle(run) === name,
    );
  }

  /**
   * Returns the current metrics of a run that this process follows; otherwise the metrics recorded
   * at its end.
   */
  summaries(run: RunState): readonly MetricSummary[] {
    return this.#deps.runs.get(run.spec.id)?.metrics.summaries() ?? run.metrics;
  }

  /** Returns the ledger: the same object until an event or a point changes it. */
  ledger(): Ledger {
    return this.#ledger.of(this.#state, (run) => this.summaries(run));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /**
   * Resolves when the end of every run that has ended is on disk, or the failure to write it was
   * passed to `onFailed`.
   */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#recording.values());
  }

  /**
   * Returns the run's handle. A run that this process follows knows its job id before the job
   * begins; for other runs, the handle is in the journal.
   */
  #handle({ spec, process }: RunState): string | undefined {
    return this.#deps.runs.get(spec.id)?.handle ?? handleOf(spec, process);
  }

  get #state(): SessionState {
    return this.#deps.log.state;
  }

  /**
   * Gives a run its number and records the plan. Rejects with `MachineFailure`, without recording
   * anything, when the machine does not answer.
   */
  async plan(request: LaunchRequest, callId: string): Promise<RunSpec> {
    const machine = this.#deps.machines.get(request.machineId);
    await machine.ready?.({ mayAsk: true });
    const env = (await this.#deps.runEnv?.(machine, request.command)) ?? {};
    const confinement = await this.#deps.confining?.of(machine);
    const cwd = machine.path.resolve(machine.workFolder, request.cwd ?? '.');
    const problem = confinement && startProblem(machine, confinement, cwd);
    if (problem !== undefined) throw new ToolFailure(`Nothing was started: ${problem}`);
    const planned = { ...request, cwd, env, ...(confinement && { confinement }) };
    const plan = this.#planning.then(() => this.#plan(planned, machine, callId));
    this.#planning = plan.catch(() => undefined);
    return plan;
  }

  async #plan(
    request: LaunchRequest & Pick<RunSpec, 'cwd' | 'env' | 'confinement'>,
    machine: Machine,
    callId: string,
  ): Promise<RunSpec> {
    const plannedMs = this.#deps.clock.now();
    const limit = boundedLimit(request.limit, this.#deps.maxMinutes?.());
    const spec: RunSpec = {
      id: newRunId(plannedMs),
      sessionId: this.#deps.sessionId,
      number: this.#state.runs.size + 1,
      machineId: machine.id,
      command: request.command,
      cwd: request.cwd,
      env: request.env,
      metrics: this.#metricsOf(request.metrics),
      label: distinctLabel(
        request.label ?? runLabel(request.command, commandsOf(this.#state)),
        request.experimentId,
        this.#state,
      ),
      plannedMs,
      ...(limit && { limit }),
      ...(request.resources && { resources: request.resources }),
      ...(request.sweep && { sweep: request.sweep }),
      ...(request.experimentId !== undefined && { experimentId: request.experimentId }),
      ...(request.isReproduction && { isReproduction: true }),
      ...(request.confinement && { confinement: request.confinement }),
    };
    checkMetricFiles(spec, this.#state);
    await this.#deps.log.record({ type: 'run.planned', spec, callId });
    return spec;
  }

  #metricsOf(spec: MetricSpec): MetricSpec {
    const { target, runs, goal } = this.#state;
    const earlier = [...runs.values()].map((run) => run.spec.metrics);
    const known = withTargetMetrics(withKnownPatterns(spec, target, earlier), target);
    return withCountedEpochs(known, readTrainingLimits(goal));
  }

  /** Records the start of a run once, however often the start is reported. */
  #recordStart(run: Run): Promise<void> {
    const { id } = run.spec;
    if (run.process === undefined || this.#state.runs.get(id)?.process !== undefined)
      return Promise.resolve();
    const starting = this.#starting.get(id) ?? this.#writeStart(run, run.process);
    this.#starting.set(id, starting);
    starting.catch(() => this.#starting.delete(id));
    return starting;
  }

  async #writeStart(run: Run, process: RunProcess): Promise<void> {
    await this.#deps.log.record({ type: 'run.started', runId: run.spec.id, process });
    // The run may have ended before its start was recorded.
    if (run.liveness.kind === 'ended') await this.#recordEnd(run);
  }

  async #adopt({ spec, verdict }: RunState, pendingCalls: ReadonlySet<string>): Promise<void> {
    const run = await this.#deps.runs.adopt(spec);
    if (run !== undefined) {
      await this.#recordStart(run);
      if (run.liveness.kind === 'ended') await this.#recordEnd(run);
      return;
    }
    if (verdict !== undefined || this.#isOfSweep(spec)) return;
    const call = this.#deps.log.events.find(
      (event) => event.type === 'run.planned' && event.spec.id === spec.id,
    );
    if (call?.type === 'run.planned' && pendingCalls.has(call.callId)) return;
    await this.#deps.log.record({
      type: 'run.not_started',
      runId: spec.id,
      why: 'Helios stopped before the run was started',
    });
  }

  /** Returns whether the run belongs to an active sweep, which starts its runs itself. */
  #isOfSweep({ sweep }: RunSpec): boolean {
    const state = sweep && this.#state.sweeps.get(sweep.id);
    return state !== undefined && state.end === undefined;
  }

  #heard(change: RunChange): void {
    const { run } = change;
    if (
      !this.#state.runs.has(run.spec.id) ||
      (change.kind !== 'started' && change.kind !== 'ended')
    )
      return;
    const recording = change.kind === 'started' ? this.#recordStart(run) : this.#recordEnd(run);
    recording.catch((error: unknown) => this.#deps.onFailed(error));
  }

  #recordEnd(run: Run): Promise<void> {
    const { id } = run.spec;
    const state = this.#state.runs.get(id);
    if (state === undefined || state.verdict !== undefined || state.notStarted !== undefined)
      return Promise.resolve();
    // The start must be recorded first. `#writeStart` calls this method again.
    if (state.process === undefined && run.process !== undefined) return Promise.resolve();
    const recording = this.#recording.get(id) ?? this.#writeEnd(run);
    this.#recording.set(id, recording);
    // A failed write (a full disk) is retried when the end is reported again.
    recording.catch(() => this.#recording.delete(id));
    return recording;
  }

  async #writeEnd(run: Run): Promise<void> {
    if (run.liveness.kind !== 'ended') return;
    const { verdict, endedMs } = run.liveness;
    if (verdict.kind === 'lost' && run.process === undefined)
      return this.giveUp(run.spec.id, verdict.why);
    const metrics = run.metrics.summaries();
    const output = await endOutput(this.#deps.runs, run, verdict);
    const { machineId } = run.spec;
    const machine = this.#deps.machines.list().find((one) => one.id === machineId);
    await this.#deps.log.record({
      type: 'run.ended',
      runId: run.spec.id,
      verdict,
      endedMs,
      metrics,
      ...output,
      ...(await withheldFrom(machine, run.spec, output.outputTail ?? '')),
    });
  }
}
