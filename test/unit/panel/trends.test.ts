import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { trendsOf } from '../../../src/vscode/metrics/trends.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';

describe('the small curves of the table', () => {
  const source = new MemoryPanelSource();
  source.addRun({ id: 'r-1' });
  source.addRun({ id: 'r-2' });
  source.setSeries('r-1', 'loss', Float64Array.of(4, 2, 1, 1));
  source.setSeries('r-2', 'loss', Float64Array.of(6, Number.NaN, 3, 3));
  const of = async (...runIds: readonly string[]) => {
    const [trend] = await trendsOf(source, { metric: 'loss', items: [{ runIds }], width: 2 });
    return [...(trend ?? [])];
  };

  it('are the means of as many parts as there are pixels', async () => {
    assert.deepEqual(await of('r-1'), [3, 1]);
    assert.deepEqual(await of('r-2'), [Number.NaN, 3]);
  });

  it('are the mean of a group, and empty without values', async () => {
    assert.deepEqual((await of('r-1', 'r-2')).at(-1), 2);
    assert.deepEqual(await of('r-3'), []);
  });
});
