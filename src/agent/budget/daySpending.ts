/**
 * Today's spending of all sessions of a home, in all processes. A session does not reserve the cost
 * of a call before the call: when two sessions make calls at the same time, they can together
 * exceed a limit of the day.
 */
import type { Clock } from '../../base/clock.ts';
import type { Home } from '../../storage/home.ts';
import type { Spent } from '../contract/budget.ts';
import { sessionIds } from '../journal/sessionIds.ts';
import { JournalSpending } from './journalSpending.ts';
import { startOfDay } from './measures.ts';

export class DaySpending {
  readonly #home: Home;
  readonly #clock: Clock;
  #dayMs = 0;
  #spending: JournalSpending;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(home: Home, clock: Clock) {
    this.#home = home;
    this.#clock = clock;
    this.#spending = new JournalSpending(home, 0);
  }

  /**
   * Resolves with today's spending, summed over the journals that exist: the spending of removed
   * sessions is not included. Rejects with `UserFacing` when a journal cannot be read.
   */
  spent(): Promise<Spent> {
    const spent = this.#reading.then(() => this.#refreshed());
    this.#reading = spent.catch(() => undefined);
    return spent;
  }

  async #refreshed(): Promise<Spent> {
    const dayMs = startOfDay(this.#clock.now());
    if (dayMs !== this.#dayMs) this.#spending = new JournalSpending(this.#home, dayMs);
    this.#dayMs = dayMs;
    return this.#spending.of(await sessionIds(this.#home));
  }
}
