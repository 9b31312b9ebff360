/** Points of runs that are over, read from their files, each file once. Knows no `vscode`. */
import { stat } from 'node:fs/promises';
import type { RunState } from '../../agent/state.ts';
import type { RunId } from '../../base/ids.ts';
import type { MetricSpec } from '../../metrics/metric.ts';
import { RunMetrics } from '../../metrics/runMetrics.ts';
import type { Home } from '../../storage/home.ts';

export class SavedMetrics {
  readonly #home: Home;
  readonly #files = new Map<RunId, Promise<RunMetrics | undefined>>();

  constructor(home: Home) {
    this.#home = home;
  }

  /** Those of a run that goes on elsewhere are not ours to open: `undefined`, as for a run without files. */
  of({ spec, verdict }: Pick<RunState, 'spec' | 'verdict'>): Promise<RunMetrics | undefined> {
    if (verdict === undefined) return Promise.resolve(undefined);
    const known = this.#files.get(spec.id) ?? readSaved(this.#home.runFolder(spec.id), spec.metrics);
    this.#files.set(spec.id, known);
    return known;
  }

  forget(): void {
    this.#files.clear();
  }
}

async function readSaved(folder: string, spec: MetricSpec): Promise<RunMetrics | undefined> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const metrics = await RunMetrics.open(folder, spec);
  // Its points stay readable; the file is not held.
  metrics.dispose();
  return metrics;
}
