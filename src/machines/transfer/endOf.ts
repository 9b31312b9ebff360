import { posix } from 'node:path';
import type { Machine } from '../machine.ts';
import type { End } from './end.ts';
import { localReading } from './localReading.ts';
import { localWriting } from './localWriting.ts';
import { localSystem } from './openFolder.ts';
import { shellReading } from './shellReading.ts';
import { shellWriting } from './shellWriting.ts';

const shellEnd: End = { paths: posix, ...shellReading, ...shellWriting };

/** Reads files of this computer without commands; changes them by commands, which keep exact times. */
const localShellEnd: End = { ...shellEnd, pack: localReading(localSystem).pack };

const localEnd: End = {
  paths: localSystem.paths,
  ...localReading(localSystem),
  ...localWriting(localSystem),
};

/** Returns how a transfer reads and writes files of a machine. */
export function endOf(machine: Machine): End {
  if (machine.kind !== 'local') return shellEnd;
  return machine.runsCommands === false ? localEnd : localShellEnd;
}
