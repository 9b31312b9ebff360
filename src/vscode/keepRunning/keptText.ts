/** Text of the message after a session was set to continue, or not, when VS Code closes. */
import type { Place } from '../../base/place.ts';
import { warningsHere } from '../../base/placeWarnings.ts';
import { oneLine } from '../../base/text.ts';

interface Surroundings {
  readonly place: Place;
  /** Home folder of Helios. */
  readonly home: string;
}

/** Adds the warnings about the place for a session that continues. */
export function keptText(goal: string, isKept: boolean, { place, home }: Surroundings): string {
  const name = `“${oneLine(goal, 60)}”`;
  if (!isKept) return `${name} stops when VS Code closes, and waits for the next window.`;
  return [
    `${name} continues in the background when VS Code closes, and returns to the next window.`,
    ...warningsHere(place, home).flatMap(({ text, action }) => [text, action]),
  ].join(' ');
}
