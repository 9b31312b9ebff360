/**
 * Writes a conversation in the format of `claude`'s own transcripts, so that `claude` can resume
 * that conversation with all calls, results and images.
 */
import { randomUUID } from 'node:crypto';
import type { Turn } from './asked.ts';

export interface TranscriptContext {
  /** The working folder of `claude`. */
  readonly folder: string;
  readonly model: string;
  readonly version: string;
  readonly nowMs: number;
}

const noTokens = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

/** Returns lines of JSON, one per message. Each line has the id of the line before. */
export function transcriptOf(messages: readonly Turn[], context: TranscriptContext): string {
  const sessionId = randomUUID();
  const ids = messages.map(() => randomUUID());
  const entries = messages.map((message, index) => ({
    parentUuid: ids[index - 1] ?? null,
    isSidechain: false,
    userType: 'external',
    cwd: context.folder,
    sessionId,
    version: context.version,
    type: message.role,
    message: message.role === 'assistant' ? replyOf(message, context.model) : message,
    uuid: ids[index],
    timestamp: new Date(context.nowMs + index).toISOString(),
  }));
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

function replyOf({ content }: Turn, model: string) {
  const isCalling = content.some((block) => block.type === 'tool_use');
  return {
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: isCalling ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: noTokens,
  };
}
