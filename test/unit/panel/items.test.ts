import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { drawnItems } from '../../../webview/metrics/drawn.ts';
import { itemsOf } from '../../../webview/metrics/items.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';

const grouped = { isGrouped: true, expanded: [] };

function threeSeeds(): MemoryPanelSource {
  const source = new MemoryPanelSource();
  source.addRun({ id: 'r-1', group: 1, label: 'lr=1 seed=0', machine: 'gpu1' });
  source.addRun({ id: 'r-2', group: 2, label: 'lr=2 seed=0' });
  source.addRun({ id: 'r-3', group: 1, label: 'lr=1 seed=1', machine: 'gpu2', isRunning: true });
  source.groups = [
    {
      number: 1,
      runIds: ['r-1', 'r-3'],
      name: 'runs 1, 3',
      label: 'lr=1',
      metrics: { loss: { last: '0.5 ± 0.1', best: '0.4 ± 0.1' } },
    },
  ];
  return source;
}

describe('items of the metrics panel', () => {
  it('are groups at the place of their first run, and single runs', () => {
    const items = itemsOf(threeSeeds().state(), grouped);
    assert.deepEqual(
      items.map(({ id, name, machine, isRunning }) => [id, name, machine, isRunning]),
      [
        ['group-1', 'runs 1, 3', 'gpu1, gpu2', true],
        ['r-2', 'run 2', 'local', false],
      ],
    );
    assert.deepEqual(items[0]?.runIds, ['r-1', 'r-3']);
    assert.equal(items[0]?.metrics['loss']?.last, '0.5 ± 0.1');
  });

  it('list the runs of an expanded group below it, and all runs without groups', () => {
    const state = threeSeeds().state();
    const ids = (grouping: Parameters<typeof itemsOf>[1]) =>
      itemsOf(state, grouping).map(({ id, position }) => `${id} ${position}`);
    assert.deepEqual(ids({ isGrouped: true, expanded: ['group-1'] }), [
      'group-1 0',
      'r-1 1',
      'r-3 2',
      'r-2 0',
    ]);
    assert.deepEqual(ids({ isGrouped: false, expanded: [] }), ['r-1 0', 'r-2 0', 'r-3 0']);
  });
});

describe('items that the charts draw', () => {
  const source = new MemoryPanelSource();
  for (let number = 1; number <= 40; number++)
    source.addRun({
      id: `r-${number}`,
      isChampion: number === 30,
      isRunning: number === 31,
    });
  const items = itemsOf(source.state(), grouped);
  const ranking = Array.from({ length: 20 }, (_, index) => index + 1);
  const none = { hidden: [], shown: [], pinned: [], isAllDrawn: false };

  it('are champion, running, pinned and the eight best of many', () => {
    const drawn = drawnItems(items, ranking, { ...none, pinned: ['r-40'] });
    const best = ranking.slice(0, 8).map((number) => `r-${number}`);
    assert.deepEqual([...drawn], [...best, 'r-30', 'r-31', 'r-40']);
  });

  it('are those that the user shows, and none that the user hides', () => {
    const drawn = drawnItems(items, ranking, { ...none, shown: ['r-35'], hidden: ['r-1', 'r-30'] });
    assert.deepEqual(
      [drawn.has('r-35'), drawn.has('r-1'), drawn.has('r-30'), drawn.has('r-2')],
      [true, false, false, true],
    );
  });

  it('are all of a few, or of many if the user wants all', () => {
    assert.equal(drawnItems(items.slice(0, 12), [], none).size, 12);
    assert.equal(drawnItems(items, ranking, { ...none, isAllDrawn: true }).size, 40);
    assert.equal(
      drawnItems(items, ranking, { ...none, isAllDrawn: true, hidden: ['r-9'] }).has('r-9'),
      false,
    );
  });
});
