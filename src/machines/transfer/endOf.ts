import { posix } from 'node:path';
import type { Machine } from '../machine.ts';
import type { End } from './end.ts';
import { localReading } from './localReading.ts';
import { localWriting } from './localWriting.ts';
import { localSystem } from './openFolder.ts';
import { shellReading } from './shellReading.ts';
import { shellWriting } from './shellWriting.ts';

const shellEnd: End = { paths: posix, ...shellReading, ...shellWriting };

const localReads = localReading(localSystem);

/**
 * Packs files of this computer without commands. Writes them by commands, which set exact times, and
 * with which a link is never followed on any system.
 */
const localShellEnd: End = { ...shellEnd, pack: localReads.pack };

const localEnd: End = { paths: localSystem.paths, ...localReads, ...localWriting(localSystem) };

/** Returns how a transfer reads and writes files of a machine. */
export function endOf(machine: Machine): End {
  if (machine.kind !== 'local') return shellEnd;
  return machine.filesOnly ? localEnd : localShellEnd;
}
