/** Replies of a model without calls of its own, read as the agent would read them. */
import { withTextTools } from '../../../../src/models/textTools/withTextTools.ts';
import {
  noUsage,
  type ModelEvent,
  type ModelReply,
  type ModelRequest,
  type ToolSpec,
} from '../../../../src/models/model.ts';
import { request } from '../conversing.ts';

const tool = (name: string, properties: Readonly<Record<string, unknown>> = {}): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties },
});
const text = { type: 'string' };

const tools: readonly ToolSpec[] = [
  tool('get_time'),
  tool('stat_file', { path: text }),
  tool('read_file', { path: text, lines: { type: 'integer' }, whole: { type: 'boolean' } }),
  tool('write_file', { path: text, content: text }),
  tool('patch_file', { path: text, find: text, replace: text }),
  tool('create_file', { filename: text, content: text }),
  tool('search_web', { query: text, num_results: { type: 'integer' } }),
  tool('execute_bash', { command: text }),
  tool('launch', {
    lr: { type: 'number' },
    tags: { type: 'array', items: text },
    env: { type: 'object' },
  }),
];

export const block = (body: string): string => `<tool_call>\n${body}\n</tool_call>`;

export interface Told {
  readonly events: readonly ModelEvent[];
  readonly reply: ModelReply;
  readonly asked: ModelRequest;
}

/** The reply to `chunks`, as the provider streamed them. */
export async function told(
  chunks: string | readonly string[],
  changes: Partial<ModelRequest> = {},
  stop: ModelReply['stop'] = 'stop',
): Promise<Told> {
  const parts = typeof chunks === 'string' ? [chunks] : chunks;
  const asked: ModelRequest[] = [];
  async function* raw(sent: ModelRequest): AsyncGenerator<ModelEvent> {
    asked.push(sent);
    await Promise.resolve();
    for (const part of parts) yield { type: 'text.delta', text: part };
    const content = [{ type: 'text', text: parts.join('') }] as const;
    yield { type: 'finished', reply: { content, stop, usage: noUsage, model: 'm' } };
  }
  const stream = withTextTools(raw, 'local');
  const events: ModelEvent[] = [];
  const attempt = { model: 'm', usage: noUsage };
  for await (const event of stream(
    request({ tools, ...changes }),
    new AbortController().signal,
    attempt,
  ))
    events.push(event);
  const [last, [sent]] = [events.at(-1), asked];
  if (last?.type !== 'finished' || sent === undefined) throw new Error('it did not end');
  return { events, reply: last.reply, asked: sent };
}
