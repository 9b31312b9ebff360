import { randomBytes } from 'node:crypto';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = Branded<'session'>;
export type RunId = Branded<'run'>;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

let pool = Buffer.alloc(0);

/** Returns random bytes, of which the system is asked for many at once. */
function nextBytes(count: number): Buffer {
  if (pool.length < count) pool = randomBytes(3000);
  const bytes = pool.subarray(0, count);
  pool = pool.subarray(count);
  return bytes;
}

/**
 * Returns `<prefix>-<time><random>`. Ids with the same prefix sort by creation time and are safe as
 * file names on every system.
 */
function newId(prefix: string, nowMs: number): string {
  const time = nowMs.toString(36).padStart(9, '0');
  const random = [...nextBytes(6)].map((byte) => alphabet[byte % 32]).join('');
  return `${prefix}-${time}${random}`;
}

export const newSessionId = (nowMs: number): SessionId => newId('s', nowMs) as SessionId;
export const newRunId = (nowMs: number): RunId => newId('r', nowMs) as RunId;
export const newEventId = (nowMs: number): string => newId('e', nowMs);

const idPattern = /^[a-z]-[0-9a-z]{9,24}$/;
export const isSessionId = (text: string): text is SessionId =>
  text.startsWith('s-') && idPattern.test(text);
export const isRunId = (text: string): text is RunId =>
  text.startsWith('r-') && idPattern.test(text);
