/** More metrics of a line than this are searched for with a map. */
const fewMetrics = 8;

/** The last value of each metric of one line, in the order in which the metrics occur. */
export class LineValues {
  /** Used again for each line: only the first `count` are of this one. */
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

  /** Returns the place of a metric, which is the next one for a new metric. */
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
