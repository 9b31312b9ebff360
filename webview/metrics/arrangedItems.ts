import type { PanelState } from '../../src/protocol/metricsPanel.ts';
import { wideColumns, type Column } from './columns.ts';
import { itemList, type ItemList, type ListOptions } from './itemList.ts';
import { itemsOf, type Item } from './items.ts';
import type { StepValues } from './stepValues.ts';
import type { ViewState } from './viewState.ts';

/** Arranges the items. Each part is computed only when what it depends on has changed. */
export class ArrangedItems {
  readonly #steps: StepValues;
  readonly #items = latest((state: PanelState, isGrouped: boolean, expanded: readonly string[]) =>
    itemsOf(state, { isGrouped, expanded }),
  );
  readonly #at = latest((step: number | undefined, _version: number) =>
    step === undefined
      ? undefined
      : { step, of: (item: Item, metric: string) => this.#steps.of(item, metric) },
  );
  readonly #columns = latest(wideColumns);
  readonly #options = latest(
    (metric: string, all: readonly Item[], allColumns: readonly Column[]): ListOptions => ({
      metric,
      all,
      allColumns,
    }),
  );
  readonly #list = latest(itemList);

  constructor(steps: StepValues) {
    this.#steps = steps;
  }

  /** `metric`: that of the narrow table. */
  of(state: PanelState, view: ViewState, metric: string): ItemList {
    const all = this.#items(state, view.isGrouped, view.expanded);
    const step = view.isTable ? view.atStep : undefined;
    const at = this.#at(step, this.#steps.version);
    const columns = view.isTable ? this.#columns(state, all, at) : noColumns;
    const names = state.metrics.map(({ name }) => name);
    this.#steps.want(step, names, all);
    return this.#list(state, view, this.#options(metric, all, columns));
  }
}

const noColumns: readonly Column[] = [];

/** Returns the function, which computes again only for other arguments than the last ones. */
function latest<Args extends readonly unknown[], Result>(
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly args: Args; readonly result: Result } | undefined;
  return (...args) => {
    const known = last;
    if (known?.args.every((arg, index) => arg === args[index]) === true) return known.result;
    last = { args, result: compute(...args) };
    return last.result;
  };
}
