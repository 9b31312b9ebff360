/** Makes one model call and streams the reply. */
import type { Clock } from '../../base/clock.ts';
import { retryReason } from '../../models/failures.ts';
import type { ModelProvider, ModelReply, ModelRequest } from '../../models/model.ts';
import type { StreamEvent } from '../journal/events.ts';

/** Additional time for a reply that has begun when the minutes of the goal are used up. */
const graceMs = 30_000;

/**
 * Makes a model call. Aborts it `graceMs` after `endMs`, the time at which the minutes of the goal
 * are used up, so that a call without an answer does not exceed them by much.
 */
export async function withinMinutes<T>(
  call: (signal: AbortSignal) => Promise<T>,
  {
    clock,
    endMs,
    signal,
  }: { readonly clock: Clock; readonly endMs: number | undefined; readonly signal: AbortSignal },
): Promise<T> {
  if (endMs === undefined) return call(signal);
  const late = new AbortController();
  const timer = clock.after(Math.max(0, endMs + graceMs - clock.now()), () =>
    late.abort(new Error('The minutes of the goal are used up.')),
  );
  try {
    return await call(AbortSignal.any([signal, late.signal]));
  } finally {
    timer.dispose();
  }
}

/**
 * Sends `request` to the model, streams the reply and resolves with the whole reply. If the call
 * fails, the reply contains the failure.
 */
export async function think(
  provider: ModelProvider,
  request: ModelRequest,
  show: (event: StreamEvent) => void,
  signal: AbortSignal,
): Promise<ModelReply> {
  for await (const event of provider.stream(request, signal)) {
    switch (event.type) {
      case 'text.delta':
      case 'thinking.delta':
        show(event);
        break;
      case 'tool_call.started':
        break;
      case 'attempt.discarded':
        show({
          type: 'text.discarded',
          why: retryReason(provider.label, event.failure),
          retryMs: event.delayMs,
        });
        break;
      case 'finished':
        return event.reply;
    }
  }
  throw new Error(`${provider.id} ended its stream without a last event`);
}
