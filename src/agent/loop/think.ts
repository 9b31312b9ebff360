/** Makes one model call and streams the reply. */
import type { ModelProvider, ModelReply, ModelRequest } from '../../models/model.ts';
import type { StreamEvent } from '../journal/events.ts';

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
        show({ type: 'text.discarded', why: `${event.failure.message}; retrying` });
        break;
      case 'finished':
        return event.reply;
    }
  }
  throw new Error(`${provider.id} ended its stream without a last event`);
}
