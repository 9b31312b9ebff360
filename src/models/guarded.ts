/**
 * Makes a provider fulfil the contract of `ModelProvider.stream` even if its code does not: the
 * stream never throws, `finished` is emitted exactly once and last, an abort ends the stream
 * immediately even when the connection hangs, and a failed reply contains what was streamed before
 * the failure.
 */
import type { Clock } from '../base/clock.ts';
import { HeliosError, messageOf, toError } from '../base/errors.ts';
import {
  noUsage,
  type AssistantBlock,
  type ModelEvent,
  type ModelFailure,
  type ModelProvider,
  type ModelReply,
  type ModelRequest,
  type Usage,
} from './model.ts';
import { formatDuration } from '../base/text.ts';

export type ModelStream = ModelProvider['stream'];

/**
 * Model, usage and key of a call under way. The raw stream sets each field as soon as its value is
 * known; a failed reply reports the model and the usage.
 */
export interface Attempt {
  model: string;
  usage: Usage;
  /** Key of this call. Removed from every failure message. */
  secret?: string;
}

/** A provider's own stream: may throw, hang or end early. */
export type RawStream = (
  request: ModelRequest,
  signal: AbortSignal,
  attempt: Attempt,
) => AsyncIterable<ModelEvent>;

/** Thrown by a raw stream that knows its failure. */
export class CallFailed extends HeliosError {
  readonly reason = 'call_failed';
  readonly failure: ModelFailure;

  constructor(failure: ModelFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

export interface GuardOptions {
  /** Id of the provider, stored in the thinking blocks of failed and aborted replies. */
  readonly provider: string;
  readonly clock: Clock;
  /** Time without an event after which the connection is considered broken. Default: 10 minutes. */
  readonly idleTimeoutMs?: number;
  /** Turns an error of the raw stream into a failure. Not called for `CallFailed`. */
  readonly failureOf?: (error: unknown) => ModelFailure;
}

const defaultIdleTimeoutMs = 10 * 60_000;

export function guarded(raw: RawStream, options: GuardOptions): ModelStream {
  return (request, signal) => guard(raw, options, request, signal);
}

async function* guard(
  raw: RawStream,
  options: GuardOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  const attempt: Attempt = { model: request.model, usage: noUsage };
  const streamed = new StreamedSoFar(options.provider);
  const over = new AbortController();
  let iterator: AsyncIterator<ModelEvent> | undefined;
  try {
    signal.throwIfAborted();
    iterator = raw(request, AbortSignal.any([signal, over.signal]), attempt)[
      Symbol.asyncIterator
    ]();
    for (;;) {
      const next = await orInterrupted(iterator.next(), signal, options);
      if (next.done === true) throw new CallFailed(cut);
      if (next.value.type === 'finished')
        return yield { type: 'finished', reply: settled(next.value.reply) };
      streamed.add(next.value);
      yield next.value;
    }
  } catch (error) {
    const failure = signal.aborted
      ? undefined
      : withoutSecret(failureOf(error, options), attempt.secret);
    const { model, usage } = attempt;
    const reply = { content: streamed.content, usage, model };
    yield {
      type: 'finished',
      reply:
        failure === undefined
          ? { ...reply, stop: 'aborted' }
          : { ...reply, stop: 'error', failure },
    };
  } finally {
    over.abort();
    letGo(iterator);
  }
}

/**
 * Closes the raw stream without waiting, since a stream that hangs would block its reader. Ignores
 * errors, because the reply is already complete.
 */
function letGo(iterator: AsyncIterator<ModelEvent> | undefined): void {
  const returned = async (): Promise<unknown> => iterator?.return?.();
  returned().catch(() => undefined);
}

const cut: ModelFailure = {
  reason: 'network',
  message: 'The connection ended before the reply was complete.',
};

function failureOf(error: unknown, options: GuardOptions): ModelFailure {
  if (error instanceof CallFailed) return error.failure;
  return options.failureOf?.(error) ?? { reason: 'invalid', message: messageOf(error) };
}

/**
 * Minimum length of a key that is removed from messages. Shorter keys, such as those of local
 * servers, protect nothing and may be part of any word.
 */
const shortestSecret = 8;

export function withoutSecret(failure: ModelFailure, secret = ''): ModelFailure {
  if (secret.length < shortestSecret) return failure;
  const cleaned = (text: string): string => text.replaceAll(secret, '[key]');
  const { message, problem } = failure;
  return {
    ...failure,
    message: cleaned(message),
    ...(problem !== undefined && { problem: cleaned(problem) }),
  };
}

/**
 * Settles as `pending` does, or rejects as soon as the signal aborts or nothing arrived for the
 * idle time.
 */
function orInterrupted<T>(
  pending: Promise<T>,
  signal: AbortSignal,
  options: GuardOptions,
): Promise<T> {
  const { clock, idleTimeoutMs = defaultIdleTimeoutMs } = options;
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => (): void => {
      timer.dispose();
      signal.removeEventListener('abort', onAbort);
      act();
    };
    const onAbort = (): void => settle(() => reject(new CallFailed(cut)))();
    const timer = clock.after(idleTimeoutMs, () =>
      settle(() => reject(new CallFailed(silent(idleTimeoutMs))))(),
    );
    signal.addEventListener('abort', onAbort, { once: true });
    pending.then(
      (value) => settle(() => resolve(value))(),
      (error: unknown) => settle(() => reject(toError(error)))(),
    );
    if (signal.aborted) onAbort();
  });
}

const silent = (idleTimeoutMs: number): ModelFailure => ({
  reason: 'network',
  message: `The model sent nothing for ${formatDuration(idleTimeoutMs)}.`,
});

/** Enforces the rules of `ModelReply` on content and failure. */
function settled(reply: ModelReply): ModelReply {
  const hasCalls = reply.content.some((block) => block.type === 'tool_call');
  const { failure, ...rest } = reply;
  const stop =
    reply.stop === 'stop' || reply.stop === 'tools' ? (hasCalls ? 'tools' : 'stop') : reply.stop;
  const content =
    stop === 'tools' ? reply.content : reply.content.filter((block) => block.type !== 'tool_call');
  return stop === 'error'
    ? { ...rest, stop, content, failure: failure ?? cut }
    : { ...rest, stop, content };
}

/**
 * Collects the text and thinking of the deltas as blocks, in order. Omits calls, since none of the
 * calls is complete.
 */
class StreamedSoFar {
  readonly #provider: string;
  readonly #blocks: { type: 'text' | 'thinking'; parts: string[] }[] = [];

  constructor(provider: string) {
    this.#provider = provider;
  }

  add(event: ModelEvent): void {
    if (event.type !== 'text.delta' && event.type !== 'thinking.delta') return;
    const type = event.type === 'text.delta' ? 'text' : 'thinking';
    const last = this.#blocks.at(-1);
    if (last?.type === type) last.parts.push(event.text);
    else this.#blocks.push({ type, parts: [event.text] });
  }

  get content(): AssistantBlock[] {
    return this.#blocks.map(({ type, parts }) =>
      type === 'text'
        ? { type, text: parts.join('') }
        : { type, text: parts.join(''), provider: this.#provider },
    );
  }
}
