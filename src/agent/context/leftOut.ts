/**
 * Decides when images and documents of results are removed from the conversation, before a
 * checkpoint replaces their results. Deterministic: the same events, prices and time give the same
 * decision.
 */
import type { Price } from '../../models/knownModels.ts';
import type { JournalEvent } from '../journal/events.ts';
import { attachedWeight, shownWeights } from './contextSize.ts';

export type CachePrice = Pick<Price, 'cacheRead' | 'cacheWrite'>;

/** Minimum number of requests that contain an attachment. */
const minReadings = 2;
/** Time after which a provider has discarded an unused prefix. */
const cacheLifeMs = 10 * 60_000;

/** Events that change the beginning of the conversation, so that no cached prefix applies. */
const breaking: ReadonlySet<JournalEvent['type']> = new Set([
  'context.checkpointed',
  'session.model_changed',
  'note.pinned',
  'note.unpinned',
]);

/** A result whose attachments are still in the conversation. */
interface Shown {
  readonly callId: string;
  /** Index in the shown events. */
  readonly index: number;
  readonly tokens: number;
  /** Number of replies since the model last needed the attachments. */
  readonly readings: number;
}

/**
 * Returns the ids of the calls whose attachments the next request omits. To omit an attachment,
 * everything after it has to be written to the provider's cache again. So attachments are omitted
 * when reading them from the cache has cost as much as this writing would cost more than reading.
 * With an attachment, all later ones are omitted, because their text is written again anyway. If no
 * cached prefix applies, omitting is free, so all attachments are omitted. Otherwise, attachments
 * stay if the price is unknown or reading costs nothing.
 */
export function dueAttachments(
  events: readonly JournalEvent[],
  price: CachePrice | undefined,
  nowMs: number,
): readonly string[] {
  const shown = shownWeights(events);
  const candidates = candidatesIn(shown).filter(({ readings }) => readings >= minReadings);
  if (candidates.length === 0) return [];
  if (isCold(events, nowMs)) return candidates.map(({ callId }) => callId);
  if (price === undefined || price.cacheRead === 0) return [];
  const { cacheRead, cacheWrite } = price;
  for (const [place, first] of candidates.entries()) {
    const group = candidates.slice(place);
    const paid = sum(group.map(({ tokens, readings }) => tokens * readings)) * cacheRead;
    const after = sum(shown.slice(first.index + 1).map(({ weight }) => weight));
    const follows = after - sum(group.slice(1).map(({ tokens }) => tokens));
    if (paid >= follows * (cacheWrite - cacheRead)) return group.map(({ callId }) => callId);
  }
  return [];
}

function candidatesIn(shown: ReturnType<typeof shownWeights>): readonly Shown[] {
  return shown.flatMap(({ event, isLeftOut }, index): Shown[] => {
    if (event.type !== 'tool.finished' || isLeftOut) return [];
    const tokens = attachedWeight(event);
    if (tokens === 0) return [];
    const names = [...(event.attachmentFiles ?? []), ...(event.attachments ?? [])].flatMap(
      ({ name }) => name ?? [],
    );
    const replies = shown
      .slice(index)
      .flatMap((one) => (isReply(one.event) ? JSON.stringify(one.event.content) : []));
    const needed = replies.findLastIndex((text) => names.some((name) => text.includes(name)));
    // The reply that last needed the attachment counts, too.
    const readings = replies.length - Math.max(0, needed);
    return [{ callId: event.callId, index, tokens, readings }];
  });
}

const isReply = (event: JournalEvent): event is Extract<JournalEvent, { type: 'model.replied' }> =>
  event.type === 'model.replied' && event.stop !== 'error' && event.stop !== 'aborted';

/** Returns whether the provider has no cached prefix of the conversation. */
function isCold(events: readonly JournalEvent[], nowMs: number): boolean {
  const last = events.findLastIndex(isReply);
  const replied = events[last];
  if (replied === undefined) return false;
  const asked = events.slice(0, last).findLastIndex(({ type }) => type === 'model.requested');
  const isBroken = events.slice(Math.max(0, asked)).some(({ type }) => breaking.has(type));
  return isBroken || nowMs - replied.at > cacheLifeMs;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
