import { rename } from 'node:fs/promises';
import { systemClock, type Clock } from '../base/clock.ts';
import { codeOf } from '../base/errors.ts';
import { retry, type RetryPolicy } from '../base/retries.ts';
import { StorageFailure } from './storageFailure.ts';
import { currentPlatform } from '../base/platform.ts';

export const replacingOn = (clock: Clock): ReplaceDeps => ({
  clock,
  platform: currentPlatform(),
  rename,
});

export interface ReplaceDeps {
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): Promise<void>;
}

const whileHeld: RetryPolicy = { firstMs: 10, factor: 2, longestMs: 250, withinMs: 5_000 };
const heldCodes: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];

/**
 * Renames `from` to `to`, which it replaces. Windows refuses this while another program, such as a
 * virus scanner, has one of the files open: there, tries again for five seconds, and then rejects
 * with a `StorageFailure` that may pass. Rejects with other errors of the system as they are.
 */
export async function replaceFile(
  from: string,
  to: string,
  deps: ReplaceDeps = replacingOn(systemClock),
): Promise<void> {
  const isHeld = (error: unknown): boolean =>
    deps.platform === 'win32' && heldCodes.includes(codeOf(error));
  const again = (error: unknown, waitMs: number): number | undefined =>
    isHeld(error) ? waitMs : undefined;
  try {
    await retry(whileHeld, { clock: deps.clock, again }, () => deps.rename(from, to));
  } catch (error) {
    if (!isHeld(error)) throw error;
    throw new StorageFailure(
      'io',
      `Cannot replace ${to}: another program, such as a virus scanner or an editor, has it open. Close that program.`,
      { cause: error },
    );
  }
}
