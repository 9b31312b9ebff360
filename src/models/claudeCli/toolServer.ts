/**
 * Offers the tools of Helios to `claude` as an MCP server inside this process. The server runs no
 * tool: it answers each call with the result from the agent's loop.
 */
import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import type { ToolSpec } from '../model.ts';

export const toolServerName = 'helios';

/**
 * Returns the name of a tool without the server's name, which older versions of `claude` put in
 * front.
 */
export const ownToolName = (name: string): string => name.replace(/^mcp__helios__/, '');

/** Passes results to the calls that wait for them, matched by the id of the call alone. */
export class Handover {
  readonly #calls = new Map<string, PromiseWithResolvers<CallToolResult>>();

  /** Resolves with the result of a call, as soon as the result is handed over. */
  wait(callId: string): Promise<CallToolResult> {
    return this.#call(callId).promise;
  }

  give(result: ToolResultBlockParam): void {
    this.#call(result.tool_use_id).resolve(toolResult(result));
  }

  #call(callId: string): PromiseWithResolvers<CallToolResult> {
    const call = this.#calls.get(callId) ?? Promise.withResolvers<CallToolResult>();
    this.#calls.set(callId, call);
    return call;
  }
}

/** Returns whether MCP can pass the result to the model unchanged. False for a PDF, for example. */
export const canBeHandedOver = ({ content = [] }: ToolResultBlockParam): boolean =>
  typeof content === 'string' || content.every(({ type }) => type === 'text' || type === 'image');

function toolResult({
  content = [],
  is_error: isError = false,
}: ToolResultBlockParam): CallToolResult {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  return {
    content: blocks.flatMap((block): ContentBlock[] => {
      if (block.type === 'text') return [{ type: 'text', text: block.text }];
      if (block.type === 'image' && block.source.type === 'base64')
        return [{ type: 'image', data: block.source.data, mimeType: block.source.media_type }];
      return [];
    }),
    isError,
  };
}

/**
 * Creates the MCP server. Uses the low-level class, which does not change the schemas. The id of a
 * call is in the request's `_meta`; a request without an id gets an error, since its result could
 * not be matched.
 */
export async function createToolServer(tools: readonly ToolSpec[], handover: Handover) {
  const { Server } = await import('@modelcontextprotocol/sdk/server/index.js');
  const options = { capabilities: { tools: {} }, jsonSchemaValidator: noForms };
  const server = new Server({ name: toolServerName, version: '1' }, options);
  server.fallbackRequestHandler = async ({ method, params }) => {
    if (method === 'tools/list') return { tools: tools.map(listed) };
    const callId = params?._meta?.['claudecode/toolUseId'];
    if (typeof callId === 'string') return handover.wait(callId);
    return {
      isError: true,
      content: [{ type: 'text', text: 'This call has no id. Run `claude update`.' }],
    };
  };
  return server;
}

/**
 * Validator for forms that MCP servers may show to users. Never used, because this server shows no
 * forms.
 */
const noForms = {
  getValidator(): never {
    throw new Error('Forms are not supported.');
  },
};

const listed = ({ name, description, inputSchema }: ToolSpec) => ({
  name,
  description,
  inputSchema: { ...inputSchema, type: 'object' },
});
