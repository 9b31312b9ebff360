import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { WallClock, type SystemTime } from '../../../src/base/wallClock.ts';

/** A computer: its timers run only while it is awake, its wall clock always. */
class Computer implements SystemTime {
  #wallMs = 1_000_000;
  #awakeMs = 0;
  #timers: { atMs: number; callback: () => void }[] = [];

  now(): number {
    return this.#wallMs;
  }

  after(delayMs: number, callback: () => void): { dispose(): void } {
    const timer = { atMs: this.#awakeMs + delayMs, callback };
    this.#timers.push(timer);
    return { dispose: () => (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }

  get timers(): number {
    return this.#timers.length;
  }

  sleep(ms: number): void {
    this.#wallMs += ms;
  }

  work(ms: number): void {
    const endMs = this.#awakeMs + ms;
    for (;;) {
      const [next] = this.#timers
        .filter(({ atMs }) => atMs <= endMs)
        .sort((a, b) => a.atMs - b.atMs);
      const toMs = next?.atMs ?? endMs;
      this.#wallMs += toMs - this.#awakeMs;
      this.#awakeMs = toMs;
      if (next === undefined) return;
      this.#timers = this.#timers.filter((other) => other !== next);
      next.callback();
    }
  }
}

const second = 1_000;
const hour = 3_600 * second;

describe('the wall clock', () => {
  const begin = () => {
    const computer = new Computer();
    const clock = new WallClock(computer);
    const fired: string[] = [];
    const set = (name: string, delayMs: number) => clock.after(delayMs, () => fired.push(name));
    return { computer, clock, fired, set };
  };

  it('calls each timer once, in order, when nothing sleeps', () => {
    const { computer, fired, set } = begin();
    set('late', hour);
    set('soon', second);
    set('between', 60 * second);
    computer.work(59 * second);
    assert.deepEqual(fired, ['soon']);
    computer.work(2 * hour);
    assert.deepEqual(fired, ['soon', 'between', 'late']);
    assert.equal(computer.timers, 0);
  });

  it('calls what became due in the sleep of the computer within seconds, once, and nothing else', () => {
    const { computer, fired, set } = begin();
    set('second', 2 * hour);
    set('first', hour);
    set('far', 9 * hour);
    computer.work(60 * second);
    computer.sleep(7 * hour);
    assert.deepEqual(fired, []);
    computer.work(5 * second);
    assert.deepEqual(fired, ['first', 'second']);
    computer.work(20 * hour);
    assert.deepEqual(fired, ['first', 'second', 'far']);
    assert.equal(computer.timers, 0);
  });

  it('calls a timer in time that was not due in the sleep', () => {
    const { computer, clock, fired, set } = begin();
    const startMs = clock.now();
    set('nine', 9 * hour);
    computer.work(60 * second);
    computer.sleep(8 * hour);
    while (fired.length === 0) computer.work(second);
    assert.ok(clock.now() - startMs < 9 * hour + 6 * second, String(clock.now() - startMs));
  });

  it('forgets what was cancelled, and looks no more', () => {
    const { computer, fired, set } = begin();
    set('gone', hour).dispose();
    computer.work(10 * second);
    computer.sleep(2 * hour);
    computer.work(2 * hour);
    assert.deepEqual(fired, []);
    assert.equal(computer.timers, 0);
  });

  it('is not confused by a clock that is set back', () => {
    const { computer, fired, set } = begin();
    set('hour', hour);
    computer.sleep(-3 * hour);
    computer.work(hour);
    assert.deepEqual(fired, ['hour']);
  });
});
