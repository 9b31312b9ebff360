/** Chooses which of many rows a page shows, so that it does not become too large. */
import type { Html } from './html.ts';

export interface Row {
  readonly html: Html;
  /** True for a row that is shown before all others, such as that of the champion. */
  readonly isImportant?: boolean;
}

export interface Fitted {
  /** The rows that fit, in their order. */
  readonly rows: readonly Html[];
  readonly omitted: number;
}

export const byteLength = (text: string): number => Buffer.byteLength(text);

/** Chooses important rows first, then the newest, which are last. */
export function fitted(rows: readonly Row[], maxBytes: number): Fitted {
  const order = [...rows.keys()].toSorted(
    (a, b) => Number(isImportant(rows[b])) - Number(isImportant(rows[a])) || b - a,
  );
  const chosen = new Set<number>();
  let bytes = 0;
  for (const index of order) {
    bytes += byteLength(rows[index]?.html.text ?? '') + 1;
    if (bytes > maxBytes) break;
    chosen.add(index);
  }
  return {
    rows: rows.filter((_, index) => chosen.has(index)).map(({ html }) => html),
    omitted: rows.length - chosen.size,
  };
}

const isImportant = (row: Row | undefined): boolean => row?.isImportant === true;
