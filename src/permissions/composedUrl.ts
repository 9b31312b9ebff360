/**
 * Detects web addresses that the model composed after it had read text by other people. Such text
 * can make the model put confidential content into an address, and so send it to a host.
 */
import type { Access } from './access.ts';

/** Information about the web addresses of a session, for the gate. */
export interface WebSources {
  /** True once the model has read text that neither the user nor Helios wrote. */
  hasReadOthers(): boolean;
  /** True if the URL occurred in a message of the user, a search result or a fetched page. */
  hasSeen(url: string): boolean;
  /** The hosts that the user allows: `example.org`, or `*.example.org` for those below it. */
  allowedHosts(): readonly string[];
}

type HostAccess = Extract<Access, { readonly kind: 'host' }>;

/** Returns the accesses; those with a URL that the model composed are marked. */
export const markComposed = (
  accesses: readonly Access[],
  sources: WebSources | undefined,
): readonly Access[] =>
  sources?.hasReadOthers() === true
    ? accesses.map((access) =>
        access.kind === 'host' && !(access.url !== undefined && sources.hasSeen(access.url))
          ? { ...access, isComposed: true }
          : access,
      )
    : accesses;

/** Returns true if the call has accesses, and all of them contact hosts that the user allows. */
export const reachesAllowedHosts = (
  accesses: readonly Access[],
  sources: WebSources | undefined,
): boolean =>
  accesses.length > 0 &&
  accesses.every(
    (access) => access.kind === 'host' && isAllowed(access, sources?.allowedHosts() ?? []),
  );

function isAllowed({ host }: HostAccess, patterns: readonly string[]): boolean {
  const name = host.replace(/:\d+$/, '');
  return patterns.some((pattern) => {
    const wanted = pattern.toLowerCase();
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : [name, host].includes(wanted);
  });
}

/** Returns true if an access has a URL that the model composed. */
export const isComposed = (accesses: readonly Access[]): boolean =>
  accesses.some((access) => access.kind === 'host' && access.isComposed === true);

/** Returns a line for the user if the model composed a URL. */
export const composedNotes = (accesses: readonly Access[]): readonly string[] =>
  isComposed(accesses)
    ? [
        'The agent composed this URL after it had read text of others: it was in no message of yours, search result or page.',
      ]
    : [];

/** Reason why a composed URL is refused, as the rest of a sentence that the model reads. */
export const composedReason =
  'the URL was in no message of the user, search result or page that you read. Search for it with web_search, or fetch a link that you were shown';
