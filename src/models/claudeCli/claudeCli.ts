/**
 * Provider for Claude models through the user's own `claude` command (Claude Code) and its sign-in.
 * Helios reads one reply at a time and executes the tool calls itself: `claude` waits until the
 * agent's loop has recorded, permitted and executed the calls.
 */
import { mkdir } from 'node:fs/promises';
import type { Environment } from '../../base/childEnvironment.ts';
import { thisSystem } from '../../base/hostSystem.ts';
import { claudeModels, defaultClaudeFamily, defaultClaudeModel } from '../catalogue.ts';
import type { Attempt } from '../guarded.ts';
import type {
  ModelDescription,
  ModelEvent,
  ModelProvider,
  ModelReply,
  ModelRequest,
} from '../model.ts';
import { dependable, type CallOptions, type ProviderIdentity } from '../provider.ts';
import { readAnthropic } from '../anthropic/anthropicStream.ts';
import { askedOf, claudeCliId, digestAfter } from './asked.ts';
import { isMetered, keyInEnvironment } from './claudeEnv.ts';
import { claudeCliLabel, signInHint } from './claudeFailures.ts';
import { Conversations } from './conversations.ts';
import { ClaudeFinder } from './findClaude.ts';
import { LiveClaude } from './liveClaude.ts';
import { readinessOf } from './readiness.ts';

export interface ClaudeCliOptions extends Omit<CallOptions, 'fetch' | 'baseUrl'> {
  /** Path of `claude`. Default: the first `claude` on the PATH. */
  readonly claudePath?: string;
  /**
   * Working folder of `claude`. Must not be used for anything else, since `claude` treats the
   * folder as its project. Created when needed.
   */
  readonly folder: string;
  /** Environment of this process. Only the variables that `claude` needs are passed on. */
  readonly env: Environment;
}

const identity: ProviderIdentity = { id: claudeCliId, label: claudeCliLabel, keyHint: signInHint };

/**
 * The context size that `claude` uses for older models, in tokens, even if a model supports a
 * larger context.
 */
const olderContextTokens = 200_000;

const models: readonly ModelDescription[] = claudeModels.map((model) =>
  /-4-\d/.test(model.id)
    ? { ...model, contextTokens: Math.min(model.contextTokens, olderContextTokens) }
    : model,
);

export function createClaudeCliProvider(options: ClaudeCliOptions): ModelProvider {
  const { env, folder, clock } = options;
  const finder = new ClaudeFinder(options.claudePath, { ...thisSystem(), env });
  const conversations = new Conversations(clock);

  async function start(asked: ReturnType<typeof askedOf>): Promise<LiveClaude> {
    const claude = await finder.required();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return LiveClaude.start(asked, { claude, env, folder, clock });
  }

  async function* raw(
    request: ModelRequest,
    signal: AbortSignal,
    attempt: Attempt,
  ): AsyncGenerator<ModelEvent> {
    const secret = keyInEnvironment(env);
    if (secret !== undefined) attempt.secret = secret;
    const asked = askedOf(request);
    const live = (await conversations.resume(asked)) ?? (await start(asked));
    const end = (): void => void live.end();
    signal.addEventListener('abort', end, { once: true });
    let isKept = false;
    try {
      signal.throwIfAborted();
      const place = { provider: claudeCliId, model: request.model, attempt };
      for await (const event of readAnthropic(live.events(), place)) {
        if (event.type === 'finished' && canGoOn(event.reply, request) && !signal.aborted) {
          isKept = true;
          signal.removeEventListener('abort', end);
          await keep(request, event.reply, live);
        }
        yield event;
      }
    } finally {
      signal.removeEventListener('abort', end);
      if (!isKept) await live.end();
    }
  }

  function keep(request: ModelRequest, { content }: ModelReply, live: LiveClaude): Promise<void> {
    const { conversation } = request;
    if (conversation === undefined) return live.end();
    const callIds = content.flatMap((block) => (block.type === 'tool_call' ? [block.id] : []));
    const digest = digestAfter(request, content);
    return conversations.keep(conversation, { live, digest, callIds });
  }

  return {
    id: identity.id,
    label: identity.label,
    defaultModel: defaultClaudeModel,
    defaultFamily: defaultClaudeFamily,
    billing: isMetered(env) ? 'metered' : 'plan',
    models: () => models,
    readiness: () => readinessOf(finder, env),
    stream: dependable(raw, identity, options),
    release: (conversation) => conversations.release(conversation),
  };
}

/**
 * Returns whether the process can be used for the next request: after a complete answer, or when
 * the tool calls of the process wait for results. After any other reply, `claude` would continue on
 * its own: it repeats an empty, incomplete or refused reply, and answers invalid calls.
 */
function canGoOn({ stop, content }: ModelReply, { tools }: ModelRequest): boolean {
  if (stop === 'stop')
    return content.some((block) => block.type === 'text' && block.text.trim() !== '');
  return (
    stop === 'tools' &&
    content.every(
      (block) =>
        block.type !== 'tool_call' ||
        (typeof block.input !== 'string' && tools.some(({ name }) => name === block.name)),
    )
  );
}
