import {
  noUsage,
  type AssistantBlock,
  type ModelEvent,
  type ModelProvider,
  type ModelReply,
  type ModelRequest,
} from '../../src/models/model.ts';

export interface ScriptedCall {
  readonly name: string;
  readonly input: unknown;
  readonly repairs?: readonly string[];
}

/** What the model answers: text, calls, a whole reply, or a wait until the signal is aborted. */
export type ScriptedReply =
  | string
  | readonly ScriptedCall[]
  | {
      readonly text?: string;
      readonly calls?: readonly ScriptedCall[];
      readonly reply?: Partial<ModelReply>;
    }
  | 'hang';

export type Script = (
  request: ModelRequest,
  index: number,
) => ScriptedReply | Promise<ScriptedReply>;

/**
 * A model that says what a test tells it to. It keeps every request, as it was when it was made.
 */
export class ScriptedModel implements ModelProvider {
  readonly id = 'demo';
  readonly label = 'Scripted';
  readonly defaultModel = 'scripted-1';
  readonly requests: ModelRequest[] = [];
  readonly #script: Script;
  #calls = 0;
  #inputTokens = 0;
  contextTokens = 200_000;

  constructor(script: Script | readonly ScriptedReply[]) {
    this.#script =
      typeof script === 'function'
        ? script
        : (_request, index) => script[index] ?? 'nothing left in the script';
  }

  models() {
    return [
      {
        id: this.defaultModel,
        label: this.label,
        contextTokens: this.contextTokens,
        maxOutputTokens: 8_000,
      },
    ];
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.requests.push(structuredClone(request));
    this.#inputTokens = Math.ceil(JSON.stringify(request.messages).length / 4);
    const answer = await this.#script(request, this.requests.length - 1);
    if (answer === 'hang') {
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      yield { type: 'finished', reply: this.#reply({ stop: 'aborted', content: [] }) };
      return;
    }
    const reply = this.#answer(answer);
    for (const block of reply.content)
      if (block.type === 'text') yield { type: 'text.delta', text: block.text };
    yield { type: 'finished', reply };
  }

  #answer(answer: Exclude<ScriptedReply, 'hang'>): ModelReply {
    if (typeof answer === 'string')
      return this.#reply({ content: [{ type: 'text', text: answer }] });
    const { text, calls = [], reply = {} } = 'length' in answer ? { calls: answer } : answer;
    const content: AssistantBlock[] = [
      ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
      ...calls.map((call) => ({
        type: 'tool_call' as const,
        id: `call_${(this.#calls += 1)}`,
        ...call,
      })),
    ];
    return this.#reply({ content, stop: calls.length > 0 ? 'tools' : 'stop', ...reply });
  }

  #reply(reply: Partial<ModelReply>): ModelReply {
    return {
      content: [],
      stop: 'stop',
      usage: { ...noUsage, inputTokens: this.#inputTokens, outputTokens: 10 },
      model: this.defaultModel,
      ...reply,
    };
  }
}
