/** Reads the resources of runs that were recorded as series (see `SystemMetrics`). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { RunId } from '../../base/ids.ts';
import type { RunMetrics } from '../../metrics/runMetrics.ts';
import { ForeignPoints } from '../../runs/foreignPoints.ts';
import { isSystemName, systemFolder, systemNames } from '../../runs/systemMetrics.ts';
import type { Home } from '../../storage/home.ts';
import type { RunState } from '../journal/state.ts';

type Run = Pick<RunState, 'spec' | 'verdict'>;

/** Number of newest runs whose names of series are read. */
const maxRuns = 100;

export class SystemSeries {
  readonly #folderOf: (id: RunId) => string;
  readonly #points: ForeignPoints;
  readonly #names = new Map<RunId, readonly string[]>();

  constructor(home: Pick<Home, 'runFolder'>, clock: Clock) {
    this.#folderOf = (id) => systemFolder(home.runFolder(id));
    this.#points = new ForeignPoints({ runFolder: this.#folderOf }, clock);
  }

  /** Resolves with the series of a run; `undefined` if there are none. */
  of({ spec, verdict }: Run): Promise<RunMetrics | undefined> {
    const metrics = { names: Object.values(systemNames) };
    return this.#points.of({ id: spec.id, metrics }, verdict !== undefined);
  }

  /** Resolves with the names of the series that any of the newest runs has. */
  async names(runs: readonly Run[]): Promise<readonly string[]> {
    const found = new Set<string>();
    // Reads one after another, so that the points of charts, which are read meanwhile, come first.
    for (const run of runs.slice(-maxRuns))
      for (const name of await this.#namesOf(run)) found.add(name);
    return Object.values(systemNames).filter((name) => found.has(name));
  }

  forget(): void {
    this.#points.forget();
  }

  async #namesOf({ spec, verdict }: Run): Promise<readonly string[]> {
    const known = this.#names.get(spec.id);
    if (known !== undefined) return known;
    const text = await readFile(join(this.#folderOf(spec.id), 'points.names'), 'utf8').catch(
      () => '',
    );
    const names = text.split('\n').filter(isSystemName);
    if (verdict !== undefined) this.#names.set(spec.id, names);
    return names;
  }
}
