/** The data of a metrics panel with the runs of other sessions beside those of its own. */
import { DisposableStore } from '../../base/disposable.ts';
import { Emitter } from '../../base/emitter.ts';
import { oneLine } from '../../base/text.ts';
import type { AnnotationChange } from '../../experiments/runAnnotation.ts';
import type { MatteredAnswer } from '../../protocol/mattered.ts';
import type { PanelMetric, PanelRun, PanelState } from '../../protocol/metricsPanel.ts';
import type { MetricsSource } from './metricsSource.ts';
import type { PanelSeries } from './panelSource.ts';

interface Other {
  readonly source: MetricsSource;
  readonly listening: DisposableStore;
  /** The state and the ids of its runs; omitted after a change, until they are needed. */
  read?: { readonly state: PanelState; readonly runIds: ReadonlySet<string> } | undefined;
}

/**
 * Adds the runs of other sessions to the source of a session. Only runs of the session itself are
 * ranked, can be the champion, and count for the spread.
 */
export class CombinedSource implements MetricsSource {
  readonly #main: MetricsSource;
  readonly #open: (id: string) => Promise<MetricsSource>;
  readonly #owned = new DisposableStore();
  readonly #changed = this.#owned.add(new Emitter<void>());
  readonly #points = this.#owned.add(
    new Emitter<{ readonly runId: string; readonly metric: string }>(),
  );
  readonly #others = new Map<string, Other>();
  readonly #copies = new Copies();
  #wanted: ReadonlySet<string> = new Set();
  #isWatched = false;
  readonly onDidChangeState = this.#changed.event;
  readonly onDidAddPoints = this.#points.event;

  /** `open` creates the source of another session; see `createMetricsSource`. */
  constructor(main: MetricsSource, open: (id: string) => Promise<MetricsSource>) {
    this.#main = this.#owned.add(main);
    this.#open = open;
    this.#owned.add(main.onDidChangeState(() => this.#changed.fire()));
    this.#owned.add(main.onDidAddPoints((added) => this.#points.fire(added)));
  }

  /**
   * Shows the runs of these sessions beside those of its own. Rejects with the error of the first
   * session that cannot be read; the others are shown.
   */
  async setSessions(ids: readonly string[]): Promise<void> {
    this.#wanted = new Set(ids);
    for (const id of this.#others.keys()) if (!this.#wanted.has(id)) this.#remove(id);
    const opened = await Promise.allSettled(ids.map((id) => this.#add(id)));
    this.#changed.fire();
    for (const result of opened) if (result.status === 'rejected') throw result.reason;
  }

  state(): PanelState {
    const main = this.#main.state();
    if (this.#others.size === 0) return main;
    return combined(
      main,
      [...this.#others.values()].map((other) => readOf(other).state),
      this.#copies,
    );
  }

  series(runId: string, metric: string): ReturnType<MetricsSource['series']> {
    return this.#ownerOf(runId).series(runId, metric) as Promise<PanelSeries | undefined>;
  }

  async annotate(runIds: readonly string[], change: AnnotationChange): Promise<void> {
    for (const [owner, ids] of Map.groupBy(runIds, (id) => this.#ownerOf(id)))
      await owner.annotate?.(ids, change);
  }

  /** Answers for the runs of the session itself. */
  mattered(runIds: readonly string[]): Promise<MatteredAnswer> {
    return this.#main.mattered(runIds);
  }

  setWatched(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#main.setWatched?.(isWatched);
    for (const { source } of this.#others.values()) source.setWatched?.(isWatched);
  }

  dispose(): void {
    this.#wanted = new Set();
    for (const id of this.#others.keys()) this.#remove(id);
    this.#owned.dispose();
  }

  async #add(id: string): Promise<void> {
    if (this.#others.has(id) || id === this.#main.state().sessionId) return;
    const source = await this.#open(id);
    if (!this.#wanted.has(id) || this.#others.has(id)) return source.dispose();
    const listening = new DisposableStore();
    const other: Other = { source, listening };
    listening.add(source);
    listening.add(
      source.onDidChangeState(() => {
        other.read = undefined;
        this.#changed.fire();
      }),
    );
    listening.add(source.onDidAddPoints((added) => this.#points.fire(added)));
    this.#others.set(id, other);
    source.setWatched?.(this.#isWatched);
  }

  #remove(id: string): void {
    this.#others.get(id)?.listening.dispose();
    this.#others.delete(id);
  }

  #ownerOf(runId: string): MetricsSource {
    for (const other of this.#others.values())
      if (readOf(other).runIds.has(runId)) return other.source;
    return this.#main;
  }
}

function readOf(other: Other): NonNullable<Other['read']> {
  if (other.read !== undefined) return other.read;
  const state = other.source.state();
  return (other.read = { state, runIds: new Set(state.runs.map(({ id }) => id)) });
}

/** More than a session has, so that a new group changes the number and colour of no other. */
const groupsPerSession = 1_000_000;

/** Copies of objects, which are the same objects while nothing changes. */
class Copies {
  readonly #copies = new WeakMap<object, object>();

  /** Returns `copy`, or an equal copy of `original` that was returned before. */
  of<T extends object>(original: object, copy: T): T {
    const before = this.#copies.get(original) as T | undefined;
    const keys = Object.keys(copy) as (keyof T)[];
    if (before !== undefined && keys.every((key) => before[key] === copy[key])) return before;
    this.#copies.set(original, copy);
    return copy;
  }
}

/**
 * Returns the state of the panel with the runs of others, whose groups have further numbers.
 * `copies` makes that a state after the next change has the same objects where nothing changed.
 */
function combined(
  main: PanelState,
  others: readonly PanelState[],
  copies = new Copies(),
): PanelState {
  const names = new Set(main.metrics.map(({ name }) => name));
  const metrics: PanelMetric[] = [...main.metrics];
  const runs: PanelRun[] = main.runs.map((run) => copies.of(run, { ...run, session: main.title }));
  const groups = [...main.groups];
  for (const [index, state] of others.entries()) {
    const session = sessionText(state, main);
    const nameIn = (name: string): string => `${name} of ${oneLine(state.title, 24)}`;
    for (const metric of state.metrics) {
      const { target: _, champion: _champion, ...shown } = metric;
      if (!names.has(metric.name)) metrics.push(copies.of(metric, shown));
      names.add(metric.name);
    }
    const offset = groupsPerSession * (index + 1);
    for (const run of state.runs) {
      const group = run.group + offset;
      const other = { isChampion: false, isOther: true } as const;
      runs.push(copies.of(run, { ...run, ...other, group, session, name: nameIn(run.name) }));
    }
    for (const group of state.groups)
      groups.push(
        copies.of(group, { ...group, number: group.number + offset, name: nameIn(group.name) }),
      );
  }
  return { ...main, runs, groups, metrics };
}

/** Returns the title, with the folder of the project if it differs from that of the panel. */
const sessionText = ({ title, project }: PanelState, main: PanelState): string =>
  project === undefined || project === main.project ? title : `${title} · ${project}`;
