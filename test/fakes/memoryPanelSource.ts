import { annotated, type AnnotationChange } from '../../src/experiments/runAnnotation.ts';
import { formatValue } from '../../src/base/text.ts';
import type {
  PanelDecisive,
  PanelGroup,
  PanelMetric,
  PanelRun,
  PanelState,
} from '../../src/protocol/metricsPanel.ts';
import type { PanelSeries, PanelSource } from '../../src/vscode/metrics/panelSource.ts';
import { matteredAnswer } from '../../src/presentation/runs/mattered/mattered.ts';
import type { MatteredAnswer } from '../../src/protocol/mattered.ts';
import type { BestAfter } from '../../src/experiments/bestSoFar.ts';
import { WatchedEmitter } from './watchedEmitter.ts';

interface Stored {
  steps: Float64Array;
  timesMs: Float64Array;
  values: Float64Array;
}

const startedMs = Date.UTC(2026, 0, 1);

/** Runs and series in memory, changed by the test. One point is one second. */
export class MemoryPanelSource implements PanelSource {
  readonly #stateEmitter = new WatchedEmitter<void>();
  readonly #pointsEmitter = new WatchedEmitter<{ runId: string; metric: string }>();
  readonly #series = new Map<string, Stored>();
  readonly onDidChangeState = this.#stateEmitter.event;
  readonly onDidAddPoints = this.#pointsEmitter.event;
  runs: readonly PanelRun[] = [];
  metrics: readonly PanelMetric[] = [];
  groups: readonly PanelGroup[] = [];
  ranking: readonly number[] = [];
  decisive: PanelDecisive | undefined;
  sessionId = 's-000000001demo';
  /** Set to make every read fail with this message. */
  isOpen = true;
  failure: string | undefined;
  reads = 0;

  addRun(run: Partial<PanelRun> & { id: string }): void {
    const number = this.runs.length + 1;
    this.runs = [
      ...this.runs,
      {
        number,
        group: run.number ?? number,
        name: `run ${number}`,
        label: '',
        machine: 'local',
        isRunning: false,
        status: 'ok',
        isGood: true,
        isChampion: false,
        metrics: {},
        parameters: {},
        ...run,
      },
    ];
  }

  /** Replaces the whole series. Steps are 0, `stride`, 2 · `stride` … */
  setSeries(runId: string, metric: string, values: Float64Array, stride = 1): void {
    const steps = values.map((_, index) => index * stride);
    const timesMs = values.map((_, index) => startedMs + index * 1000);
    this.#series.set(`${runId}/${metric}`, { steps, timesMs, values });
    this.#note(runId, metric);
  }

  add(runId: string, metric: string, added: readonly number[], stride = 1): void {
    const before = this.#series.get(`${runId}/${metric}`)?.values ?? new Float64Array();
    const values = new Float64Array(before.length + added.length);
    values.set(before);
    values.set(added, before.length);
    this.setSeries(runId, metric, values, stride);
    this.#pointsEmitter.fire({ runId, metric });
  }

  get hasListeners(): boolean {
    return this.#stateEmitter.hasListeners || this.#pointsEmitter.hasListeners;
  }

  changed(): void {
    this.#stateEmitter.fire();
  }

  /** Set to make the next change of tags and notes fail with this message. */
  refusal: string | undefined;

  annotate(runIds: readonly string[], change: AnnotationChange): Promise<void> {
    if (this.refusal !== undefined) return Promise.reject(new Error(this.refusal));
    this.runs = this.runs.map((run) =>
      runIds.includes(run.id)
        ? { ...run, ...annotated({ tags: run.tags ?? [], note: run.note ?? '' }, change) }
        : run,
    );
    this.changed();
    return Promise.resolve();
  }

  state(): PanelState {
    if (this.failure !== undefined) throw new Error(this.failure);
    return {
      sessionId: this.sessionId,
      title: 'train to loss < 1.0',
      isOpen: this.isOpen,
      runs: this.runs,
      groups: this.groups,
      ranking: this.ranking,
      ...(this.decisive && { decisive: this.decisive }),
      metrics: this.metrics,
    };
  }

  /** The runs that ended well, by the last value of the deciding metric; lower is better. */
  mattered(runIds: readonly string[]): Promise<MatteredAnswer> {
    const metric = this.decisive?.metric ?? '';
    const chosen = this.runs.filter(({ id }) => runIds.includes(id));
    const runs = chosen
      .filter(({ isGood, isRunning, metrics }) => isGood && !isRunning && metrics[metric])
      .map((run) => ({ ...run, value: Number(run.metrics[metric]?.last) }));
    const best = runs.reduce<BestAfter[]>(
      (all, { number, value }) =>
        value < (all.at(-1)?.value ?? Infinity) ? [...all, { number, value }] : all,
      [],
    );
    const leftOut = chosen.length - runs.length;
    const decisive = metric !== '' && ({ metric, direction: 'lower', rule: 'last' } as const);
    return Promise.resolve(matteredAnswer({ ...(decisive && { decisive }), runs, leftOut, best }));
  }

  series(runId: string, metric: string): PanelSeries | undefined {
    this.reads++;
    if (this.failure !== undefined) throw new Error(this.failure);
    const stored = this.#series.get(`${runId}/${metric}`);
    return stored && { ...stored, startedMs };
  }

  #note(runId: string, metric: string): void {
    const values = this.#series.get(`${runId}/${metric}`)?.values ?? new Float64Array();
    if (!this.metrics.some(({ name }) => name === metric))
      this.metrics = [
        ...this.metrics,
        { name: metric, direction: metric.includes('loss') ? 'lower' : 'none' },
      ];
    const best = values.reduce(
      (low, value) => (value < low ? value : low),
      Number.POSITIVE_INFINITY,
    );
    const value = {
      last: formatValue(values.at(-1) ?? Number.NaN),
      best: formatValue(best),
      points: values.length,
    };
    this.runs = this.runs.map((run) =>
      run.id === runId ? { ...run, metrics: { ...run.metrics, [metric]: value } } : run,
    );
  }
}

/** A source that tells whether it was disposed. */
export class DisposableSource extends MemoryPanelSource {
  isDisposed = false;

  dispose(): void {
    this.isDisposed = true;
  }
}
