/** The columns of the table as the user has arranged them. */
import type { Column } from './columns.ts';
import type { ViewState } from './viewState.ts';

export type ColumnChoice = Pick<ViewState, 'hiddenColumns' | 'columnOrder'>;

/**
 * Returns the columns in the order of the user. A column that the user has not moved stays behind the
 * column that it usually follows.
 */
export function orderedColumns(
  columns: readonly Column[],
  order: readonly string[],
): readonly Column[] {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const ordered = order.flatMap((id) => byId.get(id) ?? []);
  columns.forEach((column, index) => {
    if (order.includes(column.id)) return;
    const before = columns[index - 1];
    ordered.splice(before === undefined ? 0 : ordered.indexOf(before) + 1, 0, column);
  });
  return ordered;
}

/** Returns the columns that the user has not hidden, in the order of the user. */
export const shownColumns = (
  columns: readonly Column[],
  { hiddenColumns, columnOrder }: ColumnChoice,
): readonly Column[] =>
  orderedColumns(columns, columnOrder).filter(({ id }) => !hiddenColumns.includes(id));

/**
 * Returns the order after the column `id` was moved by `distance` places among those that are shown;
 * `undefined` if it is already at the edge.
 */
export function movedBy(
  columns: readonly Column[],
  choice: ColumnChoice,
  { id, distance }: { readonly id: string; readonly distance: number },
): readonly string[] | undefined {
  const shown = shownColumns(columns, choice).map((column) => column.id);
  const at = shown.indexOf(id);
  const target = shown[at + distance];
  return at < 0 || target === undefined
    ? undefined
    : movedTo(columns, choice, { id, target, isAfter: distance > 0 });
}

/** Returns the order after the column `id` was moved before or after the column `target`. */
export function movedTo(
  columns: readonly Column[],
  { columnOrder }: ColumnChoice,
  {
    id,
    target,
    isAfter,
  }: { readonly id: string; readonly target: string; readonly isAfter: boolean },
): readonly string[] {
  const ids = orderedColumns(columns, columnOrder).map((column) => column.id);
  const others = ids.filter((other) => other !== id);
  if (id === target || !ids.includes(id) || !others.includes(target)) return ids;
  const at = others.indexOf(target) + (isAfter ? 1 : 0);
  return [...others.slice(0, at), id, ...others.slice(at)];
}
