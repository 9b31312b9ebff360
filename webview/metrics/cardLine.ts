import type { Item } from './items.ts';
import type { Series } from './series.ts';
import type { LineStyle } from '../shared/theme.ts';

/** A run, or the mean of a group, as drawn in a card. */
export interface CardLine {
  readonly item: Item;
  readonly style: LineStyle;
  readonly series: Series;
}
