import type { Bounds } from './bounds.ts';
import { wantsLessMotion } from '../shared/theme.ts';
import type { Range } from '../shared/range.ts';

/**
 * Time constant of the animation: the distance to the wanted bounds shrinks to about a third (1/e)
 * in this time.
 */
const timeConstantMs = 70;

/**
 * Animates the shown bounds towards the wanted bounds. For users who prefer reduced motion, changes
 * the bounds in one step.
 */
export class Glide {
  readonly #show: (bounds: Bounds) => void;
  #shown: Bounds | undefined;
  #wanted: Bounds | undefined;
  #frame = 0;
  #lastMs = 0;

  constructor(show: (bounds: Bounds) => void) {
    this.#show = show;
  }

  get wanted(): Bounds | undefined {
    return this.#wanted;
  }

  /**
   * Sets the wanted bounds. Always calls `show` before returning, so that new points are drawn even
   * if the bounds do not change.
   */
  to(wanted: Bounds, options: { readonly isJump: boolean }): void {
    this.#wanted = wanted;
    const isFar = this.#shown !== undefined && !isSame(this.#shown, wanted);
    if (this.#shown === undefined || !isFar || options.isJump || wantsLessMotion())
      this.#shown = wanted;
    this.#show(this.#shown);
    if (this.#shown !== wanted && this.#frame === 0) this.#start();
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
  }

  #start(): void {
    this.#lastMs = performance.now();
    this.#frame = requestAnimationFrame((nowMs) => this.#step(nowMs));
  }

  #step(nowMs: number): void {
    this.#frame = 0;
    if (this.#shown === undefined || this.#wanted === undefined) return;
    const share = 1 - Math.exp(-Math.max(8, nowMs - this.#lastMs) / timeConstantMs);
    this.#lastMs = nowMs;
    const next = {
      x: between(this.#shown.x, this.#wanted.x, share),
      y: between(this.#shown.y, this.#wanted.y, share),
    };
    this.#shown = isSame(next, this.#wanted) ? this.#wanted : next;
    this.#show(this.#shown);
    if (this.#shown !== this.#wanted)
      this.#frame = requestAnimationFrame((laterMs) => this.#step(laterMs));
  }
}

const between = (a: Range, b: Range, share: number): Range => ({
  from: a.from + (b.from - a.from) * share,
  to: a.to + (b.to - a.to) * share,
});

const isSame = (a: Bounds, b: Bounds): boolean => isClose(a.x, b.x) && isClose(a.y, b.y);

/** Whether two ranges differ by at most half a pixel in a plot 500 pixels wide. */
function isClose(a: Range, b: Range): boolean {
  const size = Math.abs(b.to - b.from) / 1000;
  return Math.abs(a.from - b.from) <= size && Math.abs(a.to - b.to) <= size;
}
