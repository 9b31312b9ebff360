/** Redacts what is sent to a model, and what the model streams. */
import { RedactingStream } from '../base/secrets/redactingStream.ts';
import type { Redactor } from '../base/secrets/redactor.ts';
import { redactValue } from '../base/secrets/redactValue.ts';
import type { ModelEvent, ModelProvider, ModelRequest } from './model.ts';

type Secrets = Pick<Redactor, 'redact' | 'find' | 'label'>;

/** Returns a function that wraps providers. The same provider gets the same wrapper. */
export function redactingProviders(secrets: Secrets): (provider: ModelProvider) => ModelProvider {
  const wrapped = new WeakMap<ModelProvider, ModelProvider>();
  return (provider) => {
    const earlier = wrapped.get(provider);
    if (earlier !== undefined) return earlier;
    const redacting = redactingProvider(provider, secrets);
    wrapped.set(provider, redacting);
    return redacting;
  };
}

function redactingProvider(provider: ModelProvider, secrets: Secrets): ModelProvider {
  const { search } = provider;
  const texts: Pick<ModelProvider, 'stream' | 'search'> = {
    stream: (request, signal) =>
      redactedEvents(provider.stream(redactedRequest(request, secrets), signal), secrets),
    ...(search && {
      search: (request, signal) =>
        search.call(provider, { ...request, query: secrets.redact(request.query) }, signal),
    }),
  };
  return Object.assign(optionsOf(provider), texts);
}

/** Returns the properties and methods that handle no text of a session. */
const optionsOf = (provider: ModelProvider): Omit<ModelProvider, 'stream' | 'search'> => ({
  id: provider.id,
  label: provider.label,
  get defaultModel() {
    return provider.defaultModel;
  },
  ...(provider.defaultFamily !== undefined && { defaultFamily: provider.defaultFamily }),
  ...(provider.billing && { billing: provider.billing }),
  models: () => provider.models(),
  ...(provider.list && { list: provider.list.bind(provider) }),
  ...(provider.readiness && { readiness: provider.readiness.bind(provider) }),
  ...(provider.release && { release: provider.release.bind(provider) }),
});

const redactedRequest = (request: ModelRequest, secrets: Secrets): ModelRequest => ({
  ...request,
  system: redactValue(request.system, secrets),
  messages: redactValue(request.messages, secrets),
});

/**
 * Redacts the streamed text. The last event is not changed: calls are made as the model wrote them,
 * and the journal redacts what it stores.
 */
async function* redactedEvents(
  events: AsyncIterable<ModelEvent>,
  secrets: Secrets,
): AsyncGenerator<ModelEvent> {
  let open: { readonly type: TextType; readonly stream: RedactingStream } | undefined;
  for await (const event of events) {
    const isText = event.type === 'text.delta' || event.type === 'thinking.delta';
    if (open !== undefined && open.type !== event.type) {
      const text = open.stream.end();
      if (text !== '' && event.type !== 'attempt.discarded') yield { type: open.type, text };
      open = undefined;
    }
    if (isText) {
      open ??= { type: event.type, stream: new RedactingStream(secrets) };
      const text = open.stream.push(event.text);
      if (text !== '') yield { type: event.type, text };
    } else yield event;
  }
}

type TextType = 'text.delta' | 'thinking.delta';
