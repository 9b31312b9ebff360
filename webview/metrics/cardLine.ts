import type { PanelRun } from '../../src/protocol/metricsPanel.ts';
import type { Series } from './series.ts';
import type { LineStyle } from '../shared/theme.ts';

/** A run as drawn in a card. */
export interface CardLine {
  readonly run: PanelRun;
  readonly style: LineStyle;
  readonly series: Series;
}
