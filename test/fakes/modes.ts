import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { isThere } from '../setup/needs.ts';

/** Fails if the file or folder has another mode. Windows, which has no modes, is not asked. */
export function assertMode(file: string, mode: number): void {
  if (isThere('posix')) assert.equal(statSync(file).mode & 0o777, mode);
}
