/** Points of runs that are over, read from their files, each file once. Knows no `vscode`. */
import type { RunState } from '../../agent/state.ts';
import type { RunId } from '../../base/ids.ts';
import type { RunMetrics } from '../../metrics/runMetrics.ts';
import { readSavedMetrics } from '../../metrics/savedMetrics.ts';
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
    const known = this.#files.get(spec.id) ?? readSavedMetrics(this.#home.runFolder(spec.id), spec.metrics);
    this.#files.set(spec.id, known);
    return known;
  }

  forget(): void {
    this.#files.clear();
  }
}
