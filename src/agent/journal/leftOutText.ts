import type { LeftOut } from '../../project/projects.ts';
import type { JournalEvent } from './events.ts';

const way = 'with helios allow, or in VS Code with “Helios: Allow Project File…”';

/** Returns one line that says which parts of a `helios.json` are ignored, and how to allow them. */
export function leftOutText({ file, parts, why }: LeftOut): string {
  if (why === undefined)
    return `Not used until you allow it: ${listed(parts)} in ${file}. Allow it ${way}.`;
  if (parts.length === 0) return `Not used: ${file}, which ${why}.`;
  return `Not used until you allow it: ${file}, which ${why}. Allow it ${way}.`;
}

const listed = (names: readonly string[]): string => {
  const [last = '', ...others] = names.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} and ${last}`;
};

/**
 * Returns the parts of a `helios.json` that were ignored when the session was last started or
 * resumed; `undefined` if none was.
 */
export const leftOutOf = (events: readonly JournalEvent[]): LeftOut | undefined =>
  events.findLast((event) => event.type === 'session.started' || event.type === 'session.resumed')
    ?.leftOut;
