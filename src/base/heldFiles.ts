/**
 * Replaces and deletes files that another program, such as a virus scanner, may have open, which
 * Windows refuses. There, tries again for five seconds. Rejects with `HeldFile` if the file is still
 * open then, and with other errors of the system as they are.
 */
import { renameSync, type PathLike } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { systemClock, type Clock } from './clock.ts';
import { codeOf } from './errors.ts';
import { currentPlatform } from './platform.ts';
import { retry, type RetryPolicy } from './retries.ts';

/** A file stayed open in another program. The same call may succeed later. */
export class HeldFile extends Error {
  constructor(operation: string, path: PathLike, cause: unknown) {
    super(
      `Cannot ${operation} ${String(path)}: another program, such as a virus scanner or an editor, has it open. Close that program.`,
      { cause },
    );
  }
}

/** The parts of the system that tests replace. */
export interface HeldFileDeps {
  readonly clock: Clock;
  readonly platform: NodeJS.Platform;
  rename(from: PathLike, to: PathLike): Promise<void>;
  rm(path: PathLike, options: { readonly force: true; readonly recursive: boolean }): Promise<void>;
}

export const heldFilesOn = (clock: Clock): HeldFileDeps => ({
  clock,
  platform: currentPlatform(),
  rename,
  rm,
});

const whileHeld: RetryPolicy = { firstMs: 10, factor: 2, longestMs: 250, withinMs: 5_000 };
const heldCodes: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];

const isHeld = (platform: NodeJS.Platform, error: unknown): boolean =>
  platform === 'win32' && heldCodes.includes(codeOf(error));

async function patiently(
  work: () => Promise<void>,
  held: (error: unknown) => HeldFile,
  { clock, platform }: HeldFileDeps,
): Promise<void> {
  const again = (error: unknown, waitMs: number): number | undefined =>
    isHeld(platform, error) ? waitMs : undefined;
  try {
    await retry(whileHeld, { clock, again }, work);
  } catch (error) {
    throw isHeld(platform, error) ? held(error) : error;
  }
}

/** Renames `from` to `to`, which it replaces. */
export const replaceFile = (
  from: PathLike,
  to: PathLike,
  deps: HeldFileDeps = heldFilesOn(systemClock),
): Promise<void> =>
  patiently(
    () => deps.rename(from, to),
    (error) => new HeldFile('replace', to, error),
    deps,
  );

/** Deletes a file, or with `recursive` a folder. Does nothing if there is none. */
export const removeFile = (
  path: PathLike,
  { recursive = false }: { readonly recursive?: boolean } = {},
  deps: HeldFileDeps = heldFilesOn(systemClock),
): Promise<void> =>
  patiently(
    () => deps.rm(path, { force: true, recursive }),
    (error) => new HeldFile('delete', path, error),
    deps,
  );

/** Waits before the attempts after the first. Short, because this process does nothing meanwhile. */
const syncWaitsMs = [10, 20, 40, 80];

/** The parts of the system that tests replace. */
export interface HeldFileSync {
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): void;
  wait(ms: number): void;
}

const blocking = (): HeldFileSync => ({
  platform: currentPlatform(),
  rename: renameSync,
  wait: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
});

/** Renames `from` to `to`, for callers that write again later. Tries again for a fraction of a second. */
export function replaceFileSync(from: string, to: string, system = blocking()): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return system.rename(from, to);
    } catch (error) {
      if (!isHeld(system.platform, error)) throw error;
      const waitMs = syncWaitsMs[attempt];
      if (waitMs === undefined) throw new HeldFile('replace', to, error);
      system.wait(waitMs);
    }
  }
}
