/**
 * Limits are checked here and nowhere else, before the call that costs. Goal and day are hard: no
 * call is made that could pass them. An experiment has an allowance: when it is over the model is
 * told once, and must launch the next one.
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
  /** Of all sessions of the home, as of now. */
  today(): Promise<Spent>;
  /** Of the sessions that this one started, down to the last, as of now. */
  children(): Promise<Spent>;
  /** Names of the runs that go on, such as `run 3`. */
  going(): readonly string[];
  end(reason: EndReason, summary: string): Promise<void>;
}

/** A call to a model: by whom, how large its request is, and how long its reply may be at most. */
export interface PlannedCall {
  readonly provider: string;
  readonly model: string;
  readonly contextTokens: number;
  readonly maxOutputTokens?: number | undefined;
}

/** Where the size of a reply is not limited by its model either. */
const usualMaxOutputTokens = 32_000;

export class BudgetGuard {
  readonly #deps: BudgetGuardDeps;

  constructor(deps: BudgetGuardDeps) {
    this.#deps = deps;
  }

  /**
   * Tells what has been passed since it last looked. True when the session was ended for a limit
   * that is used up.
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
   * The request, with a reply no longer than the limits pay for. `undefined` when the session was
   * ended instead.
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
        await this.#deps.end('budget', `Stopped: a limit of money cannot be kept. ${found.why}`);
        return undefined;
    }
  }

  /**
   * What the limits say of a call before it is made; `undefined` where neither money nor tokens are
   * limited.
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

  /** All limits as they stand now. */
  async measures(): Promise<Measure[]> {
    const { log, clock } = this.#deps;
    const dayLimits = this.#deps.dayLimits();
    const isDayLimited = dayLimits !== undefined && Object.keys(dayLimits).length > 0;
    const today = isDayLimited ? await this.#deps.today() : nothingSpent;
    const children = log.state.children.length > 0 ? await this.#deps.children() : nothingSpent;
    return measuresOf({ state: log.state, dayLimits, today, children, nowMs: clock.now() });
  }

  /**
   * The allowance of the experiment, when it was over so many turns ago that nothing will come of
   * it.
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

  /** What a plan covers costs nobody anything: without a price it is not counted. */
  #isPriced(provider: string, model: string): boolean {
    if (this.#deps.provider(provider).billing !== 'plan') return true;
    return (
      'usd' in
      worstCaseUsd(provider, model, { contextTokens: 0, maxOutputTokens: 0 }, this.#deps.prices())
    );
  }

  #longestReply(provider: string, id: string): number {
    const known = this.#deps
      .provider(provider)
      .models()
      .find((model) => model.id === id);
    return Math.min(known?.maxOutputTokens ?? usualMaxOutputTokens, usualMaxOutputTokens);
  }

  async #endShort({ measure, needs }: Extract<Affordable, { kind: 'over' }>): Promise<void> {
    const { log, clock } = this.#deps;
    // What is left is of no use: the limit is as good as reached.
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
