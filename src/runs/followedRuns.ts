import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { RunId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import type { FileStat } from '../machines/machine.ts';
import { PatternSearch } from '../metrics/patterns/patternSearch.ts';
import { RunMetrics } from '../metrics/runMetrics.ts';
import { LiveRun, type RunChange } from './liveRun.ts';
import type { RunSpec } from './run.ts';
import type { RunMachines } from './runMachines.ts';

export interface FollowedRunsDeps {
  readonly machines: RunMachines;
  /**
   * Absolute path of the local folder that stores the metrics of runs, in one subfolder per run id.
   */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  onChange(change: RunChange): void;
}

/**
 * The runs that this process follows. Each run's output is read once, however often the run is
 * requested.
 */
export class FollowedRuns implements Disposable {
  readonly #deps: FollowedRunsDeps;
  readonly #runs = new Map<RunId, LiveRun>();
  readonly #opening = new Map<RunId, Promise<LiveRun>>();
  /** Searches lines with the patterns of all runs. */
  readonly #search = new PatternSearch();
  #isDisposed = false;

  constructor(deps: FollowedRunsDeps) {
    this.#deps = deps;
  }

  get(id: RunId): LiveRun | undefined {
    return this.#runs.get(id);
  }

  /** All followed runs, oldest first. */
  all(): readonly LiveRun[] {
    return [...this.#runs.values()].sort((a, b) => a.spec.plannedMs - b.spec.plannedMs);
  }

  /**
   * Follows a run and reads its output from the byte where an earlier process stopped. `output`:
   * the current size and modification time of the output file, if known.
   */
  follow(spec: RunSpec, output?: FileStat): Promise<LiveRun> {
    const opening = this.#opening.get(spec.id) ?? this.#open(spec, output);
    this.#opening.set(spec.id, opening);
    opening.catch(() => this.#opening.delete(spec.id));
    return opening;
  }

  forget(run: LiveRun): void {
    this.#opening.delete(run.spec.id);
    this.#runs.delete(run.spec.id);
    run.dispose();
  }

  /** Stops following every run. No run is ended. */
  dispose(): void {
    this.#isDisposed = true;
    for (const run of this.#runs.values()) run.dispose();
    this.#runs.clear();
    this.#search.dispose();
  }

  async #open(spec: RunSpec, output: FileStat | undefined): Promise<LiveRun> {
    const { machines, folder, clock, logger } = this.#deps;
    const machine = await machines.reach(spec.machineId);
    const metrics = await RunMetrics.open(join(folder, spec.id), spec.metrics, {
      search: this.#search,
    });
    const onChange = (change: RunChange): void => this.#deps.onChange(change);
    const run = new LiveRun({ spec, machine, metrics, clock, logger, onChange });
    if (this.#isDisposed) {
      run.dispose();
      return run;
    }
    this.#runs.set(spec.id, run);
    run.attach(output);
    return run;
  }
}
