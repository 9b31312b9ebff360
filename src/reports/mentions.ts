/**
 * Links in a report: to runs in the list of runs next to the report, and to the experiments that
 * the report describes. Each link leads to an anchor.
 */
import { runName } from '../runs/run.ts';

/** File with the list of all runs, next to the report. */
export const runsName = 'runs.md';

export class Mentions {
  readonly #experiments = new Set<string>();

  /** Returns the link `[run 7](runs.md#run-7)`. */
  run(number: number): string {
    return `[${runName(number)}](${runsName}#run-${number})`;
  }

  /** Returns links to the first `max` runs, followed by the number of omitted runs. */
  runs(numbers: readonly number[], max: number): string {
    const rest = numbers.length - max;
    const shown = numbers.slice(0, max).map((number) => this.run(number));
    return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  }

  /** Returns the anchor of an experiment, to be put on the line that describes the experiment. */
  experimentPlace(id: string): string {
    this.#experiments.add(id);
    return `<a id="${id}"></a>**${id}**`;
  }

  /** Returns a link to the experiment if the report describes it, otherwise only its id. */
  experiment(id: string): string {
    return this.#experiments.has(id) ? `[${id}](#${id})` : id;
  }
}

/** Returns the anchor of a run, to be put in its row in the table of runs. */
export const runPlace = (number: number): string => `<a id="run-${number}"></a>${number}`;

/**
 * Returns the lines of the first `max` items and, if there are more, a line with the number of
 * omitted items.
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
