import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { movedBy, movedTo, shownColumns } from '../../../webview/metrics/columnOrder.ts';

const columns = ['a', 'b', 'c', 'd'].map((id) => ({
  id,
  title: id,
  isNumber: false,
  text: () => '',
}));
const idsOf = (columnOrder: readonly string[], hiddenColumns: readonly string[] = []) =>
  shownColumns(columns, { columnOrder, hiddenColumns })
    .map(({ id }) => id)
    .join('');

describe('the order of the columns of the table', () => {
  it('is the usual one, without hidden columns', () => {
    assert.equal(idsOf([]), 'abcd');
    assert.equal(idsOf([], ['b', 'gone']), 'acd');
  });

  it('is that of the user; a new column follows the one that it usually follows', () => {
    assert.equal(idsOf(['d', 'c', 'b', 'a']), 'dcba');
    assert.equal(idsOf(['gone', 'd', 'b', 'a']), 'dbca');
    assert.equal(idsOf(['c', 'b']), 'acdb');
  });

  it('changes by moves among the columns that are shown', () => {
    const usual = { columnOrder: [], hiddenColumns: ['b'] };
    assert.deepEqual(movedBy(columns, usual, { id: 'c', distance: -1 }), ['c', 'a', 'b', 'd']);
    assert.deepEqual(movedBy(columns, usual, { id: 'a', distance: 1 }), ['b', 'c', 'a', 'd']);
    assert.equal(movedBy(columns, usual, { id: 'a', distance: -1 }), undefined);
    assert.equal(movedBy(columns, usual, { id: 'd', distance: 1 }), undefined);
    assert.equal(movedBy(columns, usual, { id: 'b', distance: 1 }), undefined, 'hidden');
  });

  it('changes by a drag before or after another column', () => {
    const usual = { columnOrder: [], hiddenColumns: [] };
    const to = (id: string, target: string, isAfter: boolean) =>
      movedTo(columns, usual, { id, target, isAfter }).join('');
    assert.deepEqual(
      [to('a', 'd', true), to('d', 'a', false), to('b', 'b', true), to('x', 'a', true)],
      ['bcda', 'dabc', 'abcd', 'abcd'],
    );
  });
});
