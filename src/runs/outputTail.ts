/**
 * Reads the last lines of a run's output. The size of the result is bounded, however long the
 * output or its lines are.
 */
import { cleanText } from '../base/text.ts';
import type { Machine } from '../machines/machine.ts';
import { runFolder } from './supervisor.ts';
import type { Run } from './liveRun.ts';

export interface OutputTail {
  /**
   * The last lines without control characters. Of a progress bar, only the last state is included.
   */
  readonly text: string;
  /** Size of the whole output. */
  readonly sizeBytes: number;
  /** Path of the output on the machine of the run. */
  readonly path: string;
  /** True if the output has more text before `text`. */
  readonly isCut: boolean;
}

const maxTailBytes = 256 * 1024;
const maxLineChars = 2000;

/**
 * Reads the last lines of a run's output. If there is no output, reads the log of the run's job,
 * which has text that the command did not print, such as errors of the scheduler. Rejects with
 * `MachineFailure`.
 */
export async function readOutput(
  machine: Machine,
  { spec, outputPath }: Run,
  lines: number,
): Promise<OutputTail> {
  const tail = await readTail(machine, outputPath, lines);
  if (tail.sizeBytes > 0 || machine.scheduler === undefined) return tail;
  return readTail(machine, runFolder(machine.runsFolder, spec.id).batch, lines);
}

export async function readTail(machine: Machine, path: string, lines: number): Promise<OutputTail> {
  const sizeBytes = (await machine.stat(path))?.sizeBytes ?? 0;
  if (sizeBytes === 0) return { text: '', sizeBytes, path, isCut: false };
  const offset = Math.max(0, sizeBytes - maxTailBytes);
  const bytes = await machine.readFile(path, { offset, maxBytes: sizeBytes - offset });
  const all = Buffer.from(bytes).toString('utf8').replace(/\n$/, '').split('\n');
  // The first line is incomplete, unless it is the only one.
  if (offset > 0 && all.length > 1) all.shift();
  const shown = all.slice(-lines);
  return {
    text: shown.map(shownLine).join('\n'),
    sizeBytes,
    path,
    isCut: offset > 0 || shown.length < all.length,
  };
}

/**
 * Returns the text that a terminal would show for a line. After `\r`, a terminal writes over the
 * line from its start.
 */
function shownLine(line: string): string {
  const states = line.split('\r').filter((state) => state !== '');
  const text = cleanText(states.at(-1) ?? '');
  return text.length <= maxLineChars
    ? text
    : `${text.slice(0, maxLineChars)}… (${text.length} characters)`;
}
