/**
 * Finds out which web addresses a session has seen, and whether its model has read text by other
 * people.
 */
import { linkForm, linksOfUser } from '../../base/links.ts';
import { isMarked } from '../../base/untrusted.ts';
import type { WebSources } from '../../permissions/composedUrl.ts';
import type { EventOf } from '../journal/describeEvent.ts';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

/** Maximum number of addresses of each origin. The oldest is forgotten first. */
const maxSeen = 20_000;
const maxPerText = 1000;

type SeenSoFar = Pick<WebSources, 'hasReadOthers' | 'hasSeen'>;

/**
 * Returns the web sources in the events of a session. The result is the same after the session was
 * resumed.
 */
export const webSourcesOf = (events: readonly JournalEvent[]): SeenSoFar => fold(events);

class Seen implements SeenSoFar {
  readonly #ofUser = new Set<string>();
  readonly #ofOthers = new Set<string>();
  /** Question id → the answers that the agent proposed. They do not count as text of the user. */
  readonly #proposed = new Map<string, readonly string[]>();
  #hasReadOthers = false;

  hasReadOthers(): boolean {
    return this.#hasReadOthers;
  }

  hasSeen(url: string): boolean {
    const form = linkForm(url);
    return form !== undefined && (this.#ofUser.has(form) || this.#ofOthers.has(form));
  }

  add(event: JournalEvent): void {
    this.#hasReadOthers ||= bringsOthers(event);
    for (const link of linksOfUser(this.#wordsOfUser(event), maxPerText))
      this.#keep(this.#ofUser, link);
    if (event.type === 'permission.decided')
      for (const url of approvedUrls(event)) this.#keep(this.#ofUser, url);
    if (event.type === 'tool.finished')
      for (const link of event.links ?? []) this.#keep(this.#ofOthers, link);
    if (event.type === 'question.asked')
      this.#proposed.set(event.questionId, [...event.options, event.fallback]);
    if (event.type === 'question.answered') this.#proposed.delete(event.questionId);
  }

  #wordsOfUser(event: JournalEvent): string {
    switch (event.type) {
      case 'session.started':
        // The goal of a child session was written by an agent, not by the user.
        return event.parent === undefined ? event.goal : '';
      case 'message.added':
        return event.origin === 'person' ? event.text : '';
      case 'note.pinned':
        return event.text;
      case 'question.answered': {
        const isOwn = this.#proposed.get(event.questionId)?.includes(event.answer) !== true;
        return event.by === 'person' && isOwn ? event.answer : '';
      }
      default:
        return '';
    }
  }

  #keep(links: Set<string>, url: string): void {
    const form = linkForm(url);
    if (form === undefined) return;
    links.delete(form);
    links.add(form);
    const [oldest] = links;
    if (links.size > maxSeen && oldest !== undefined) links.delete(oldest);
  }
}

const fold = growingFold<JournalEvent, Seen>(
  () => new Seen(),
  (seen, event) => seen.add(event),
);

const approvedUrls = (event: EventOf<'permission.decided'>): readonly string[] =>
  event.isAllowed && event.by === 'person'
    ? (event.accesses ?? []).flatMap((access) =>
        access.kind === 'host' && access.url !== undefined ? [access.url] : [],
      )
    : [];

/** Returns true for an event that gives the model text by other people. */
function bringsOthers(event: JournalEvent): boolean {
  switch (event.type) {
    case 'session.started':
      return event.parent !== undefined;
    case 'message.added':
    case 'sweep.ended':
    case 'sweep.paused':
      return isMarked(event.text);
    case 'tool.finished':
      return (
        isMarked(event.text) || event.attachmentFiles !== undefined || event.links !== undefined
      );
    case 'run.ended':
      return event.outputTail !== undefined;
    default:
      return false;
  }
}
