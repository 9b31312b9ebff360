/** What the user has arranged in a page. Kept by VS Code across hiding, reloads and restarts. */
import type { StateStore } from './host.ts';
import type { Range } from './range.ts';

export interface Arranged<Axis extends string> {
  readonly axis: Axis;
  /** Absent for an axis that shows everything. */
  readonly zoom: Readonly<Partial<Record<Axis, Range>>>;
}

/** Every change is saved before anybody hears of it. */
export class ViewStore<State extends Arranged<string>> {
  readonly #store: StateStore<State>;
  readonly #onChange: (state: State, before: State) => void;
  #state: State;

  /** `state` is what was saved before, or the usual. */
  constructor(
    store: StateStore<State>,
    state: State,
    onChange: (state: State, before: State) => void,
  ) {
    this.#store = store;
    this.#onChange = onChange;
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  update(change: Partial<State>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    this.#store.setState(this.#state);
    this.#onChange(this.#state, before);
  }

  /** Absent range: everything is shown again. */
  zoomTo(range: Range | undefined): void {
    const { [this.#state.axis]: _, ...others } = this.#state.zoom;
    this.update({
      zoom: range === undefined ? others : { ...others, [this.#state.axis]: range },
    } as Partial<State>);
  }
}
