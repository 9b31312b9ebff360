/**
 * Prepares the history of a conversation for a request. The history may contain replies of other
 * providers, and truncated or interrupted replies.
 */
import type { AssistantBlock, Message, ModelRequest, ThinkingBlock, UserBlock } from './model.ts';

/** Content of `ThinkingBlock.opaque`: the provider's own item, and the model that wrote it. */
interface OwnThinking {
  readonly model: string;
  readonly item: unknown;
}

export const ownThinking = (
  text: string,
  provider: string,
  thinking: OwnThinking,
): ThinkingBlock => ({
  type: 'thinking',
  text,
  provider,
  opaque: thinking,
});

/**
 * Returns the item to send back; undefined for incomplete thinking, and for thinking of another
 * provider or model.
 */
export function thinkingItem(block: ThinkingBlock, provider: string, model: string): unknown {
  const thinking = block.opaque as Partial<OwnThinking> | null | undefined;
  return block.provider === provider && thinking?.model === model ? thinking.item : undefined;
}

/**
 * Joins neighbouring messages of the same role, and puts tool results before the user's text. Omits
 * empty texts, thinking that cannot be replayed, and thinking at the end of a reply, which
 * providers refuse.
 */
export function replayable(request: ModelRequest, provider: string): Message[] {
  const joined: Message[] = [];
  for (const message of request.messages) {
    const clean =
      message.role === 'user'
        ? { role: message.role, content: message.content.filter(isSaid) }
        : { role: message.role, content: sendable(message.content, provider, request.model) };
    if (clean.content.length > 0) append(joined, clean as Message);
  }
  return joined.map((message) =>
    message.role === 'user' ? { role: 'user', content: resultsFirst(message.content) } : message,
  );
}

function append(joined: Message[], message: Message): void {
  const last = joined.at(-1);
  if (last?.role !== message.role) joined.push(message);
  else
    joined[joined.length - 1] = {
      role: last.role,
      content: [...last.content, ...message.content],
    } as Message;
}

const isSaid = (block: AssistantBlock | UserBlock): boolean =>
  block.type !== 'text' || block.text.trim() !== '';

function sendable(
  content: readonly AssistantBlock[],
  provider: string,
  model: string,
): AssistantBlock[] {
  const blocks = content.filter(
    (block) =>
      isSaid(block) &&
      (block.type !== 'thinking' || thinkingItem(block, provider, model) !== undefined),
  );
  const end = blocks.findLastIndex((block) => block.type !== 'thinking');
  return blocks.slice(0, end + 1);
}

const resultsFirst = (content: readonly UserBlock[]): UserBlock[] => [
  ...content.filter((block) => block.type === 'tool_result'),
  ...content.filter((block) => block.type !== 'tool_result'),
];

/**
 * Parses the arguments of a call. Returns the raw text when they are not JSON. No text means no
 * arguments.
 */
export function parsedInput(json: string): unknown {
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/**
 * Returns the arguments as an object, which providers require. Wraps arguments that are not an
 * object.
 */
export function objectInput(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
    ? (input as Record<string, unknown>)
    : { arguments_not_an_object: input };
}

/**
 * Calls `open`. If the provider refuses the thinking in the request, calls `open` once more without
 * thinking, which is optional. Newer models refuse thinking if the conversation before the thinking
 * has changed, for example when a briefing has replaced old messages.
 */
export async function openReplaying<T>(
  request: ModelRequest,
  open: (request: ModelRequest) => Promise<T>,
): Promise<T> {
  try {
    return await open(request);
  } catch (error) {
    if (!isAboutThinking(error) || !hasThinking(request)) throw error;
    return await open(withoutThinking(request));
  }
}

const isAboutThinking = (error: unknown): boolean =>
  error instanceof Error &&
  'status' in error &&
  error.status === 400 &&
  /thinking|signature|encrypted|reasoning/i.test(error.message);

const hasThinking = ({ messages }: ModelRequest): boolean =>
  messages.some(
    ({ role, content }) =>
      role === 'assistant' && content.some((block) => block.type === 'thinking'),
  );

const withoutThinking = (request: ModelRequest): ModelRequest => ({
  ...request,
  messages: request.messages.map((message) =>
    message.role === 'user'
      ? message
      : {
          role: 'assistant',
          content: message.content.filter((block) => block.type !== 'thinking'),
        },
  ),
});
