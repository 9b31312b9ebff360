/**
 * What the demo model remembers: the calls it made with their results, and what it was told, in
 * order.
 */
import type { Message, ModelRequest, ToolResultBlock } from '../model.ts';

export interface PastCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Absent while no result has come. */
  readonly result?: { readonly text: string; readonly isError: boolean };
  /** Which of the replies in this conversation made it, counted from 0. */
  readonly turn: number;
}

export interface Transcript {
  readonly calls: readonly PastCall[];
  /** What the user, the engine and the briefing said, oldest first. */
  readonly told: readonly { readonly text: string; readonly turn: number }[];
  /** Replies so far: the number of the one to be made. */
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

/** `value` as an object; an empty one when it is none. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

/** A tool's result as data. A result that is no JSON object has no fields. */
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

/** The call was cut short: it says nothing about what it was for. */
export const isInterrupted = ({ result }: PastCall): boolean =>
  result === undefined || (result.isError && /^interrupted\b/i.test(result.text));
