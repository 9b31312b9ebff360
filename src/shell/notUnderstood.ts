/**
 * Aborts the reading of a text. A grammar parses any text; whatever a shell may read differently
 * counts as not understood.
 */
export class NotUnderstood extends Error {}

export function must(isSo: boolean): void {
  if (!isSo) throw new NotUnderstood();
}
