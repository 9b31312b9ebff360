/** Number of run slots in use on each machine, counting all windows and users. */
import type { Clock } from '../../base/clock.ts';
import type { Machine } from '../../machines/machine.ts';
import { freeSlots } from '../../compose/machineSlots.ts';

/** Age above which a number is outdated; the same as for resource samples. */
const staleMs = 30_000;

export class MachineSlots {
  readonly #clock: Clock;
  readonly #onNews: () => void;
  readonly #held = new Map<string, { readonly count: number; readonly atMs: number }>();
  readonly #asking = new Set<string>();

  constructor(clock: Clock, onNews: () => void) {
    this.#clock = clock;
    this.#onNews = onNews;
  }

  /** Returns the number of slots in use; `undefined` without a recent answer. */
  held(machineId: string): number | undefined {
    const known = this.#held.get(machineId);
    return known && this.#clock.now() - known.atMs <= staleMs ? known.count : undefined;
  }

  /**
   * Asks the machine for its free slots, unless it has no limit or a request is pending. Never
   * rejects.
   */
  async refresh(machine: Machine): Promise<void> {
    const { id, share } = machine;
    if (share?.slots === undefined || this.#asking.has(id)) return;
    this.#asking.add(id);
    const before = this.held(id);
    try {
      const { slots } = await freeSlots(machine);
      if (slots !== undefined)
        this.#held.set(id, { count: slots.total - slots.free, atMs: this.#clock.now() });
    } catch {
      // Not reported here: the machine's status shows the failure.
      this.#held.delete(id);
    } finally {
      this.#asking.delete(id);
    }
    if (this.held(id) !== before) this.#onNews();
  }
}
