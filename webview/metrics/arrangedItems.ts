import type { PanelState } from '../../src/protocol/metricsPanel.ts';
import { itemList, type ItemList } from './itemList.ts';
import type { StepValues } from './stepValues.ts';
import type { ViewState } from './viewState.ts';

interface Arranged {
  readonly state: PanelState;
  readonly view: ViewState;
  readonly version: number;
  readonly list: ItemList;
}

/** Arranges the items, once for each state, view and set of values at a step. */
export class ArrangedItems {
  readonly #steps: StepValues;
  #last: Arranged | undefined;

  constructor(steps: StepValues) {
    this.#steps = steps;
  }

  /** `metric`: that of the narrow table. */
  of(state: PanelState, view: ViewState, metric: string): ItemList {
    const { version } = this.#steps;
    const last = this.#last;
    if (last?.state === state && last.view === view && last.version === version) return last.list;
    const list = itemList(state, view, {
      metric,
      valueAt: (item, name) => this.#steps.of(item, name),
    });
    this.#last = { state, view, version, list };
    const names = state.metrics.map(({ name }) => name);
    this.#steps.want(view.isTable ? view.atStep : undefined, names, list.all);
    return list;
  }
}
