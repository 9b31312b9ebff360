import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { PanelState } from '../../../src/protocol/metricsPanel.ts';
import { sortItems, wideColumns } from '../../../webview/metrics/columns.ts';
import { matches, numberIn, readFilter, unknownNames } from '../../../webview/metrics/filter.ts';
import { itemsOf, type Item } from '../../../webview/metrics/items.ts';
import { isSection, sectionColumns, sectioned } from '../../../webview/metrics/tableSections.ts';
import { sectionsOf } from '../../../webview/metrics/sections.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';

/** Three runs and a group of two. */
function table(): { readonly state: PanelState; readonly items: readonly Item[] } {
  const source = new MemoryPanelSource();
  const value = (loss: string) => ({ loss: { last: loss, best: loss, points: 3 } });
  source.addRun({
    id: 'r-1',
    parameters: { lr: '0.001', model: 'gpt', depth: '6' },
    metrics: value('0.9'),
    durationMs: 61_000,
    usd: 0.5,
    tags: ['good', 'baseline'],
    note: 'needs a longer warmup',
    code: '9fceb02',
  });
  source.addRun({
    id: 'r-2',
    parameters: { lr: '1e-4', model: 'mlp', depth: '6' },
    metrics: value('NaN'),
    status: 'failed (exit code 1)',
  });
  source.addRun({ id: 'r-3', group: 3, parameters: { lr: '0.01', depth: '6' }, durationMs: 1000 });
  source.addRun({ id: 'r-4', group: 3, parameters: { lr: '0.01', depth: '6' }, durationMs: 2000 });
  source.groups = [
    {
      number: 3,
      runIds: ['r-3', 'r-4'],
      name: 'runs 3, 4',
      label: 'lr=0.01',
      metrics: { loss: { last: '0.5 ± 0.1', best: '0.5 ± 0.1' } },
    },
  ];
  source.metrics = [{ name: 'loss', direction: 'lower' }];
  source.decisive = { metric: 'loss', rule: 'last', champion: 0.5, pooled: 0.1 };
  const state = source.state();
  return { state, items: itemsOf(state, { isGrouped: true, expanded: ['group-3'] }) };
}

const { state, items } = table();
const idsOf = (shown: readonly Item[]): readonly string[] => shown.map(({ id }) => id);

describe('the filter of the table', () => {
  for (const [filter, expected] of Object.entries({
    'lr<=0.001': ['r-1', 'r-2'],
    'lr<0.001': ['r-2'],
    'loss<1': ['r-1', 'group-3'],
    'loss>=0.9': ['r-1'],
    'lr!=0.01 model=gpt': ['r-1'],
    'lr=1E-4': ['r-2'],
    'status:failed': ['r-2'],
    'status:"exit code 1"': ['r-2'],
    'depth=6 run': ['r-1', 'r-2', 'group-3', 'r-3', 'r-4'],
    'MODEL:MLP': ['r-2'],
    'tag:good': ['r-1'],
    'tag=base': [],
    'tag!=good depth=6': ['r-2', 'group-3', 'r-3', 'r-4'],
    'note:"longer warmup"': ['r-1'],
    'note:none': [],
    'warmup 1': ['r-1'],
    'code=9fceb02': ['r-1'],
    'model<3': [],
    'model:': ['r-1', 'r-2', 'group-3', 'r-3', 'r-4'],
  }))
    it(`finds what ${filter} names`, () =>
      assert.deepEqual(idsOf(items.filter((item) => matches(item, readFilter(filter)))), expected));

  it('names what no run has', () => {
    assert.deepEqual(unknownNames(items, readFilter('lrr<1 lr<1')), ['lrr']);
  });

  it('reads the number of a mean, and of values that are not finite', () => {
    assert.equal(numberIn('0.5 ± 0.1'), 0.5);
    assert.equal(numberIn('-Inf'), -Infinity);
    assert.ok(Number.isNaN(numberIn('')) && Number.isNaN(numberIn('1.5 GB')));
  });
});

