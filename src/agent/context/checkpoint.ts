/**
 * When the conversation is shortened and what of it stays: older turns are replaced by a briefing
 * from the journal, the newest stay word for word. Deterministic: no model is asked.
 */
import { capText } from '../../base/text.ts';
import type { ModelDescription } from '../../models/model.ts';
import { contextSize, replaceUpTo, type ContextSize } from './contextSize.ts';
import type { JournalEvent } from '../journal/events.ts';
import { textTokens } from '../../base/textTokens.ts';

/** Of a model that says no more than its name. */
const defaultWindowTokens = 128_000;
/** As providers ask for no longer replies, whatever the model could write. */
const replyTokens = 32_000;
/** A window is never given to replies by more than this share. */
const replyShare = 0.25;
/** What estimates may be off by. */
const safeShare = 0.9;
/**
 * However large the window: every call is charged for all that is in it, and what matters is found
 * again in the briefing, the ledger and the notes. About where longer conversations begin to cost
 * more than shortening them.
 */
const workingTokens = 64_000;
/** Below this much conversation there is nothing to gain. */
const minRoomTokens = 2_000;
/** Of a conversation that the model refused as too long, so much is tried next. */
const refusedShare = 0.75;

/**
 * Shares of the room for conversation. What is freed lasts for as many turns as fill the rest: half
 * of it or more.
 */
const keptShare = 0.25;
/** Of the newest turn alone: its results have been read by nobody yet. */
const newestShare = 0.5;
const briefingShare = 0.25;
const maxBriefingTokens = 8_000;
const minBriefingTokens = 500;

/** Sizes for a conversation, in `textTokens`. */
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

/** How much conversation the model can be given beside its prompt and its reply. */
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
 * What has to be replaced before the next request, if anything: `unmeasuredTokens` are those of the
 * system prompt and the tools, as `promptTokens` counts them.
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
 * What is new since the last reply, cut to `maxTokens` in all, where the newest turn was too large
 * to stay word for word: a model that never saw its results would ask for them again. `undefined`
 * where the newest turn stays.
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
  return `What came last was too long to be kept whole; ask for less at a time.\n\n${texts.join('\n\n')}`;
}

const isReply = (event: JournalEvent): boolean =>
  event.type === 'model.replied' && event.stop !== 'error';

/** Beginning and end of a text, with what was left out between them said. */
function endsOf(text: string, maxTokens: number): string {
  const tokens = textTokens(text);
  return tokens <= maxTokens
    ? text
    : capText(text, Math.max(100, Math.floor((text.length * maxTokens) / tokens))).text;
}
