/**
 * A `claude` process that works on one conversation: sends new content to the process and reads its
 * messages one by one.
 */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
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
import { removeFile } from '../../base/heldFiles.ts';
import type { Environment } from '../../base/childEnvironment.ts';
import type { Clock } from '../../base/clock.ts';
import { CallFailed } from '../guarded.ts';
import type { Asked } from './asked.ts';
import { childEnvironment } from './claudeEnv.ts';
import { deathOf, failureIn } from './claudeFailures.ts';
import { startProcess, type ClaudeProcess } from './claudeProcess.ts';
import type { FoundClaude } from './findClaude.ts';
import { createToolServer, Handover, ownToolName, toolServerName } from './toolServer.ts';
import { transcriptOf } from './transcript.ts';

export interface LiveOptions {
  readonly claude: FoundClaude;
  readonly env: Environment;
  /**
   * Working folder of `claude`, empty except for transcripts: `claude` treats it as the project.
   */
  readonly folder: string;
  readonly clock: Clock;
}

/**
 * Message for a new process that resumes a conversation which ends with tool results: `claude`
 * needs some new content.
 */
const goOn: ContentBlockParam = { type: 'text', text: 'Continue.' };

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

  /** Starts a process and sends it the request. */
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
   * Yields the events of the next reply. Throws `CallFailed` if the reply failed or the process
   * ended. If the reply was truncated, ends without the end event.
   */
  async *events(): AsyncGenerator<RawMessageStreamEvent> {
    let isWhole = false;
    for (;;) {
      const message = await this.#next();
      const failure = failureIn(message, this.#limit, this.#clock.now());
      if (failure !== undefined) throw new CallFailed(failure);
      if (message.type === 'rate_limit_event') this.#limit = message.rate_limit_info;
      if (message.type !== 'stream_event' || message.parent_tool_use_id !== null) continue;
      // The cast is safe: the beta API has the same events, and further events only on request.
      const event = withOwnName(message.event as RawMessageStreamEvent);
      if (event.type === 'message_delta') isWhole = event.delta.stop_reason !== null;
      // `claude` adds an end event to a truncated reply and continues from there. The event is
      // dropped, so that the reply is recognized as incomplete.
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

  /**
   * Deletes the transcript. Called after the first message, which shows that `claude` has read the
   * transcript.
   */
  async #forgetTranscript(): Promise<void> {
    if (this.#transcript === undefined || this.#isForgotten) return;
    this.#isForgotten = true;
    await removeFile(this.#transcript);
  }

  /** Kills the process. Resolves when the process has ended. */
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

/** Queue of user messages, which the SDK reads as a stream. */
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
