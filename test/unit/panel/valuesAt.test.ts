import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PanelSeries } from '../../../src/vscode/metrics/panelSource.ts';
import { valueAt, valuesAt } from '../../../src/vscode/metrics/valuesAt.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';

const series = (steps: readonly number[], values: readonly number[]): PanelSeries => ({
  steps: Float64Array.from(steps),
  timesMs: Float64Array.from(steps),
  values: Float64Array.from(values),
  startedMs: 0,
});

describe('the values of the table at a step', () => {
  it('are those at the largest step up to it, the last of several', async () => {
    const run = series([10, 20, 20, 30], [4, 3, 2, 1]);
    const at = (step: number) => valueAt(run, step);
    assert.deepEqual(
      [await at(9), await at(10), await at(25), await at(30), await at(1e9)],
      [undefined, 4, 2, 1, 1],
    );
    assert.equal(await valueAt(series([5, 10, 1, 6], [4, 3, 2, 1]), 7), 1, 'a restarted counter');
    assert.equal(await valueAt(series([NaN, NaN, NaN], [4, 3, 2]), 1), 3, 'by position');
  });

  it('have the digits that the run prints, and are mean ± spread of a group', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1', seed: '0' });
    source.addRun({ id: 'r-2', seed: '1' });
    source.setSeries('r-1', 'loss', Float64Array.of(0.512, 0.06, 0.055), 10);
    source.setSeries('r-2', 'loss', Float64Array.of(0.5, 0.08, 0.07), 10);
    const read = (step: number, ...runIds: readonly string[]) =>
      valuesAt(source, { step, metrics: ['loss', 'acc'], items: [{ runIds }] });
    assert.deepEqual(await read(15, 'r-1'), [['0.060', '']]);
    assert.deepEqual(await read(15, 'r-1', 'r-2'), [['0.07 ± 0.0141', '']]);
    assert.deepEqual(await read(-1, 'r-1', 'r-2'), [['', '']]);
    assert.deepEqual(await read(5, 'r-3'), [['', '']]);
  });
});
