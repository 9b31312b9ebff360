/** Converts a `ModelRequest` to a request of the Gemini API. */
import type {
  Content,
  FunctionDeclaration,
  FunctionResponsePart,
  GenerateContentConfig,
  GenerateContentParameters,
  Part,
} from '@google/genai/web';
import { assertNever } from '../../base/errors.ts';
import type {
  AssistantBlock,
  AttachmentBlock,
  Message,
  ModelRequest,
  ToolResultBlock,
  ToolSpec,
} from '../model.ts';
import { objectInput, replayable, thinkingItem } from '../replay.ts';
import { signedNothing, type GeminiMark } from './geminiMark.ts';
import { defaultMaxOutputTokens } from './geminiModels.ts';
import { thinkingConfig, wantsSignatures } from './geminiThinking.ts';

export function geminiRequest(
  request: ModelRequest,
  provider: string,
  abortSignal: AbortSignal,
): GenerateContentParameters {
  const { model, system, tools, effort, maxOutputTokens = defaultMaxOutputTokens } = request;
  const thinking = thinkingConfig(model, effort);
  const systemParts = system
    .filter(({ text }) => text.trim() !== '')
    .map(({ text }): Part => ({ text }));
  const config: GenerateContentConfig = {
    abortSignal,
    maxOutputTokens,
    ...(systemParts.length > 0 && { systemInstruction: { parts: systemParts } }),
    ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declaration) }] }),
    ...(thinking && { thinkingConfig: thinking }),
  };
  return { model, contents: contentsOf(replayable(request, provider), provider, model), config };
}

const declaration = ({ name, description, inputSchema }: ToolSpec): FunctionDeclaration => ({
  name,
  description,
  parametersJsonSchema: inputSchema,
});

/**
 * Converts the messages. Matches each result to a call of the turn before it, since ids may be
 * reused later.
 */
function contentsOf(messages: readonly Message[], provider: string, model: string): Content[] {
  return messages.map((message, index) => {
    if (message.role === 'assistant')
      return { role: 'model', parts: signed(modelParts(message.content, provider, model), model) };
    const before = messages[index - 1]?.content ?? [];
    return { role: 'user', parts: userParts(message, namesOfCalls(before), model) };
  });
}

/** Returns the names of the calls by id, in order. */
const namesOfCalls = (content: Message['content']): ReadonlyMap<string, string> =>
  new Map(
    content.flatMap((block) =>
      block.type === 'tool_call' ? [[block.id, block.name] as const] : [],
    ),
  );

function modelParts(content: readonly AssistantBlock[], provider: string, model: string): Part[] {
  let mark: GeminiMark | undefined;
  return content.flatMap((block): Part[] => {
    if (block.type === 'thinking') {
      mark = thinkingItem(block, provider, model) as GeminiMark;
      return [...mark.before];
    }
    const ownMark = mark?.of === (block.type === 'text' ? 'text' : block.id) ? mark : undefined;
    mark = undefined;
    const signature =
      ownMark?.signature === undefined ? {} : { thoughtSignature: ownMark.signature };
    switch (block.type) {
      case 'text':
        return [
          { text: block.text, ...signature },
          ...(ownMark?.after === undefined ? [] : [signedNothing(ownMark.after)]),
        ];
      case 'tool_call':
        return [
          {
            functionCall: { id: block.id, name: block.name, args: objectInput(block.input) },
            ...signature,
          },
        ];
      default:
        return assertNever(block);
    }
  });
}

/**
 * Google's placeholder for a missing signature: for calls that another model made, or whose
 * thoughts were dropped with an older part of the history.
 */
const noSignature = 'skip_thought_signature_validator';

/**
 * Adds the placeholder if the first call of a turn has no signature, since Gemini refuses such a
 * turn.
 */
function signed(parts: readonly Part[], model: string): Part[] {
  const first = parts.findIndex(({ functionCall }) => functionCall !== undefined);
  if (!wantsSignatures(model)) return [...parts];
  return parts.map((part, index) =>
    index === first ? { thoughtSignature: noSignature, ...part } : part,
  );
}

/**
 * Returns the results in the order of their calls, then the attachments that cannot be inside
 * results, then the user's text and attachments.
 */
function userParts(
  { content }: Message,
  names: ReadonlyMap<string, string>,
  model: string,
): Part[] {
  const order = [...names.keys()];
  const results = content
    .filter((block) => block.type === 'tool_result')
    .sort((one, other) => order.indexOf(one.callId) - order.indexOf(other.callId));
  const answers = results.map((result) =>
    answerOf(result, names.get(result.callId) ?? '', wantsSignatures(model)),
  );
  return [
    ...answers.map(({ part }) => part),
    ...answers.flatMap(({ beside }) => beside.map(attachment)),
    ...content.flatMap((block): Part[] => {
      if (block.type === 'text') return [{ text: block.text }];
      return block.type === 'attachment' ? [attachment(block)] : [];
    }),
  ];
}

interface Answer {
  readonly part: Part;
  readonly beside: readonly AttachmentBlock[];
}

function answerOf(
  { callId, text, isError, attachments = [] }: ToolResultBlock,
  name: string,
  holdsMedia: boolean,
): Answer {
  const inside = attachments.filter(({ mediaType }) => holdsMedia && answerMedia.test(mediaType));
  const response = { [isError ? 'error' : 'output']: text };
  const parts = inside.map(({ mediaType, base64 }): FunctionResponsePart => ({
    inlineData: { mimeType: mediaType, data: base64 },
  }));
  return {
    part: { functionResponse: { id: callId, name, response, ...(parts.length > 0 && { parts }) } },
    beside: attachments.filter((each) => !inside.includes(each)),
  };
}

/** Matches the media types that Gemini 3 and later allow inside results. */
const answerMedia = /^(image\/(png|jpeg|webp)|application\/pdf)$/;
/** Matches the media types that Gemini allows as attachments of a user's message. */
const shownMedia =
  /^(image\/(png|jpeg|webp|heic|heif)|application\/pdf|audio\/.+|video\/.+|text\/.+)$/;

const attachment = ({ mediaType, name, base64 }: AttachmentBlock): Part =>
  shownMedia.test(mediaType)
    ? { inlineData: { mimeType: mediaType, data: base64 } }
    : { text: `[${name}: ${mediaType} cannot be shown to this model]` };
