/** The range of a column of numbers, and whether the numbers never decrease. */
export class Extent {
  min = NaN;
  max = NaN;
  isAscending = true;
  /** Whether no number is NaN. */
  isComplete = true;
  last = -Infinity;

  add(numbers: Float64Array): void {
    let { min, max, last } = this;
    for (let at = 0; at < numbers.length; at++) {
      const x = numbers[at] ?? NaN;
      if (Number.isNaN(x)) {
        this.isComplete = false;
        this.isAscending = false;
        continue;
      }
      if (x < last) this.isAscending = false;
      if (!(x >= min)) min = x;
      if (!(x <= max)) max = x;
      last = x;
    }
    Object.assign(this, { min, max, last });
  }
}
