/**
 * Decides when the conversation is shortened and which turns stay: a briefing from the journal
 * replaces older turns, the newest turns stay verbatim. Deterministic: makes no model call.
 */
import { capText } from '../../base/text.ts';
import { untrusted, withoutUntrustedMarks } from '../../base/untrusted.ts';
import type { ModelDescription } from '../../models/model.ts';
import { contextSize, replaceUpTo, type ContextSize } from './contextSize.ts';
import type { JournalEvent } from '../journal/events.ts';
import { textTokens } from '../../base/textTokens.ts';

/** Context window, in tokens, assumed for a model whose provider does not report it. */
const defaultWindowTokens = 128_000;
/**
 * Maximum output tokens of a reply: the providers of Helios request no longer replies, even if the
 * model supports them.
 */
const replyTokens = 32_000;
/** Largest share of the window that is reserved for the reply. */
const replyShare = 0.25;
/**
 * Share of the window (without the room for the reply) that a request may fill. The remainder
 * allows for errors in the estimated size of the request.
 */
const safeShare = 0.9;
/**
 * Maximum size of a request in tokens, however large the window. Every call is charged for its
 * whole input, and the briefing, the ledger and the notes contain what matters. Beyond about this
 * size, a longer conversation costs more than shortening it.
 */
const workingTokens = 64_000;
/**
 * Minimum room for the conversation in tokens, even when the system prompt leaves less: shortening
 * the conversation further gains nothing.
 */
const minRoomTokens = 2_000;
/**
 * Maximum size of the conversation after the model refused a conversation as too long, as a share
 * of the refused size.
 */
const refusedShare = 0.75;

/**
 * Share of the room for the conversation that the newest turns may take after a shortening. These
 * turns and the briefing take at most half of the room, or three quarters with `newestShare`; the
 * remainder is free for the following turns.
 */
const keptShare = 0.25;
/** Larger share for the newest turn alone: the model has not read its results yet. */
const newestShare = 0.5;
const briefingShare = 0.25;
const maxBriefingTokens = 8_000;
const minBriefingTokens = 500;

/** Maximum sizes in tokens, as `textTokens` counts. */
export interface Room {
  /** The whole conversation. A larger conversation is shortened. */
  readonly conversation: number;
  /** The newest turns that stay verbatim after a shortening. */
  readonly kept: number;
  /** The newest turn, when it is the only turn that stays. */
  readonly newest: number;
  readonly briefing: number;
}

export interface Shortening {
  /** Id of the last event that the briefing replaces. */
  readonly upTo: string;
  readonly room: Room;
}

/** Returns how much conversation fits next to the prompt and the reply. */
export function roomOf(window: ModelDescription | undefined, size: ContextSize): Room {
  const { contextTokens = defaultWindowTokens, maxOutputTokens = replyTokens } = window ?? {};
  const reply = Math.min(maxOutputTokens, replyTokens, contextTokens * replyShare);
  const full = Math.min((contextTokens - reply) * safeShare, workingTokens);
  const free = Math.max(full - size.fixedTokens, minRoomTokens) / size.factor;
  const conversation = Math.min(free, (size.refusedWeight ?? Infinity) * refusedShare);
  return {
    conversation,
    kept: conversation * keptShare,
    newest: conversation * newestShare,
    briefing: briefingRoom(conversation * briefingShare),
  };
}

const briefingRoom = (tokens: number): number =>
  Math.max(minBriefingTokens, Math.min(maxBriefingTokens, tokens));

/**
 * Returns how to shorten the conversation before the next request; `undefined` when the
 * conversation fits. `unmeasuredTokens`: size of the system prompt and the tools, as `promptTokens`
 * counts.
 */
export function dueShortening(
  events: readonly JournalEvent[],
  window: ModelDescription | undefined,
  unmeasuredTokens: number,
): Shortening | undefined {
  const size = contextSize(events, unmeasuredTokens);
  const room = roomOf(window, size);
  if ((size.totalTokens - size.fixedTokens) / size.factor <= room.conversation) return undefined;
  const upTo = replaceUpTo(events, room.kept, room.newest);
  return upTo === undefined ? undefined : { upTo, room };
}

/**
 * Returns the results and messages since the last reply, truncated to `maxTokens` in total, if the
 * newest turn was too large to stay verbatim; else `undefined`. Without this text, the model would
 * request the results again.
 */
export function newestPart(
  events: readonly JournalEvent[],
  upTo: string,
  maxTokens: number,
): string | undefined {
  const remaining = events.slice(events.findLastIndex(({ id }) => id === upTo) + 1);
  if (remaining.some(isReply)) return undefined;
  const replied = events.findLastIndex(isReply);
  const fresh = events.slice(replied + 1).flatMap((event): [title: string, text: string][] => {
    if (event.type === 'tool.finished') return [[`result of ${event.name}`, event.text]];
    if (event.type !== 'message.added' || event.origin === 'goal') return [];
    return [
      [
        event.origin === 'person' && event.isUnsaid !== true ? fromUser : 'message of Helios',
        event.text,
      ],
    ];
  });
  if (replied === -1 || fresh.length === 0) return undefined;
  const each = maxTokens / fresh.length;
  // Truncation could separate the marks of untrusted text, so the whole truncated text is marked.
  const texts = fresh.map(([origin, text]) =>
    origin === fromUser
      ? `${fromUser}:\n${endsOf(text, each)}`
      : untrusted(endsOf(withoutUntrustedMarks(text), each), origin),
  );
  return `The latest results were too long to be kept whole; request less at a time.\n\n${texts.join('\n\n')}`;
}

const fromUser = 'Message from the user';

const isReply = (event: JournalEvent): boolean =>
  event.type === 'model.replied' && event.stop !== 'error';

/** Returns the beginning and the end of a text, with a note about the omitted part between them. */
function endsOf(text: string, maxTokens: number): string {
  const tokens = textTokens(text);
  return tokens <= maxTokens
    ? text
    : capText(text, Math.max(100, Math.floor((text.length * maxTokens) / tokens))).text;
}
