/**
 * The offline demo: a scripted researcher behind the interface of a model provider. Calls no model,
 * so it costs nothing.
 */
import { randomBytes } from 'node:crypto';
import { delay, systemClock, type Clock } from '../base/clock.ts';
import { demoReply } from './demo/researcher.ts';
import { guarded } from './guarded.ts';
import {
  noUsage,
  type AssistantBlock,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from './model.ts';
import { providers } from './providerList.ts';

export interface DemoOptions {
  /**
   * Whether the text is streamed word by word, so that people can read along. Default: the whole
   * text in one event.
   */
  readonly paced?: boolean;
  readonly clock?: Clock;
}

const wordMs = 14;
const model = {
  id: 'scripted',
  label: 'Scripted researcher',
  contextTokens: 200_000,
  maxOutputTokens: 4_000,
  efforts: [],
};

/**
 * Creates the demo provider. This provider needs no key, makes no connection and has no state: each
 * reply follows from the request alone.
 */
export function createDemoProvider({
  paced = false,
  clock = systemClock,
}: DemoOptions = {}): ModelProvider {
  const raw = (request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> =>
    streamReply(request, { clock, delayMs: paced ? wordMs : 0 }, signal);
  return {
    id: 'demo',
    label: providers.demo.label,
    defaultModel: model.id,
    models: () => [model],
    readiness: () => Promise.resolve({ isReady: true }),
    stream: guarded(raw, { provider: 'demo', clock }),
  };
}

async function* streamReply(
  request: ModelRequest,
  pace: { readonly clock: Clock; readonly delayMs: number },
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const { text, calls } = demoReply(request);
  const pieces = pace.delayMs > 0 ? (text.match(/\S+\s*/g) ?? []) : [text];
  for (const piece of pieces) {
    if (pace.delayMs > 0) await delay(pace.clock, pace.delayMs, signal);
    if (piece !== '') yield { type: 'text.delta', text: piece };
  }
  const blocks = calls.map(({ name, input }) => ({
    type: 'tool_call' as const,
    // Random, so that ids stay unique in a session after its conversation was shortened.
    id: `demo_${randomBytes(9).toString('base64url')}`,
    name,
    input,
  }));
  for (const { id, name } of blocks) yield { type: 'tool_call.started', id, name };
  const content: AssistantBlock[] = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...blocks,
  ];
  const stop = blocks.length > 0 ? 'tools' : 'stop';
  yield { type: 'finished', reply: { content, stop, usage: noUsage, model: model.id } };
}
