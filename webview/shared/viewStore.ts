/** The user's arrangement of a page. Kept by VS Code across hiding, reloads and restarts. */
import type { StateStore } from './host.ts';
import type { Range } from './range.ts';

export interface Arranged<Axis extends string> {
  readonly axis: Axis;
  /** Default: the axis shows everything. */
  readonly zoom: Readonly<Partial<Record<Axis, Range>>>;
}

/** Saves every change before it notifies listeners. */
export class ViewStore<State extends Arranged<string>> {
  readonly #store: StateStore<State>;
  readonly #onChange: (state: State, before: State) => void;
  #state: State;

  /** `state`: the saved state, or the default. */
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

  /** `undefined` shows everything. */
  zoomTo(range: Range | undefined): void {
    const { [this.#state.axis]: _, ...others } = this.#state.zoom;
    this.update({
      zoom: range === undefined ? others : { ...others, [this.#state.axis]: range },
    } as Partial<State>);
  }
}
