import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 100;

/**
 * Reads again until the value is accepted. Rejects with the last value: as `Wrong after` where
 * there was one, and as `Not seen within` where there was none (undefined, null, false, or empty),
 * which only a late program explains.
 */
export async function eventually<T>(
  read: () => Promise<T>,
  accept: (value: T) => boolean,
  timeoutMs: number,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await read();
    if (accept(value)) return value;
    if (performance.now() > endMs) {
      const said = isAbsent(value) ? 'Not seen within' : 'Wrong after';
      throw new Error(
        `${said} ${timeoutMs / 1000} s. Last value:\n${JSON.stringify(value, undefined, 2)}`,
      );
    }
    await delay(pauseMs);
  }
}

const isAbsent = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && !value.length);
