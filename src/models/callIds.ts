/**
 * Fits ids of tool calls to the rules of a service: ids made by another provider may be too long or
 * hold characters that the service refuses.
 */
import { createHash } from 'node:crypto';

export interface IdRule {
  /** Matches refused characters; a global pattern. */
  readonly refused?: RegExp;
  readonly maxChars: number;
}

const hashChars = 8;

/**
 * Returns the id itself where it fits, else a shortened one with a hash. Equal ids give equal
 * results, different ids different ones.
 */
export function fittingId(id: string, { refused, maxChars }: IdRule): string {
  const clean = refused === undefined ? id : id.replace(refused, '_');
  if (clean === id && id.length <= maxChars) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashChars);
  return `${clean.slice(0, maxChars - hashChars - 1)}_${hash}`;
}
