/**
 * Every benchmark on as little as will do, through the code that measures: none is broken, and all
 * that must be right is. Several run at a time: they mostly wait, and nothing is read of speed.
 */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { benchmarks } from './benchmarks.ts';
import { isWrong, type Figure } from './figure.ts';
import { measure } from './measure.ts';
import { figureLine } from './table.ts';

/** The longest; the others wait for them least when they come first. */
const longest = ['kills', 'night', 'links', 'watchdogs', 'transfer'];
const names = [...new Set([...longest, ...Object.keys(benchmarks)])];

describe('benchmarks, tiny', () => {
  const owners = new Map<string, string>();
  const outcomes = new Map(names.map((name) => [name, Promise.withResolvers<readonly Figure[]>()]));
  before(() => {
    const waiting = [...outcomes];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [name, { promise, resolve, reject }] = next;
        promise.catch(() => undefined);
        await measure(name, 'tiny').then(resolve, reject);
      }
    };
    for (let worker = 0; worker <= availableParallelism(); worker += 1) void work();
  });

  for (const [name, { promise }] of outcomes)
    it(name, async () => {
      const figures = await promise;
      assert.ok(figures.length > 0, 'It measures something.');
      assert.deepEqual(figures.filter(isWrong).map(figureLine), []);
      for (const { name: figure } of figures) {
        assert.equal(
          owners.get(figure),
          undefined,
          `"${figure}" is a figure of another benchmark, too.`,
        );
        owners.set(figure, name);
      }
    });
});
