/**
 * One `claude` at work on one conversation. It is told what is new, and read message by message.
 */
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type {
  Options,
  Query,
  SDKMessage,
  SDKRateLimitInfo,
  SDKUserMessage,
  ThinkingConfig,
} from '@anthropic-ai/claude-agent-sdk';
import type {
  ContentBlockParam,
  RawMessageStreamEvent,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Clock } from '../../base/clock.ts';
import { CallFailed } from '../guarded.ts';
import type { Asked } from './asked.ts';
import { childEnvironment, type Environment } from './claudeEnv.ts';
import { deathOf, failureIn } from './claudeFailures.ts';
import { startProcess, type ClaudeProcess } from './claudeProcess.ts';
import type { FoundClaude } from './findClaude.ts';
import { createToolServer, Handover, ownToolName, toolServerName } from './toolServer.ts';
import { transcriptOf } from './transcript.ts';

export interface LiveOptions {
  readonly claude: FoundClaude;
  readonly env: Environment;
  /** An own folder, and an empty one but for transcripts: `claude` takes it for the project. */
  readonly folder: string;
  readonly clock: Clock;
}

/** Said where the results alone are new: something must be, for a conversation to be resumed. */
const goOn: ContentBlockParam = { type: 'text', text: 'Go on.' };

export class LiveClaude {
  readonly setupDigest: string;
  readonly #clock: Clock;
  readonly #handover = new Handover();
  readonly #inbox = new Inbox();
  readonly #transcript: string | undefined;
  #query: Query | undefined;
  #process: ClaudeProcess | undefined;
  #limit: SDKRateLimitInfo | undefined;
  #isEnded = false;

  /** Starts one that is asked what `asked` asks; `signal` ends it while it starts. */
  static async start(asked: Asked, options: LiveOptions): Promise<LiveClaude> {
    const isNew = asked.past.length === 0;
    const transcript = isNew ? undefined : path.join(options.folder, `${randomUUID()}.jsonl`);
    if (transcript !== undefined) {
      const { claude, folder, clock } = options;
      const context = {
        folder,
        model: asked.request.model,
        version: claude.version,
        nowMs: clock.now(),
      };
      await writeFile(transcript, transcriptOf(asked.past, context), { mode: 0o600 });
    }
    const live = new LiveClaude(asked, options, transcript);
    await live.#open(asked, options);
    return live;
  }

  private constructor(
    { setupDigest }: Asked,
    { clock }: LiveOptions,
    transcript: string | undefined,
  ) {
    this.setupDigest = setupDigest;
    this.#clock = clock;
    this.#transcript = transcript;
  }

  async #open(asked: Asked, options: LiveOptions): Promise<void> {
    const { query } = await import('@anthropic-ai/claude-agent-sdk/core');
    const server = await createToolServer(asked.request.tools, this.#handover);
    this.#query = query({
      prompt: this.#inbox.messages(),
      options: {
        ...queryOptions(asked, options, this.#transcript),
        mcpServers: {
          [toolServerName]: { type: 'sdk', name: toolServerName, instance: server as never },
        },
        spawnClaudeCodeProcess: (how) => (this.#process = startProcess(how)).spawned,
      },
    });
    this.say(asked.said.length > 0 ? asked.said : [goOn]);
  }

  say(content: readonly ContentBlockParam[]): void {
    this.#inbox.push([...content]);
  }

  hand(results: readonly ToolResultBlockParam[]): void {
    for (const result of results) this.#handover.give(result);
  }

  /**
   * The events of the next reply, up to its end. Throws `CallFailed` when it failed or the process
   * ended; ends early when it was cut.
   */
  async *events(): AsyncGenerator<RawMessageStreamEvent> {
    let isWhole = false;
    for (;;) {
      const message = await this.#next();
      const failure = failureIn(message, this.#limit, this.#clock.now());
      if (failure !== undefined) throw new CallFailed(failure);
      if (message.type === 'rate_limit_event') this.#limit = message.rate_limit_info;
      if (message.type !== 'stream_event' || message.parent_tool_use_id !== null) continue;
      // The events of the beta API are those of the other one, and more that are not asked for.
      const event = withOwnName(message.event as RawMessageStreamEvent);
      if (event.type === 'message_delta') isWhole = event.delta.stop_reason !== null;
      // `claude` gives a reply that was cut an end of its own, and goes on from there.
      if (event.type === 'message_stop' && !isWhole) return;
      yield event;
      if (event.type === 'message_stop') return;
    }
  }

  async #next(): Promise<SDKMessage> {
    try {
      const next = await this.#query?.next();
      if (next !== undefined && next.done !== true) {
        await this.#forgetTranscript();
        return next.value;
      }
    } catch (error) {
      if (this.#process === undefined) throw error;
    }
    this.#process?.kill();
    const how = (await this.#process?.ended) ?? 'it never started';
    throw new CallFailed(deathOf(how, this.#process?.stderr() ?? ''));
  }

  #isForgotten = false;

  /** Its first message shows that it has read what it was started with. */
  async #forgetTranscript(): Promise<void> {
    if (this.#transcript === undefined || this.#isForgotten) return;
    this.#isForgotten = true;
    await rm(this.#transcript, { force: true });
  }

  /** Kills it, whatever it does. Resolves when it is gone. */
  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#inbox.close();
    this.#process?.kill();
    await this.#process?.ended;
    this.#query?.close();
    await this.#forgetTranscript();
  }
}

function queryOptions(
  asked: Asked,
  { claude, env, folder }: LiveOptions,
  transcript: string | undefined,
): Options {
  const { request, params } = asked;
  const names = new Set(request.tools.map(({ name }) => name));
  return {
    pathToClaudeCodeExecutable: claude.path,
    cwd: folder,
    env: childEnvironment(env, params.max_tokens),
    model: request.model,
    systemPrompt: {
      type: 'custom',
      prompt: request.system.map(({ text }) => text).join('\n\n'),
      snapshot: false,
    },
    ...thinkingOptions(params),
    tools: [],
    skills: [],
    settingSources: [],
    strictMcpConfig: true,
    includePartialMessages: true,
    verbatimPrompts: true,
    persistSession: false,
    permissionMode: 'default',
    canUseTool: async (name, input) =>
      names.has(ownToolName(name))
        ? { behavior: 'allow', updatedInput: input }
        : { behavior: 'deny', message: `There is no tool ${name} here.` },
    ...(transcript !== undefined && { resume: transcript }),
  };
}

function thinkingOptions({
  thinking,
  output_config: output,
}: Asked['params']): Pick<Options, 'thinking' | 'effort'> {
  return { thinking: thinkingOption(thinking), ...(output?.effort && { effort: output.effort }) };
}

function thinkingOption(thinking: Asked['params']['thinking']): ThinkingConfig {
  if (thinking?.type === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  if (thinking?.type === 'enabled')
    return { type: 'enabled', budgetTokens: thinking.budget_tokens };
  return { type: 'disabled' };
}

function withOwnName(event: RawMessageStreamEvent): RawMessageStreamEvent {
  if (event.type !== 'content_block_start' || event.content_block.type !== 'tool_use') return event;
  return {
    ...event,
    content_block: { ...event.content_block, name: ownToolName(event.content_block.name) },
  };
}

/** What is said, as the stream that the SDK reads. */
class Inbox {
  readonly #waiting: SDKUserMessage[] = [];
  #wake: () => void = () => undefined;
  #isClosed = false;

  push(content: ContentBlockParam[]): void {
    this.#waiting.push({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
    });
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *messages(): AsyncGenerator<SDKUserMessage> {
    while (!this.#isClosed) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
