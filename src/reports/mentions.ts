/** Tracks the runs and experiments that a report mentions, so that each link has an anchor. */

export class Mentions {
  readonly #runs = new Set<number>();
  readonly #experiments = new Set<string>();

  /** Returns `[run 7](#run-7)` and adds the run to the table of runs. */
  run(number: number): string {
    this.#runs.add(number);
    return `[run ${number}](#run-${number})`;
  }

  /** Returns links to the first `max` runs and the number of the others. */
  runs(numbers: readonly number[], max: number): string {
    const rest = numbers.length - max;
    const shown = numbers.slice(0, max).map((number) => this.run(number));
    return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  }

  hasRun(number: number): boolean {
    return this.#runs.has(number);
  }

  /** Returns the anchor of an experiment, for the line that describes it. */
  experimentPlace(id: string): string {
    this.#experiments.add(id);
    return `<a id="${id}"></a>**${id}**`;
  }

  /** Returns a link if the report describes the experiment, otherwise its id. */
  experiment(id: string): string {
    return this.#experiments.has(id) ? `[${id}](#${id})` : id;
  }
}

/** Returns the anchor of a run in the table of runs. */
export const runPlace = (number: number): string => `<a id="run-${number}"></a>${number}`;

/**
 * Returns lines for the first `max` items and the number of the others. Never calls `lineOf` for
 * the others, so their mentions create no links.
 */
export function bounded<T>(
  items: readonly T[],
  max: number,
  what: string,
  lineOf: (item: T) => string,
): string[] {
  const rest = items.length - max;
  const lines = items.slice(0, max).map(lineOf);
  return rest <= 0 ? lines : [...lines, `- … and ${rest} more ${what}`];
}
