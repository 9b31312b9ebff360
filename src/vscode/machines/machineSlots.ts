/** How many places for runs are taken on each machine, whoever took them. */
import type { Clock } from '../../base/clock.ts';
import type { Machine } from '../../machines/machine.ts';
import { freeSlots } from '../../compose/machineSlots.ts';

/** As with samples: older than this, it says nothing of the present. */
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

  /** `undefined`: the machine was not asked lately, or did not answer. */
  held(machineId: string): number | undefined {
    const known = this.#held.get(machineId);
    return known && this.#clock.now() - known.atMs <= staleMs ? known.count : undefined;
  }

  /** Asks the machine, unless it has no bound or is being asked. Never rejects. */
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
      // It says so by its status, too.
      this.#held.delete(id);
    } finally {
      this.#asking.delete(id);
    }
    if (this.held(id) !== before) this.#onNews();
  }
}
