/**
 * The runs and experiments that a report speaks of: whatever is mentioned has a place in it that
 * its links lead to.
 */

export class Mentions {
  readonly #runs = new Set<number>();
  readonly #experiments = new Set<string>();

  /** `[run 7](#run-7)`; the run then stands in the table of runs. */
  run(number: number): string {
    this.#runs.add(number);
    return `[run ${number}](#run-${number})`;
  }

  /** The first of them, and how many more there are. */
  runs(numbers: readonly number[], max: number): string {
    const rest = numbers.length - max;
    const shown = numbers.slice(0, max).map((number) => this.run(number));
    return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  }

  hasRun(number: number): boolean {
    return this.#runs.has(number);
  }

  /** The place of an experiment, for the line that tells of it. */
  experimentPlace(id: string): string {
    this.#experiments.add(id);
    return `<a id="${id}"></a>**${id}**`;
  }

  /** A link where a line tells of it, else its name alone. */
  experiment(id: string): string {
    return this.#experiments.has(id) ? `[${id}](#${id})` : id;
  }
}

/** The place of a run in the table of runs. */
export const runPlace = (number: number): string => `<a id="run-${number}"></a>${number}`;

/**
 * A line for each of the first items, and how many are left out. No line is made of those: what it
 * mentions has a place.
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
