/**
 * Every benchmark on as little as will do, through the code that measures: none is broken, and all
 * that must be right is.
 */
import assert from 'node:assert/strict';
import { benchmarks } from './benchmarks.ts';
import { isWrong } from './figure.ts';
import { measure } from './measure.ts';
import { figureLine } from './table.ts';

describe('benchmarks, tiny', () => {
  const owners = new Map<string, string>();
  for (const name of Object.keys(benchmarks))
    it(name, async () => {
      const figures = await measure(name, 'tiny');
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
