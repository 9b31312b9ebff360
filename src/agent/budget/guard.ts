/**
 * Enforces all limits, before each paid call. Limits of the goal and the day are hard: a call that
 * could exceed such a limit is not made. The limits of an experiment are an allowance: when one of
 * them is used up, the model is notified once and has to launch the next experiment within
 * `graceTurns` turns, else the session ends.
 */
import type { Clock } from '../../base/clock.ts';
import type { ModelProvider, ModelRequest } from '../../models/model.ts';
import { worstCaseUsd, type PriceTable } from '../../models/prices.ts';
import type { EndReason } from '../journal/events.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import {
  currentAllowance,
  isHard,
  isUsedUp,
  measuresOf,
  nothingSpent,
  type DayLimits,
  type Measure,
} from './measures.ts';
import type { Spent } from '../contract/budget.ts';
import { affordable, type Affordable } from './nextCall.ts';
import { dueNotices, endSummary, graceTurns, noticeOf, type Ending } from './notices.ts';

export interface BudgetGuardDeps {
  readonly log: SessionLog;
  readonly clock: Clock;
  provider(id: string): ModelProvider;
  prices(): PriceTable;
  dayLimits(): DayLimits | undefined;
  /** Resolves with today's spending of all sessions of the home. */
  today(): Promise<Spent>;
  /**
   * Resolves with the spending of all descendants of this session: the sessions that it started,
   * the sessions that its child sessions started, and so on.
   */
  children(): Promise<Spent>;
  /** See `Standstills.look`. */
  look(): Promise<void> | undefined;
  /** Returns the names of the active runs, such as `run 3`. */
  going(): readonly string[];
  end(reason: EndReason, summary: string): Promise<void>;
}

/** A model call: its model, the size of its request, and the maximum size of its reply. */
export interface PlannedCall {
  readonly provider: string;
  readonly model: string;
  readonly contextTokens: number;
  readonly maxOutputTokens?: number | undefined;
}

/**
 * Maximum output tokens of a reply when the call sets no maximum. The limit of the model applies if
 * it is lower.
 */
const usualMaxOutputTokens = 32_000;

export class BudgetGuard {
  readonly #deps: BudgetGuardDeps;

  constructor(deps: BudgetGuardDeps) {
    this.#deps = deps;
  }

  /**
   * Records a notice for each limit whose use has newly reached 50, 80 or 100 %. Resolves with true
   * when this method ended the session: because a limit of the goal or the day is used up, or
   * because the model launched nothing for `graceTurns` turns after a limit of the experiment was
   * used up.
   */
  async endsNow(): Promise<boolean> {
    const { log, clock } = this.#deps;
    const measures = await this.measures();
    for (const notice of dueNotices(measures, {
      state: log.state,
      events: log.events,
      nowMs: clock.now(),
    }))
      await log.record(notice);
    const measure =
      measures.find((one) => isHard(one) && isUsedUp(one)) ?? this.#overstayed(measures);
    if (measure !== undefined) await this.#end({ measure });
    return measure !== undefined;
  }

  /**
   * Resolves with the request, its maximum reply reduced to what the limits allow. Resolves with
   * `undefined` after ending the session, because the limits allow no useful reply or because a
   * money limit applies and the price of the call is unknown.
   */
  async fitted(request: ModelRequest, contextTokens: number): Promise<ModelRequest | undefined> {
    const { model, maxOutputTokens } = request;
    const { provider } = this.#deps.log.state;
    const found = await this.affordable({ provider, model, contextTokens, maxOutputTokens });
    switch (found?.kind) {
      case undefined:
        return request;
      case 'fits':
        return { ...request, maxOutputTokens: found.maxOutputTokens };
      case 'over':
        await this.#endShort(found);
        return undefined;
      case 'unpriced':
        await this.#deps.end('budget', `Stopped: a money limit cannot be enforced. ${found.why}`);
        return undefined;
    }
  }

  /**
   * Checks a call against the limits before the call is made. Resolves with `undefined` when
   * neither money nor tokens are limited.
   */
  async affordable(call: PlannedCall): Promise<Affordable | undefined> {
    const { provider, model, contextTokens } = call;
    const isCounted = ({ limit }: Measure): boolean =>
      limit === 'tokens' || (limit === 'usd' && this.#isPriced(provider, model));
    const measures = (await this.measures()).filter(isCounted);
    if (measures.length === 0) return undefined;
    const maxOutputTokens = call.maxOutputTokens ?? this.#longestReply(provider, model);
    const prices = this.#deps.prices();
    const worstCost = (outputTokens: number): ReturnType<typeof worstCaseUsd> =>
      worstCaseUsd(provider, model, { contextTokens, maxOutputTokens: outputTokens }, prices);
    return affordable(measures, { contextTokens, maxOutputTokens, worstCost });
  }

  /** Resolves with all limits, each with how much of the limit is used. */
  async measures(): Promise<Measure[]> {
    const { log, clock } = this.#deps;
    await this.#deps.look();
    const dayLimits = this.#deps.dayLimits();
    const isDayLimited = dayLimits !== undefined && Object.keys(dayLimits).length > 0;
    const today = isDayLimited ? await this.#deps.today() : nothingSpent;
    const children = log.state.children.length > 0 ? await this.#deps.children() : nothingSpent;
    return measuresOf({ state: log.state, dayLimits, today, children, nowMs: clock.now() });
  }

  /**
   * Returns the used-up limit of the experiment when the model has had all `graceTurns` since the
   * allowance was used up; else `undefined`.
   */
  #overstayed(measures: readonly Measure[]): Measure | undefined {
    const experiment = currentAllowance(this.#deps.log.state);
    if (
      experiment?.overAtTurns === undefined ||
      experiment.turns - experiment.overAtTurns < graceTurns
    )
      return undefined;
    return measures.find((one) => !isHard(one) && isUsedUp(one));
  }

  /**
   * Returns whether limits in dollars apply to calls of the model. They apply to all calls except
   * those that the user's plan covers and whose price is unknown: such calls are not billed.
   */
  #isPriced(provider: string, model: string): boolean {
    if (this.#deps.provider(provider).billing !== 'plan') return true;
    return (
      'usd' in
      worstCaseUsd(provider, model, { contextTokens: 0, maxOutputTokens: 0 }, this.#deps.prices())
    );
  }

  #longestReply(provider: string, id: string): number {
    const description = this.#deps
      .provider(provider)
      .models()
      .find((model) => model.id === id);
    return Math.min(description?.maxOutputTokens ?? usualMaxOutputTokens, usualMaxOutputTokens);
  }

  async #endShort({ measure, needs }: Extract<Affordable, { kind: 'over' }>): Promise<void> {
    const { log, clock } = this.#deps;
    // The remainder is too small for a reply, so the limit is reported as used up.
    const reached = { ...measure, used: measure.of };
    const isDue =
      dueNotices([reached], { state: log.state, events: log.events, nowMs: clock.now() }).length >
      0;
    if (isDue) await log.record(noticeOf(measure, 100));
    await this.#end({ measure, needs });
  }

  #end(ending: Ending): Promise<void> {
    return this.#deps.end('budget', endSummary(ending, this.#deps.log.state, this.#deps.going()));
  }
}
