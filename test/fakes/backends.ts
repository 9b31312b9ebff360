/**
 * Every backend that speaks over the network, each with a server of its wire format and how a
 * request of it is read.
 */
import type { EngineSettings } from '../../src/agent/contract/settings.ts';
import { signedInText } from '../../src/models/chatgpt/signedIn.ts';
import {
  list,
  text,
  type Json,
  type JsonObject,
  type WireRequest,
  type WireServer,
} from './wire.ts';
import { startWireAnthropic } from './wireAnthropic.ts';
import { bedrockModelOf, startWireBedrock } from './wireBedrock.ts';
import { startWireChatgpt } from './wireChatgpt.ts';
import { geminiModelOf, startWireGemini } from './wireGemini.ts';
import { startWireOpenaiChat } from './wireOpenaiChat.ts';
import { startWireOpenaiResponses } from './wireOpenaiResponses.ts';

export interface SentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Json | undefined;
}

export interface Backend {
  readonly id: string;
  readonly model: string;
  start(): Promise<WireServer>;
  settings(url: string): Partial<EngineSettings>;
  sentModel(request: WireRequest): string;
  system(body: JsonObject): string;
  tools(body: JsonObject): readonly SentTool[];
  /** Of `high`, as this format says it. */
  effort(body: JsonObject): Json | undefined;
  readonly high: Json | undefined;
}

export const inner = (value: Json | undefined, ...keys: readonly string[]): Json | undefined =>
  keys.reduce<Json | undefined>((found, key) => (found as JsonObject | undefined)?.[key], value);

const textsOf = (parts: Json | undefined, separator: string): string =>
  list(parts)
    .map((part) => text(part.text))
    .join(separator);

const toolOf = ({ name, description }: JsonObject, parameters: Json | undefined): SentTool => ({
  name: text(name),
  description: text(description),
  parameters,
});

const ofBody = ({ body }: WireRequest): string => text(body.model);

const anthropic = {
  system: (body: JsonObject) => textsOf(body.system, '\n\n'),
  tools: (body: JsonObject) => list(body.tools).map((tool) => toolOf(tool, tool.input_schema)),
  effort: (body: JsonObject) => inner(body.output_config, 'effort'),
  high: 'high',
} as const;

const responses = {
  system: (body: JsonObject) => text(body.instructions),
  tools: (body: JsonObject) => list(body.tools).map((tool) => toolOf(tool, tool.parameters)),
  effort: (body: JsonObject) => inner(body.reasoning, 'effort'),
  high: 'high',
} as const;

const chat = {
  sentModel: ofBody,
  system: (body: JsonObject) => text(list(body.messages)[0]?.content),
  effort: (body: JsonObject) => body.reasoning_effort,
  high: undefined,
} as const;

/** The tools that a system prompt describes. */
function describedTools(prompt: string): SentTool[] {
  return [...prompt.matchAll(/^## (\w+)\n([^]*?)(?=^## |^# |$(?![^]))/gm)].map(
    ([, name = '', about = '']) => ({
      name,
      description: about,
      parameters: { type: 'object' },
    }),
  );
}

export const backends: readonly Backend[] = [
  {
    id: 'claude',
    model: 'claude-opus-4-6',
    start: startWireAnthropic,
    settings: (anthropicBaseUrl) => ({ anthropicBaseUrl }),
    sentModel: ofBody,
    ...anthropic,
  },
  {
    id: 'bedrock',
    model: 'global.anthropic.claude-opus-4-6-v1',
    start: startWireBedrock,
    settings: (bedrockBaseUrl) => ({ bedrockBaseUrl }),
    sentModel: ({ path }) => bedrockModelOf(path),
    ...anthropic,
  },
  {
    id: 'openai',
    model: 'gpt-5.4',
    start: startWireOpenaiResponses,
    settings: (openaiBaseUrl) => ({ openaiBaseUrl }),
    sentModel: ofBody,
    ...responses,
  },
  {
    id: 'chatgpt',
    model: 'gpt-5.4',
    start: startWireChatgpt,
    settings: (chatgptBaseUrl) => ({ chatgptBaseUrl }),
    sentModel: ofBody,
    ...responses,
  },
  {
    id: 'gemini',
    model: 'gemini-3.8-flash',
    start: startWireGemini,
    settings: (geminiBaseUrl) => ({ geminiBaseUrl }),
    sentModel: ({ path }) => geminiModelOf(path),
    system: (body) => textsOf(inner(body.systemInstruction, 'parts'), '\n\n'),
    tools: (body) =>
      list(list(body.tools)[0]?.functionDeclarations).map((tool) =>
        toolOf(tool, tool.parametersJsonSchema),
      ),
    effort: (body) => inner(body.generationConfig, 'thinkingConfig', 'thinkingLevel'),
    high: 'HIGH',
  },
  {
    id: 'compatible',
    model: 'local-1',
    start: startWireOpenaiChat,
    settings: (compatibleBaseUrl) => ({ compatibleBaseUrl }),
    tools: (body) =>
      list(body.tools).map(({ function: tool }) =>
        toolOf(tool as JsonObject, (tool as JsonObject).parameters),
      ),
    ...chat,
  },
  {
    id: 'lab',
    model: 'gemma-2b',
    start: () => startWireOpenaiChat(undefined, { textCalls: true }),
    settings: (baseUrl) => ({
      endpoints: [{ id: 'lab', baseUrl, toolCalls: 'text', contextTokens: 200_000 }],
    }),
    tools: (body) => describedTools(chat.system(body)),
    ...chat,
  },
];

/** For ports: a key for each, and a sign-in that has long to go. */
export const secretFor = (name: string): Promise<string | undefined> =>
  Promise.resolve(
    name === 'chatgpt'
      ? signedInText({
          accessToken: 'access-4711',
          refreshToken: 'refresh-4711',
          expiresAtMs: 4e12,
          accountId: 'acc-1234',
        })
      : 'test-key-0123',
  );
