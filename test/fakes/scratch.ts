import { mkdtempSync, rmSync } from 'node:fs';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'mocha';

/** A fresh folder for each test of the calling suite, removed after it. Call inside `describe`. */
export function scratchFolder(): () => string {
  let folder = '';
  beforeEach(() => {
    // Also the short names of Windows are resolved.
    folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'helios-test-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return () => folder;
}

/** Waits until `isTrue`, asking often; fails with `what` after a time that only a fault takes. */
export async function until(
  what: string | (() => string),
  isTrue: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > endMs)
      throw new Error(`Not within ${withinMs} ms: ${typeof what === 'string' ? what : what()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
