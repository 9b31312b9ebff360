/** Converts a `ModelRequest` to a request of the Responses API. */
import type {
  ResponseCreateParamsStreaming,
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import { assertNever } from '../../base/errors.ts';
import { fittingId } from '../callIds.ts';
import { isReasoningModel, openaiEffort } from '../catalogue.ts';
import type {
  AssistantBlock,
  AttachmentBlock,
  Message,
  ModelRequest,
  ToolResultBlock,
  UserBlock,
} from '../model.ts';
import { objectInput, replayable, thinkingItem } from '../replay.ts';

export interface ResponsesOptions {
  /** Whether to request summaries of the reasoning. */
  readonly hasSummaries: boolean;
}

export function responsesRequest(
  request: ModelRequest,
  provider: string,
  { hasSummaries }: ResponsesOptions,
): ResponseCreateParamsStreaming {
  const { model, system, tools, maxOutputTokens, conversation } = request;
  return {
    model,
    stream: true,
    store: false,
    instructions: system.map(({ text }) => text).join('\n\n'),
    input: replayable(request, provider).flatMap((message) => inputItems(message, provider, model)),
    ...(tools.length === 0 ? {} : { tools: tools.map(functionTool), parallel_tool_calls: true }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(conversation === undefined ? {} : { prompt_cache_key: conversation }),
    ...reasoningParams(request, hasSummaries),
  };
}

const functionTool = ({ name, description, inputSchema }: ModelRequest['tools'][number]) => ({
  type: 'function' as const,
  name,
  description,
  parameters: { ...inputSchema },
  strict: false,
});

/**
 * Returns the reasoning parameters. Without storage, reasoning is returned only as encrypted
 * content.
 */
function reasoningParams(
  { model, effort }: ModelRequest,
  hasSummaries: boolean,
): Partial<ResponseCreateParamsStreaming> {
  if (!isReasoningModel(model)) return {};
  return {
    include: ['reasoning.encrypted_content'],
    reasoning: {
      ...(hasSummaries ? { summary: 'auto' } : {}),
      ...(effort === undefined ? {} : { effort: openaiEffort(model, effort) }),
    },
  };
}

function inputItems(message: Message, provider: string, model: string): ResponseInputItem[] {
  if (message.role === 'assistant')
    return message.content.map((block) => assistantItem(block, provider, model));
  const content = message.content.flatMap(userContent);
  const results = message.content.filter((block) => block.type === 'tool_result').map(resultItem);
  return content.length === 0 ? results : [...results, { role: 'user', content }];
}

function assistantItem(block: AssistantBlock, provider: string, model: string): ResponseInputItem {
  switch (block.type) {
    case 'text':
      return {
        role: 'assistant',
        content: block.text,
        ...(block.phase === undefined ? {} : { phase: block.phase }),
      };
    case 'thinking':
      return thinkingItem(block, provider, model) as ResponseInputItem;
    case 'tool_call':
      return {
        type: 'function_call',
        call_id: shortId(block.id),
        name: block.name,
        arguments: JSON.stringify(objectInput(block.input)),
      };
    default:
      return assertNever(block);
  }
}

const shortId = (id: string): string => fittingId(id, { maxChars: 64 });

function resultItem({
  callId,
  text,
  isError,
  attachments = [],
}: ToolResultBlock): ResponseInputItem {
  // The API has no field for a failed call, so the text begins with `Error:`.
  const resultText = isError ? `Error: ${text}` : text;
  const output: ResponseFunctionCallOutputItem[] = [
    { type: 'input_text', text: resultText },
    ...attachments.map(attachment),
  ];
  return {
    type: 'function_call_output',
    call_id: shortId(callId),
    output: attachments.length === 0 ? resultText : output,
  };
}

function userContent(block: UserBlock): ResponseInputContent[] {
  if (block.type === 'text') return [{ type: 'input_text', text: block.text }];
  return block.type === 'attachment' ? [attachment(block)] : [];
}

function attachment({ mediaType, name, base64 }: AttachmentBlock) {
  const url = `data:${mediaType};base64,${base64}`;
  return mediaType.startsWith('image/')
    ? ({ type: 'input_image', detail: 'auto', image_url: url } as const)
    : ({ type: 'input_file', filename: name, file_data: url } as const);
}
