/** Text of the message after a session was set to continue, or not, when VS Code closes. */
import type { PlaceWarning } from '../../base/placeWarnings.ts';
import { oneLine } from '../../base/text.ts';

/** @param warnings Warnings about the place, which matter only to a session that continues. */
export function keptText(goal: string, isKept: boolean, warnings: readonly PlaceWarning[]): string {
  const name = `“${oneLine(goal, 60)}”`;
  if (!isKept) return `${name} stops when VS Code closes, and waits for the next window.`;
  return [
    `${name} continues in the background when VS Code closes, and returns to the next window.`,
    ...warnings.flatMap(({ text, action }) => [text, action]),
  ].join(' ');
}
