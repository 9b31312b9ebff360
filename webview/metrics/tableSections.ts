/** The sections of the table: the items with the same value in a column. */
import type { Column } from './columns.ts';
import type { Item } from './items.ts';

export interface TableSection {
  /** Id of the section in the table: `section 0.001`. */
  readonly sectionId: string;
  /** Value of the column; empty for none. */
  readonly value: string;
  readonly title: string;
  /** Number of items, without the runs of expanded groups. */
  readonly count: number;
  readonly isOpen: boolean;
}

export type ListedRow = Item | TableSection;

export const isSection = (row: ListedRow): row is TableSection => 'sectionId' in row;

const sectioning = /^(?:parameter |tags$|machine$|code$|session$)/;

/** Returns the columns by whose values the table can be divided. */
export const sectionColumns = (columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ id }) => sectioning.test(id));

/**
 * Divides the items into sections by their value in the column, in the order of their first items;
 * the section without a value is last. The runs of an expanded group stay below it. The items of a
 * closed section are left out.
 */
export function sectioned(
  items: readonly Item[],
  column: Column,
  closed: readonly string[],
): readonly ListedRow[] {
  const sections = new Map<string, Item[]>();
  let value = '';
  for (const item of items) {
    if (item.position === 0) value = column.text(item);
    const members = sections.get(value);
    if (members === undefined) sections.set(value, [item]);
    else members.push(item);
  }
  const none = sections.get('');
  sections.delete('');
  if (none !== undefined) sections.set('', none);
  return [...sections].flatMap(([text, members]): readonly ListedRow[] => {
    const isOpen = !closed.includes(text);
    const section = {
      sectionId: `section ${text}`,
      value: text,
      title: `${column.title} = ${text === '' ? 'none' : text}`,
      count: members.filter(({ position }) => position === 0).length,
      isOpen,
    };
    return [section, ...(isOpen ? members : [])];
  });
}
