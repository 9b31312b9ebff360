/**
 * Reads the conversation: the demo model's calls with their results, and the messages to the demo
 * model, in order.
 */
import type { Message, ModelRequest, ToolResultBlock } from '../model.ts';

export interface PastCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Undefined while there is no result. */
  readonly result?: { readonly text: string; readonly isError: boolean };
  /** Index of the reply that made the call, from 0. */
  readonly turn: number;
}

export interface Transcript {
  readonly calls: readonly PastCall[];
  /** Texts of the user, the engine and the briefing, oldest first. */
  readonly told: readonly { readonly text: string; readonly turn: number }[];
  /** Number of replies so far, and so the index of the next reply. */
  readonly turn: number;
}

export function readTranscript({ messages }: ModelRequest): Transcript {
  const results = resultsById(messages);
  const calls: PastCall[] = [];
  const told: { text: string; turn: number }[] = [];
  let turn = 0;
  for (const message of messages) {
    if (message.role === 'user') {
      for (const block of message.content)
        if (block.type === 'text') told.push({ text: block.text, turn });
      continue;
    }
    for (const block of message.content) {
      if (block.type !== 'tool_call') continue;
      const result = results.get(block.id);
      calls.push({
        name: block.name,
        input: asRecord(block.input),
        turn,
        ...(result && { result }),
      });
    }
    turn += 1;
  }
  return { calls, told, turn };
}

function resultsById(messages: readonly Message[]): Map<string, ToolResultBlock> {
  const blocks = messages.flatMap((message) => (message.role === 'user' ? message.content : []));
  return new Map(
    blocks
      .filter((block): block is ToolResultBlock => block.type === 'tool_result')
      .map((b) => [b.callId, b]),
  );
}

/** Returns `value` if it is an object, otherwise an empty object. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** Returns the fields of a tool's result; none if the result is not a JSON object. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return {};
  }
}

export const callsOf = ({ calls }: Transcript, name: string): PastCall[] =>
  calls.filter((call) => call.name === name);

export const succeeded = ({ result }: PastCall): boolean => result !== undefined && !result.isError;

/**
 * Returns whether the call was interrupted, so that its result does not show whether it succeeded.
 */
export const isInterrupted = ({ result }: PastCall): boolean =>
  result === undefined || (result.isError && /^interrupted\b/i.test(result.text));
