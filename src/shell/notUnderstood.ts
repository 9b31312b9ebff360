/**
 * Ends the reading of a text. A grammar finds something in every text; what may not be what a shell
 * finds counts as unknown.
 */
export class NotUnderstood extends Error {}

export function must(isSo: boolean): void {
  if (!isSo) throw new NotUnderstood();
}