describe('the columns of the table', () => {
  const columns = wideColumns(state, items);
  const cell = (id: string, item: number): string =>
    columns.find((column) => column.id === id)?.text(items[item] as Item) ?? 'no such column';

  it('are the parameters that differ, values, differences and facts', () => {
    assert.deepEqual(
      columns.map(({ title }) => title),
      [
        'lr',
        'model',
        'loss',
        'loss (best)',
        'Trend',
        'Δ champion',
        'Δ in σ',
        'Tags',
        'Note',
        'Machine',
        'Time',
        'Cost',
        'Code',
      ],
    );
  });

  it('show the difference from the champion in units and in σ', () => {
    assert.deepEqual([cell('difference', 0), cell('sigma', 0)], ['+0.4', '+4.0']);
    assert.deepEqual([cell('difference', 1), cell('sigma', 1)], ['', '']);
    assert.deepEqual([cell('difference', 2), cell('sigma', 2)], ['0', '0.0']);
  });

  it('have no σ where no setting has two seeds', () => {
    const decisive = { metric: 'loss', rule: 'last', champion: 0.5 } as const;
    const ids = wideColumns({ ...state, decisive }, items).map(({ id }) => id);
    assert.ok(ids.includes('difference') && !ids.includes('sigma'));
  });

  it('compare no run of another session with the champion', () => {
    const other = { ...(items[0] ?? assert.fail()), isOther: true as const, session: 'Night 1' };
    const shown = wideColumns(state, [other, ...items]);
    const textOf = (id: string) => shown.find((column) => column.id === id)?.text(other);
    assert.deepEqual(
      [textOf('session'), textOf('difference'), textOf('sigma')],
      ['Night 1', '', ''],
    );
    assert.equal(matches(other, readFilter('session:night')), true);
  });

  it('add the durations and the cost of a group', () => {
    assert.deepEqual([cell('duration', 2), cell('cost', 0), cell('cost', 2)], ['3 s', '$0.50', '']);
  });

  for (const [column, isDescending, expected] of [
    ['parameter lr', false, ['r-2', 'r-1', 'group-3', 'r-3', 'r-4']],
    ['parameter lr', true, ['group-3', 'r-3', 'r-4', 'r-1', 'r-2']],
    ['last loss', false, ['group-3', 'r-3', 'r-4', 'r-1', 'r-2']],
    ['last loss', true, ['r-1', 'group-3', 'r-3', 'r-4', 'r-2']],
    ['parameter model', true, ['r-2', 'r-1', 'group-3', 'r-3', 'r-4']],
    ['duration', true, ['r-1', 'group-3', 'r-3', 'r-4', 'r-2']],
    ['gone', true, ['r-1', 'r-2', 'group-3', 'r-3', 'r-4']],
  ] as const)
    it(`sort by ${column}${isDescending ? ', descending' : ''}, without a value last`, () =>
      assert.deepEqual(idsOf(sortItems(items, columns, { column, isDescending })), expected));
});

describe('the sections of the table', () => {
  const columns = wideColumns(state, items);
  const by = (id: string, closed: readonly string[] = []) => {
    const column = sectionColumns(columns).find((one) => one.id === id) ?? assert.fail();
    return sectioned(items, column, closed).map((row) =>
      isSection(row) ? `${row.title} (${row.count})` : row.id,
    );
  };

  it('are the values of a parameter, with the runs of a group below it', () => {
    assert.deepEqual(by('parameter model'), [
      ...['model = gpt (1)', 'r-1', 'model = mlp (1)', 'r-2'],
      ...['model = none (1)', 'group-3', 'r-3', 'r-4'],
    ]);
  });

  it('list nothing while they are closed', () => {
    assert.deepEqual(by('tags', ['']), ['Tags = good baseline (1)', 'r-1', 'Tags = none (2)']);
  });

  it('are not made of values', () => {
    const ids = sectionColumns(columns).map(({ id }) => id);
    assert.deepEqual(ids, ['parameter lr', 'parameter model', 'tags', 'machine', 'code']);
  });
});

describe('the sections of charts', () => {
  const many = ['loss', 'lr', ...Array.from({ length: 8 }, (_, index) => `eval/task${index}/acc`)];

  it('are the parts of names before the last slash, of many metrics', () => {
    assert.deepEqual(
      sectionsOf([...many, 'eval/loss', 'eval/task0/f1'], '').map(({ name, metrics }) => [
        name,
        metrics.length,
      ]),
      [
        ['', 2],
        ...Array.from({ length: 8 }, (_, index) => [`eval/task${index}`, index === 0 ? 2 : 1]),
        ['eval', 1],
      ],
    );
  });

  it('are apart for the resources that Helios measures, also of a few metrics', () => {
    assert.deepEqual(sectionsOf(['loss', 'System/machine CPU (%)'], ''), [
      { name: '', metrics: ['loss'] },
      { name: 'System', metrics: ['System/machine CPU (%)'] },
    ]);
    assert.deepEqual(sectionsOf(['loss', 'System/machine CPU (%)'], 'cpu'), [
      { name: 'System', metrics: ['System/machine CPU (%)'] },
    ]);
  });

  it('are one section of a few metrics', () => {
    assert.deepEqual(sectionsOf(['loss', 'val/loss'], ''), [
      { name: '', metrics: ['loss', 'val/loss'] },
    ]);
  });

  it('have only metrics whose names contain every word', () => {
    assert.deepEqual(sectionsOf(many, 'ACC task3'), [
      { name: 'eval/task3', metrics: ['eval/task3/acc'] },
    ]);
    assert.deepEqual(sectionsOf(many, 'nothing'), []);
  });
});
