/**
 * Converts a model request to messages of VS Code's language model API. The API has no system
 * prompts, so the system prompt becomes the first user message.
 */
import {
  LanguageModelChatMessage,
  LanguageModelDataPart,
  LanguageModelTextPart,
  LanguageModelToolCallPart,
  LanguageModelToolResultPart,
} from 'vscode';
import type {
  AssistantBlock,
  AttachmentBlock,
  Message,
  ModelRequest,
  UserBlock,
} from '../../models/model.ts';

export function hostMessages({ system, messages }: ModelRequest): LanguageModelChatMessage[] {
  const prompt = system.map(({ text }) => text).join('\n\n');
  return [
    ...(prompt === '' ? [] : [LanguageModelChatMessage.User(prompt)]),
    ...messages.map(hostMessage).filter(({ content }) => content.length > 0),
  ];
}

function hostMessage(message: Message): LanguageModelChatMessage {
  return message.role === 'user'
    ? LanguageModelChatMessage.User(message.content.flatMap(userPart))
    : LanguageModelChatMessage.Assistant(message.content.flatMap(assistantPart));
}

type UserPart = LanguageModelTextPart | LanguageModelToolResultPart | LanguageModelDataPart;

function userPart(block: UserBlock): UserPart[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [new LanguageModelTextPart(block.text)];
    case 'attachment':
      return [attachment(block)];
    case 'tool_result': {
      const { text, isError, callId, attachments = [] } = block;
      const textPart = new LanguageModelTextPart(isError ? `Error: ${text}` : text);
      return [new LanguageModelToolResultPart(callId, [textPart, ...attachments.map(attachment)])];
    }
  }
}

/**
 * Converts an attachment. An image is sent; any other file is replaced by a text which says that
 * the file cannot be shown to the model.
 */
function attachment({
  mediaType,
  name,
  base64,
}: AttachmentBlock): LanguageModelTextPart | LanguageModelDataPart {
  if (mediaType.startsWith('image/'))
    return LanguageModelDataPart.image(Buffer.from(base64, 'base64'), mediaType);
  return new LanguageModelTextPart(`[${name} (${mediaType}) cannot be shown to this model.]`);
}

function assistantPart(
  block: AssistantBlock,
): (LanguageModelTextPart | LanguageModelToolCallPart)[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [new LanguageModelTextPart(block.text)];
    case 'tool_call':
      return [new LanguageModelToolCallPart(block.id, block.name, inputOf(block.input))];
    case 'thinking':
      return [];
  }
}

const inputOf = (input: unknown): object =>
  typeof input === 'object' && input !== null ? input : { unreadable: String(input) };

/**
 * Returns the input of the model as one text, for counting its tokens. Omits the bytes of
 * attachments.
 */
export function textToCount({ system, messages, tools }: ModelRequest): string {
  const withoutBytes = (key: string, value: unknown): unknown => (key === 'base64' ? '' : value);
  const prompt = system.map(({ text }) => text).join('\n');
  return `${prompt}\n${JSON.stringify(messages, withoutBytes)}\n${JSON.stringify(tools)}`;
}
