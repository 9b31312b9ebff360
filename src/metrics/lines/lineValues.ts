/** Number of metrics in a line above which a metric is found with a map instead of a loop. */
const fewMetrics = 8;

/** The last value of each metric of one line, in the order in which the metrics occur. */
export class LineValues {
  /** Reused for each line. Only the first `count` items belong to the current line. */
  readonly #metrics: string[] = [];
  readonly #values: number[] = [];
  #places: Map<string, number> | undefined;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
    this.#places = undefined;
  }

  set(metric: string, value: number): void {
    const place = this.#placeOf(metric);
    this.#metrics[place] = metric;
    this.#values[place] = value;
    if (place === this.#count) this.#count++;
  }

  /** Calls `emit` for each metric. */
  emit(step: number, emit: (metric: string, step: number, value: number) => void): void {
    for (let at = 0; at < this.#count; at++)
      emit(this.#metrics[at] ?? '', step, this.#values[at] ?? NaN);
  }

  /** Returns the index of a metric in `#metrics`; the next free index for a new metric. */
  #placeOf(metric: string): number {
    if (this.#count > fewMetrics) return this.#mappedPlaceOf(metric);
    let place = 0;
    while (place < this.#count && this.#metrics[place] !== metric) place++;
    return place;
  }

  #mappedPlaceOf(metric: string): number {
    this.#places ??= new Map(this.#metrics.slice(0, this.#count).map((each, at) => [each, at]));
    const place = this.#places.get(metric) ?? this.#count;
    this.#places.set(metric, place);
    return place;
  }
}
