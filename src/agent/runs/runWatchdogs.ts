/**
 * The session's watchdogs. They check the output of the session's runs and the load of the
 * machines, and raise alarms.
 */
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { isHeld } from '../../machines/resources/gpuTimes.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { ResourceSample } from '../../machines/resources/resourceSample.ts';
import type { MetricPoint } from '../../metrics/metric.ts';
import type { Run, RunChange } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';
import { DiskWatch } from '../../watchdogs/disk.ts';
import type { Finding } from '../../watchdogs/finding.ts';
import { RunWatch } from '../../watchdogs/runWatch.ts';
import type { WatchdogPolicy } from '../../watchdogs/settings.ts';
import { pointsAlarm } from './pointsAlarm.ts';
import { UnreadMetricsWatch } from './unreadMetricsWatch.ts';
import { WatchdogAlarms, type WatchdogAlarmsDeps } from './watchdogAlarms.ts';
import type { SessionRuns } from './sessionRuns.ts';

export interface RunWatchdogsDeps extends WatchdogAlarmsDeps {
  readonly sessionRuns: Pick<SessionRuns, 'live' | 'settle' | 'ledger'>;
  readonly runs: Pick<Runs, 'onDidChange' | 'kill' | 'output'>;
  readonly resources: Pick<MachineResources, 'onDidChange' | 'latest'>;
  readonly policy: WatchdogPolicy;
  readonly clock: Clock;
}

/** Milliseconds between the checks that depend only on time. */
const beatMs = 15_000;

export class RunWatchdogs implements Disposable {
  readonly #deps: RunWatchdogsDeps;
  readonly #alarms: WatchdogAlarms;
  readonly #unread: UnreadMetricsWatch;
  readonly #owned = new DisposableStore();
  readonly #watches = new Map<RunId, RunWatch>();
  /** Watchdogs that are still reading the points of an earlier process from the disk. */
  readonly #recalling = new Set<RunWatch>();
  /**
   * Disk watchdogs by machine id, so that a full disk is reported once per machine, not once per
   * run.
   */
  readonly #disks = new Map<string, DiskWatch>();
  #nextBeat: Disposable | undefined;

