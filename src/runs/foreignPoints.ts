/**
 * Reads the metrics of runs that another process follows, from the files in which that process
 * stores them. Never writes to these files.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import type { RunMetrics } from '../metrics/runMetrics.ts';
import { readSavedMetrics } from '../metrics/savedMetrics.ts';
import type { Home } from '../storage/home.ts';
import type { RunSpec } from './run.ts';

/**
 * Maximum number of bytes read per second and run. Needed because each read of a growing file
 * starts at its first byte.
 */
const bytesPerSecond = 4_000_000;
const minWaitMs = 1_000;

interface Reading {
  readonly metrics: RunMetrics | undefined;
  /** Differs after any change of the files. */
  readonly version: string;
  /** Earliest time of the next read, in milliseconds since the epoch. */
  readonly againMs: number;
  /** True if the run was over when the points were read. */
  readonly isFinal: boolean;
}

export class ForeignPoints {
  readonly #home: Pick<Home, 'runFolder'>;
  readonly #clock: Clock;
  readonly #readings = new Map<RunId, Promise<Reading>>();

  constructor(home: Pick<Home, 'runFolder'>, clock: Clock) {
    this.#home = home;
    this.#clock = clock;
  }

  /**
   * Returns the metrics of a run. The newest points may be missing, because the file is read at
   * most once per second (a large file less often). Returns the same object as before when there
   * are no new points, and `undefined` when there are no points. Rejects with `MetricsError`.
   */
  async of(
    spec: Pick<RunSpec, 'id' | 'metrics'>,
    isOver: boolean,
  ): Promise<RunMetrics | undefined> {
    const before = this.#readings.get(spec.id)?.catch(() => undefined);
    const reading = Promise.resolve(before).then((known) => this.#read(spec, isOver, known));
    this.#readings.set(spec.id, reading);
    return (await reading).metrics;
  }

  forget(): void {
    this.#readings.clear();
  }

  async #read(
    { id, metrics: terms }: Pick<RunSpec, 'id' | 'metrics'>,
    isOver: boolean,
    known: Reading | undefined,
  ): Promise<Reading> {
    const nowMs = this.#clock.now();
    if (known?.isFinal || (known !== undefined && !isOver && nowMs < known.againMs)) return known;
    const folder = this.#home.runFolder(id);
    const sizeBytes = await sizeOf(path.join(folder, 'points.bin'));
    const totals = await stat(path.join(folder, 'points.totals')).catch(() => undefined);
    const version = `${sizeBytes} ${totals?.mtimeMs}`;
    const againMs = nowMs + Math.max(minWaitMs, (sizeBytes / bytesPerSecond) * 1_000);
    const metrics =
      version === known?.version ? known.metrics : await readSavedMetrics(folder, terms);
    return { metrics, version, againMs, isFinal: isOver };
  }
}

/** Returns the size of a file; -1 when the file does not exist. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return -1;
    throw error;
  }
}
