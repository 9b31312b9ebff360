/** Makes one model call outside the conversation, without tools and within a time limit. */
import type { Clock } from '../../base/clock.ts';
import { ToolFailure } from '../../base/errors.ts';
import { formatDuration } from '../../base/text.ts';
import { textTokens } from '../../base/textTokens.ts';
import type { ModelProvider, ModelReply, ModelRequest } from '../../models/model.ts';
import { billedUsage } from '../../models/prices.ts';
import { cleanPage } from '../../web/fetchPage.ts';
import { think } from '../loop/think.ts';
import type { SideCallPurpose, SideCalls } from './sideCalls.ts';

export interface AskOnceDeps {
  readonly calls: SideCalls;
  readonly clock: Clock;
}

export interface SideQuestion {
  readonly provider: ModelProvider;
  readonly request: ModelRequest;
  readonly purpose: SideCallPurpose;
  readonly callId: string;
}

export const maxAnswerTokens = 16_000;
const timeLimitMs = 5 * 60_000;

/**
 * Resolves with the text of the reply, and records its cost. Rejects with `ToolFailure` if the
 * limits do not cover the call, the model cannot be asked, or it gives no answer.
 */
export async function askOnce(
  deps: AskOnceDeps,
  { provider, request, purpose, callId }: SideQuestion,
  signal: AbortSignal,
): Promise<{ readonly model: string; readonly text: string }> {
  const reply = await ask(deps, provider, request, signal);
  const call = { model: reply.model, usage: billedUsage(reply) };
  await deps.calls.record(purpose, callId, provider.id, call);
  signal.throwIfAborted();
  return { model: reply.model, text: answerIn(reply, provider) };
}

async function ask(
  { calls, clock }: AskOnceDeps,
  provider: ModelProvider,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelReply> {
  const longest = await calls.longestReply({
    provider: provider.id,
    model: request.model,
    maxOutputTokens: request.maxOutputTokens,
    contextTokens: Math.ceil(textTokens(JSON.stringify([request.system, request.messages]))),
  });
  const timeout = new AbortController();
  const timer = clock.after(timeLimitMs, () => timeout.abort());
  const fitted = { ...request, ...(longest !== undefined && { maxOutputTokens: longest }) };
  const either = AbortSignal.any([signal, timeout.signal]);
  return think(provider, fitted, () => undefined, either).finally(() => timer.dispose());
}

function answerIn({ stop, failure, content }: ModelReply, { label }: ModelProvider): string {
  if (failure !== undefined)
    throw new ToolFailure(`${label} could not be asked: ${failure.message}`);
  if (stop === 'aborted')
    throw new ToolFailure(`${label} did not answer within ${formatDuration(timeLimitMs)}.`);
  const text = cleanPage(
    content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  );
  if (text === '')
    throw new ToolFailure(
      `${label} gave no answer. Rephrase the question, or continue without it.`,
    );
  return stop === 'length' ? `${text}\n[truncated at the output limit]` : text;
}
