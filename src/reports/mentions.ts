/** The runs and experiments that a report speaks of: whatever is mentioned has a place in it that its links lead to. */

export class Mentions {
  readonly #runs = new Set<number>();
  readonly #experiments = new Set<string>();

  /** `[run 7](#run-7)`; the run then stands in the table of runs. */
  run(number: number): string {
    this.#runs.add(number);
    return `[run ${number}](#run-${number})`;
  }

  /** The first of them, and how many more there are. */
  runs(numbers: readonly number[], most: number): string {
    const rest = numbers.length - most;
    const shown = numbers.slice(0, most).map((number) => this.run(number));
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

/** The first of many lines of a list, and how many are left out. */
export function bounded(lines: readonly string[], most: number, what: string): string[] {
  const rest = lines.length - most;
  return rest <= 0 ? [...lines] : [...lines.slice(0, most), `- … and ${rest} more ${what}`];
}

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
