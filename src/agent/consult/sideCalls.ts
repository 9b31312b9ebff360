/**
 * Model calls outside the conversation. A call is made only when the limits cover its highest
 * possible cost, and its actual cost is recorded.
 */
import { ToolFailure } from '../../base/errors.ts';
import {
  contextTokens,
  type ModelProvider,
  type Readiness,
  type Usage,
} from '../../models/model.ts';
import type { Cost } from '../../models/prices.ts';
import type { Affordable } from '../budget/nextCall.ts';
import type { PlannedCall } from '../budget/guard.ts';
import type { SessionEvent } from '../journal/events.ts';

export interface SideCallDeps {
  readonly budget: { affordable(call: PlannedCall): Promise<Affordable | undefined> };
  cost(provider: string, call: SideCall): Cost;
  record(event: SessionEvent): Promise<void>;
}

export interface SideCall {
  readonly model: string;
  /** Usage summed over all attempts at the call. */
  readonly usage: Usage;
  /** Number of web searches that the provider made. */
  readonly searches?: number;
}

export type SideCallPurpose = Extract<SessionEvent, { type: 'model.consulted' }>['purpose'];

export class SideCalls {
  readonly #deps: SideCallDeps;

  constructor(deps: SideCallDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with the maximum length of the reply in tokens: as many as the limits cover or, when
   * no limit applies, `call.maxOutputTokens`. Rejects with `ToolFailure` when the limits do not
   * cover any reply.
   */
  async longestReply(call: PlannedCall): Promise<number | undefined> {
    const found = await this.#deps.budget.affordable(call);
    switch (found?.kind) {
      case undefined:
        return call.maxOutputTokens;
      case 'fits':
        return found.maxOutputTokens;
      case 'over':
        throw new ToolFailure(
          'The remaining budget does not cover this call. Continue without it.',
        );
      case 'unpriced':
        throw new ToolFailure(`A money limit rules out this call: ${found.why}`);
    }
  }

  /**
   * Records the usage of a call and its cost, also when the call failed. Records nothing for a call
   * that never reached the model.
   */
  async record(
    purpose: SideCallPurpose,
    callId: string,
    provider: string,
    call: SideCall,
  ): Promise<void> {
    if (contextTokens(call.usage) + call.usage.outputTokens === 0) return;
    const { model, usage } = call;
    const cost = this.#deps.cost(provider, call);
    await this.#deps.record({
      type: 'model.consulted',
      purpose,
      callId,
      provider,
      model,
      usage,
      cost,
    });
  }
}

/** Resolves with whether the provider is ready for a call now. Makes no request to the model. */
export const readinessOf = (provider: ModelProvider): Promise<Readiness> =>
  provider.readiness?.() ?? Promise.resolve({ isReady: true });