  constructor(deps: RunWatchdogsDeps) {
    this.#deps = deps;
    this.#alarms = new WatchdogAlarms(deps);
    this.#unread = new UnreadMetricsWatch(deps);
    this.#owned.add(deps.runs.onDidChange((change) => this.#heard(change)));
    this.#owned.add(deps.resources.onDidChange((machineId) => this.#checkMachines(machineId)));
    this.#owned.add(
      deps.log.onDidRecord((event) => {
        if (event.type === 'question.answered') this.#alarms.killCondemned();
      }),
    );
  }

  /**
   * Starts to watch the active runs, and kills runs whose kill was decided in an earlier process.
   * Must be called after the session's runs are adopted.
   */
  open(): void {
    for (const run of this.#deps.sessionRuns.live())
      if (run.process !== undefined) this.#watch(run);
    this.#alarms.killCondemned();
  }

  dispose(): void {
    this.#nextBeat?.dispose();
    this.#watches.clear();
    this.#owned.dispose();
  }

  #heard(change: RunChange): void {
    const { run } = change;
    const { id } = run.spec;
    if (!this.#deps.log.state.runs.has(id)) return;
    switch (change.kind) {
      case 'started':
        // After a restart of the run, use new watchdogs: the earlier output is no baseline for the
        // new output.
        if (this.#watches.has(id)) this.#create(run);
        else this.#watch(run);
        return;
      case 'points':
        return this.#take(run, change.points);
      case 'pattern_off':
        return this.#alarms.tell(run, [
          { kind: 'metric_pattern', detail: change.why, action: 'warn' },
        ]);
      case 'recovered':
        return this.#alarms.killCondemned();
      case 'ended':
        this.#watches.delete(id);
        return;
      case 'points_ended':
        return this.#tellEnd(run);
      case 'queued':
      case 'output':
      case 'unknown':
        return;
    }
  }

  #take(run: Run, points: readonly MetricPoint[]): void {
    const watch = this.#watches.get(run.spec.id);
    if (watch === undefined || this.#recalling.has(watch)) return;
    this.#alarms.tell(run, watch.take(points));
  }

  /** Raises an alarm, once per run, when its points are no longer stored. */
  #tellEnd(run: Run): void {
    const { end } = run.metrics;
    const alarms = this.#deps.log.state.runs.get(run.spec.id)?.alarms ?? [];
    if (end === undefined || alarms.some(({ kind }) => kind === 'points')) return;
    this.#alarms.tell(run, [pointsAlarm(end)]);
  }

  #watch(run: Run): void {
    if (this.#watches.has(run.spec.id)) return;
    this.#tellEnd(run);
    const watch = this.#create(run);
    if (run.metrics.isWhole) this.#alarms.tell(run, watch.recall(run.metrics));
    else void this.#recallFromDisk(run, watch);
  }

  /**
   * Passes the points of an earlier process to the watchdogs, then the points that arrive
   * meanwhile.
   */
  async #recallFromDisk(run: Run, watch: RunWatch): Promise<void> {
    const recall = watch.beginRecall();
    this.#recalling.add(watch);
    const onEnd = (): void => {
      this.#recalling.delete(watch);
      if (this.#watches.get(run.spec.id) === watch) this.#alarms.tell(run, recall.end());
    };
    try {
      await run.metrics.replay({ onPoints: (points) => recall.take(points), onEnd });
    } catch (error) {
      this.#recalling.delete(watch);
      this.#deps.logger.warn(`Watchdogs of run ${run.spec.id}: ${messageOf(error)}`);
    }
  }

  #create(run: Run): RunWatch {
    const { log, sessionRuns, policy, clock } = this.#deps;
    const decisive = log.state.target?.objective.metric ?? sessionRuns.ledger().decisive?.metric;
    const { directions } = run.spec.metrics;
    const watch = new RunWatch({
      policy,
      ...(directions && { directions }),
      isDecisive: (metric) => decisive !== undefined && isSame(metric, decisive),
      told: log.state.runs.get(run.spec.id)?.alarms ?? [],
    });
    this.#watches.set(run.spec.id, watch);
    this.#nextBeat ??= clock.after(beatMs, () => this.#beat());
    return watch;
  }

  /**
   * Runs the checks that depend only on time. Repeated every `beatMs` as long as runs are watched.
   */
  #beat(): void {
    const { clock } = this.#deps;
    this.#nextBeat = this.#watches.size > 0 ? clock.after(beatMs, () => this.#beat()) : undefined;
    for (const { run, watch } of this.#watched()) {
      if (run.liveness.kind === 'running')
        this.#alarms.tell(run, watch.beat(clock.now(), run.lastOutputMs));
      else watch.skip();
      void this.#unread.beat(run).then((findings) => this.#alarms.tell(run, findings));
    }
    this.#alarms.killCondemned();
  }

  /** Checks the disks and the runs' GPUs after a new measurement of a machine's load. */
  #checkMachines(machineId: string): void {
    const sample = this.#deps.resources.latest(machineId);
    const watched = this.#watched().filter(({ run }) => run.spec.machineId === machineId);
    if (sample === undefined || watched.length === 0) return;
    this.#checkDisks(machineId, sample, watched);
    for (const { run, watch } of watched) {
      const percents = gpuPercents(run, sample);
      if (percents.every(Number.isFinite))
        this.#alarms.tell(run, watch.checkGpus(sample.atMs, percents));
    }
  }

  /**
   * Raises an alarm for a full disk. If the alarm's action is `kill`, raises it for each of the
   * session's runs on the machine, so that all of them are killed; otherwise for only one run.
   */
  #checkDisks(machineId: string, { disks }: ResourceSample, watched: readonly Watched[]): void {
    const { policy } = this.#deps;
    const { action } = policy.disk;
    if (disks === undefined || action === 'off') return;
    const watch = this.#disks.get(machineId) ?? new DiskWatch(policy.disk);
    if (!this.#disks.has(machineId) && this.#wasToldOf(watched)) watch.latch.raise(() => 'told');
    this.#disks.set(machineId, watch);
    const detail = watch.judge(disks);
    const finding: Finding | undefined =
      detail === undefined ? undefined : { kind: 'disk', detail, action };
    for (const { run } of action === 'kill' ? watched : watched.slice(0, 1))
      this.#alarms.tell(run, finding ? [finding] : []);
  }

  #wasToldOf(watched: readonly Watched[]): boolean {
    const { runs } = this.#deps.log.state;
    return watched.some(({ run }) =>
      runs.get(run.spec.id)?.alarms.some(({ kind }) => kind === 'disk'),
    );
  }

  #watched(): Watched[] {
    return this.#deps.sessionRuns.live().flatMap((run) => {
      const watch = this.#watches.get(run.spec.id);
      return watch === undefined ? [] : [{ run, watch }];
    });
  }
}

interface Watched {
  readonly run: Run;
  readonly watch: RunWatch;
}

/**
 * Returns the utilisation of each of the run's GPUs in percent; NaN for a GPU whose driver does not
 * report it.
 */
function gpuPercents({ spec, process }: Run, { gpus = [] }: ResourceSample): number[] {
  const holder = {
    runId: spec.id,
    machineId: spec.machineId,
    pid: process?.pid,
    gpuIds: process?.gpuIds,
  };
  return gpus
    .filter((gpu) => isHeld(gpu, holder))
    .map(({ utilisationPercent }) => utilisationPercent ?? Number.NaN);
}

/**
 * Whether two metric names match, as in `summaryFor`: case is ignored, and the last part of a path
 * is sufficient.
 */
const isSame = (metric: string, wanted: string): boolean =>
  [metric, metric.split('/').at(-1)].some((name) => name?.toLowerCase() === wanted.toLowerCase());
