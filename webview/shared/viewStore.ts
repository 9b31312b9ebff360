/**
 * The view state of a page: how the user has arranged it. VS Code restores this state after the
 * page was hidden or reloaded, and after a restart.
 */
import type { StateStore } from './host.ts';
import type { Range } from './range.ts';

export interface Arranged<Axis extends string> {
  readonly axis: Axis;
  /** Shown part of each axis. Default: the whole axis. */
  readonly zoom: Readonly<Partial<Record<Axis, Range>>>;
}

/** Holds the view state of a page. Saves each change before it calls `onChange`. */
export class ViewStore<State extends Arranged<string>> {
  readonly #store: StateStore<State>;
  readonly #onChange: (state: State, before: State) => void;
  #state: State;

  /** `state`: the saved state, or the default if nothing was saved. */
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
    this.replace({ ...this.#state, ...change });
  }

  replace(state: State): void {
    const before = this.#state;
    this.#state = state;
    this.#store.setState(this.#state);
    this.#onChange(this.#state, before);
  }

  /** Zooms an axis to a range; `undefined` shows the whole axis. */
  zoomTo(range: Range | undefined, axis: string = this.#state.axis): void {
    const { [axis]: _, ...others } = this.#state.zoom;
    this.update({
      zoom: range === undefined ? others : { ...others, [axis]: range },
    } as Partial<State>);
  }
}
