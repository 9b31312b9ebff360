/**
 * Adapts the ids of tool calls to the rules of a service. Ids from another provider may be too long
 * or contain characters that the service refuses.
 */
import { createHash } from 'node:crypto';

export interface IdRule {
  /** Matches the characters that the service refuses. Needs the flag `g`. */
  readonly refused?: RegExp;
  readonly maxChars: number;
}

const hashChars = 8;

/**
 * Returns the id unchanged if it fits the rule, otherwise a shortened id with a hash. Different ids
 * stay different.
 */
export function fittingId(id: string, { refused, maxChars }: IdRule): string {
  const clean = refused === undefined ? id : id.replace(refused, '_');
  if (clean === id && id.length <= maxChars) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashChars);
  return `${clean.slice(0, maxChars - hashChars - 1)}_${hash}`;
}
