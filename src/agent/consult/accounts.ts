/** Asks the model of a session for its account of the work, which becomes part of the write-up. */
import { newEventId } from '../../base/ids.ts';
import type { Effort } from '../../models/effort.ts';
import type { ModelProvider, ModelRequest } from '../../models/model.ts';
import type { SessionEvent } from '../journal/events.ts';
import { askOnce, maxAnswerTokens, type AskOnceDeps } from './askOnce.ts';

export interface AccountsDeps extends AskOnceDeps {
  readonly own: {
    readonly provider: ModelProvider;
    readonly model: string;
    readonly effort?: Effort;
  };
  /** Resolves with the measured facts that the model is to write about, as Markdown. */
  facts(): Promise<string>;
  record(event: SessionEvent): Promise<void>;
}

const system = `You write the account of a finished piece of research for the user who asked for it. You see the recorded facts of the session: its goal, experiments, measurements and decisions. Nobody answers questions.
Write Markdown, at most a page: what was asked, what was tried and why, what was found with its numbers and runs, what is uncertain, what to do next. Tables are welcome. Name runs as run 7 and experiments as e3. State no number that is not in the facts, and nothing that was not done. Text in quotation marks is what the agent said, not a measurement.`;

/**
 * Asks the model for its account and records it. Rejects with `ToolFailure` if the model cannot be
 * asked or the limits do not cover the call.
 */
export async function writeAccount(deps: AccountsDeps, signal: AbortSignal): Promise<void> {
  const { provider, model, effort = 'medium' } = deps.own;
  const request: ModelRequest = {
    model,
    system: [{ text: system, isStable: true }],
    messages: [{ role: 'user', content: [{ type: 'text', text: await deps.facts() }] }],
    tools: [],
    maxOutputTokens: maxAnswerTokens,
    effort,
  };
  const asked = {
    provider,
    request,
    purpose: 'account',
    callId: newEventId(deps.clock.now()),
  } as const;
  const reply = await askOnce(deps, asked, signal);
  await deps.record({ type: 'account.written', ...reply });
}
