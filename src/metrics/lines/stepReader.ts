import type { Pair } from './lineFormats.ts';

/** Unit in which a program counts its progress. */
export type Counter = 'step' | 'epoch' | 'batch';

/** Source of the regular expression for the names of counters, with an optional path prefix. */
export const counterNames =
  '(?:\\w+[/.])?_?(?:(?:global[ _-]?|train_|iter_)?(?:steps?|iter|iteration|it|num_updates|total_timesteps|timesteps?)' +
  '|epochs?|(?:mini_?)?batch(?:_idx)?)';

const stepNames =
  /^_?(?:global_?|train_|iter_)?(?:steps?|iter|iteration|it|num_updates|total_timesteps|timesteps?)$/;
const epochNames = /^epochs?$/;
const batchNames = /^(?:mini_?)?batch(?:_idx)?$/;

export function counterOf(name: string): Counter | undefined {
  const leaf = leafOf(name);
  if (stepNames.test(leaf)) return 'step';
  if (epochNames.test(leaf)) return 'epoch';
  return batchNames.test(leaf) ? 'batch' : undefined;
}

// All repetitions are bounded, so that the search takes linear time for any line.
const bracketCount = /(?<!epoch\s{0,4}[:=]?\s{0,4})\[\s{0,8}(\d{1,15})\s{0,4}\/\s{0,8}\d/i;
const barCount = /(?<!\d)(\d{1,15})\/\d{1,15}\s{1,8}[[━]/;

const mayHaveCount = (line: string): boolean =>
  line.includes('/') && (line.includes('[') || line.includes('━'));

/** Collects the counters of one line to find the step of the line. */
export class StepReader {
  #step = NaN;
  #batch = NaN;
  #epoch = NaN;

  reset(): void {
    this.#step = NaN;
    this.#batch = NaN;
    this.#epoch = NaN;
  }

  take(counter: Counter, { label, value, total, sign }: Pair): void {
    if (counter === 'epoch') this.#epoch = value;
    else if (counter === 'step') {
      // Ignore "it 5", which is often ordinary English.
      if (sign !== 'spaced' || label.toLowerCase() !== 'it') this.#step = value;
    } else if (!Number.isNaN(total)) this.#batch = value;
  }

  /** Whether the text of the line may have a count that is its step: see `stepOf`. */
  needsText(line: string): boolean {
    return Number.isNaN(this.#step) && Number.isNaN(this.#batch) && mayHaveCount(line);
  }

  /**
   * Returns the step of the line. If the line has no step counter, returns a count such as
   * `[12/1000]` or `batch 12/1000`, else the epoch, else the count of a progress bar, else NaN.
   */
  stepOf(line: string): number {
    if (!Number.isNaN(this.#step)) return this.#step;
    if (!Number.isNaN(this.#batch)) return this.#batch;
    const hasCount = mayHaveCount(line);
    const bracket = hasCount ? bracketCount.exec(line)?.[1] : undefined;
    if (bracket !== undefined) return Number(bracket);
    if (!Number.isNaN(this.#epoch) || !hasCount) return this.#epoch;
    return Number(barCount.exec(line)?.[1] ?? NaN);
  }
}

/**
 * Returns the last part of a path-like name (`train/Global Step`), in lower case and with `_` for
 * spaces and hyphens (`global_step`).
 */
export const leafOf = (name: string): string =>
  name
    .slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('.')) + 1)
    .toLowerCase()
    .replace(/[\s-]/g, '_');
