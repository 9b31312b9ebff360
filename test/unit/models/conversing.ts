/**
 * What the tests of providers share: requests, and a reader that moves the clock through the waits
 * between attempts.
 */
import assert from 'node:assert/strict';
import type {
  Message,
  ModelEvent,
  ModelProvider,
  ModelReply,
  ModelRequest,
} from '../../../src/models/model.ts';
import type { ManualClock } from '../../fakes/manualClock.ts';

export const userSays = (text: string): Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

export const request = (changes: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'some-model',
  system: [
    { text: 'You are a careful researcher.', isStable: true },
    { text: 'Rules: measure everything.', isStable: true },
    { text: 'Today there are two machines.', isStable: false },
  ],
  messages: [userSays('Begin.')],
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: {} } },
    },
    {
      name: 'launch',
      description: 'Starts a run.',
      inputSchema: { type: 'object', properties: { lr: {} } },
    },
  ],
  ...changes,
});

export interface Reading {
  readonly clock: ManualClock;
  readonly signal?: AbortSignal;
  /** Called with each event before the next one is asked for. */
  readonly on?: (event: ModelEvent) => void | Promise<void>;
  /** Leaves the clock alone when an attempt was discarded. */
  readonly keepsClock?: boolean;
}

export interface Heard {
  readonly events: readonly ModelEvent[];
  readonly reply: ModelReply;
  /** The text as a reader shows it: what belongs to discarded attempts is gone. */
  readonly shown: string;
}

/** Reads a stream to its end and checks that it ends as the contract says. */
export async function hear(
  stream: ModelProvider['stream'],
  asked: ModelRequest,
  { clock, signal = new AbortController().signal, on, keepsClock = false }: Reading,
): Promise<Heard> {
  const iterator = stream(asked, signal)[Symbol.asyncIterator]();
  const events: ModelEvent[] = [];
  for (;;) {
    const last = events.at(-1);
    const pending = iterator.next();
    if (last?.type === 'attempt.discarded' && !keepsClock) await clock.advance(last.delayMs);
    const next = await pending;
    if (next.done === true) break;
    events.push(next.value);
    await on?.(next.value);
  }
  const finished = events.filter((event) => event.type === 'finished');
  assert.equal(finished.length, 1, 'finished comes once');
  const end = events.at(-1);
  assert.ok(end?.type === 'finished', 'finished comes last');
  assert.equal(
    end.reply.failure !== undefined,
    end.reply.stop === 'error',
    'a failure exactly for the stop error',
  );
  return { events, reply: end.reply, shown: shownText(events) };
}

const shownText = (events: readonly ModelEvent[]): string => {
  const from = events.findLastIndex((event) => event.type === 'attempt.discarded') + 1;
  return events
    .slice(from)
    .map((event) => (event.type === 'text.delta' ? event.text : ''))
    .join('');
};

export const textOf = ({ content }: ModelReply): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

export const thinkingOf = ({ content }: ModelReply): string =>
  content.map((block) => (block.type === 'thinking' ? block.text : '')).join('');

export const callsIn = ({ content }: ModelReply) =>
  content.filter((block) => block.type === 'tool_call');

export const inputsIn = (reply: ModelReply): unknown[] => callsIn(reply).map(({ input }) => input);

export const idsIn = (reply: ModelReply): string[] => callsIn(reply).map(({ id }) => id);
