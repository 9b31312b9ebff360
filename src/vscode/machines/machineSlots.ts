/** Number of run slots in use on each machine, counting all windows and users. */
import type { Clock } from '../../base/clock.ts';
import type { Machine } from '../../machines/machine.ts';
import { freeSlots } from '../../compose/machineSlots.ts';

/** Age above which a number of slots is outdated; the same as for resource samples. */
const staleMs = 30_000;

export class MachineSlots {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #held = new Map<string, { readonly count: number; readonly atMs: number }>();
  readonly #pendingIds = new Set<string>();

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Returns the number of slots in use; `undefined` if the last answer is outdated or missing. */
  held(machineId: string): number | undefined {
    const answer = this.#held.get(machineId);
    return answer && this.#clock.now() - answer.atMs <= staleMs ? answer.count : undefined;
  }

  /**
   * Requests the number of free slots from the machine. Does nothing if the machine has no limit of
   * runs or a request is pending. Never rejects.
   */
  async refresh(machine: Machine): Promise<void> {
    const { id, share } = machine;
    if (share?.slots === undefined || this.#pendingIds.has(id)) return;
    this.#pendingIds.add(id);
    const before = this.held(id);
    try {
      const { slots } = await freeSlots(machine);
      if (slots !== undefined)
        this.#held.set(id, { count: slots.total - slots.free, atMs: this.#clock.now() });
    } catch {
      // Ignore the error, because the machine's status shows it.
      this.#held.delete(id);
    } finally {
      this.#pendingIds.delete(id);
    }
    if (this.held(id) !== before) this.#onChange();
  }
}
