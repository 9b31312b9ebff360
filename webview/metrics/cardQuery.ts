import type { SeriesQuery, XAxis } from '../../src/protocol/metricsPanel.ts';
import type { Card } from './card.ts';
import type { Item } from './items.ts';
import type { ViewState } from './viewState.ts';

interface Chart {
  readonly metric: string;
  readonly axis: XAxis;
  readonly view: ViewState;
}

/**
 * Returns the query for a series. If the user has zoomed in, the query also covers one width of the
 * shown range on each side, so that points are already loaded when the user pans.
 */
export function cardQuery(
  { runIds }: Item,
  { pixels }: Card,
  { metric, axis, view: { smoothing, zoom } }: Chart,
): SeriesQuery {
  const range = zoom[axis];
  const base = { runIds, metric, axis, ...(smoothing > 0 && { smoothing }) };
  if (range === undefined) return { ...base, pixels };
  const room = range.to - range.from;
  return { ...base, from: range.from - room, to: range.to + room, pixels: pixels * 3 };
}
