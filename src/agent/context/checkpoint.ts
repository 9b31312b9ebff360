/**
 * Decides when the conversation is shortened and what stays: a briefing from the journal replaces
 * older turns, the newest stay verbatim. Deterministic: no model is asked.
 */
import { capText } from '../../base/text.ts';
import type { ModelDescription } from '../../models/model.ts';
import { contextSize, replaceUpTo, type ContextSize } from './contextSize.ts';
import type { JournalEvent } from '../journal/events.ts';
import { textTokens } from '../../base/textTokens.ts';

/** Context window of a model that reports only its name. */
const defaultWindowTokens = 128_000;
/** Upper bound of a reply: providers request no longer ones, whatever the model could write. */
const replyTokens = 32_000;
/** Largest share of the window that is reserved for the reply. */
const replyShare = 0.25;
/** Safety margin for errors of the estimate. */
const safeShare = 0.9;
/**
 * Upper bound of a request, however large the window. Every call is charged for its whole input,
 * and the briefing, the ledger and the notes hold what matters. Beyond about this size, a longer
 * conversation costs more than shortening it.
 */
const workingTokens = 64_000;
/** Smallest room for conversation: shortening below it gains nothing. */
const minRoomTokens = 2_000;
/**
 * Next size to try after the model refused a conversation as too long, as a share of the refused
 * size.
 */
const refusedShare = 0.75;

/**
 * Shares of the room for conversation. The remainder, half or more, is free for the following
 * turns.
 */
const keptShare = 0.25;
/** Share for the newest turn alone: the model has not read its results yet. */
const newestShare = 0.5;
const briefingShare = 0.25;
const maxBriefingTokens = 8_000;
const minBriefingTokens = 500;

/** Sizes in `textTokens`. */
export interface Room {
  readonly conversation: number;
  readonly kept: number;
  readonly newest: number;
  readonly briefing: number;
}

export interface Shortening {
  /** Id of the last event to be replaced. */
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
    briefing: Math.max(
      minBriefingTokens,
      Math.min(maxBriefingTokens, conversation * briefingShare),
    ),
  };
}

/**
 * Returns what has to be replaced before the next request, if anything. `unmeasuredTokens`: size of
 * the system prompt and the tools, as `promptTokens` counts.
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
 * Returns everything since the last reply, truncated to `maxTokens` in total, if the newest turn
 * was too large to stay verbatim; else `undefined`. Without this text, the model would request the
 * results again.
 */
export function newestPart(
  events: readonly JournalEvent[],
  upTo: string,
  maxTokens: number,
): string | undefined {
  const kept = events.slice(events.findLastIndex(({ id }) => id === upTo) + 1);
  if (kept.some(isReply)) return undefined;
  const replied = events.findLastIndex(isReply);
  const fresh = events.slice(replied + 1).flatMap((event): [title: string, text: string][] => {
    if (event.type === 'tool.finished') return [[`Result of ${event.name}`, event.text]];
    return event.type === 'message.added' && event.origin !== 'goal'
      ? [['Message', event.text]]
      : [];
  });
  if (replied === -1 || fresh.length === 0) return undefined;
  const each = maxTokens / fresh.length;
  const texts = fresh.map(
    ([title, text]) => `${title}, as data:\n\`\`\`\n${endsOf(text, each)}\n\`\`\``,
  );
  return `The latest results were too long to be kept whole; request less at a time.\n\n${texts.join('\n\n')}`;
}

const isReply = (event: JournalEvent): boolean =>
  event.type === 'model.replied' && event.stop !== 'error';

/** Returns the beginning and the end of a text, with a note about the omitted part between them. */
function endsOf(text: string, maxTokens: number): string {
  const tokens = textTokens(text);
  return tokens <= maxTokens
    ? text
    : capText(text, Math.max(100, Math.floor((text.length * maxTokens) / tokens))).text;
}
