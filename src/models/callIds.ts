/**
 * Ids of tool calls as a service takes them: those that another provider gave may be longer, or
 * hold other characters.
 */
import { createHash } from 'node:crypto';

export interface IdRule {
  /** Characters that are refused; a global pattern. */
  readonly refused?: RegExp;
  readonly maxChars: number;
}

const hashChars = 8;

/**
 * The id itself where it fits. Otherwise one that does: the same for the same id, another for
 * another.
 */
export function fittingId(id: string, { refused, maxChars }: IdRule): string {
  const clean = refused === undefined ? id : id.replace(refused, '_');
  if (clean === id && id.length <= maxChars) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashChars);
  return `${clean.slice(0, maxChars - hashChars - 1)}_${hash}`;
}
