/**
 * Thrown to stop reading a text that a shell may read differently from the grammar. Needed because
 * the parser returns a tree for any text.
 */
export class NotUnderstood extends Error {}

export function must(isSo: boolean): void {
  if (!isSo) throw new NotUnderstood();
}
