/** Shows what could be imported from files, for a command without a session. */
import { exactTime } from '../base/localTime.ts';
import { counted } from '../base/text.ts';
import { importedLine } from '../agent/experiments/experimentLabels.ts';
import { readResultFiles } from '../agent/experiments/imports.ts';
import type { Machine } from '../machines/machine.ts';

/** Makes the path absolute: see `machinePath`. */
export { machinePath } from '../tools/parameters/machinePath.ts';

/**
 * Resolves with lines that describe the results in a file or folder. `path` is absolute. Rejects
 * with `UserFacing` if there are no results, and with `MachineFailure`.
 */
export async function importPreview(machine: Machine, path: string): Promise<readonly string[]> {
  const { results, problems, modifiedMs } = await readResultFiles(machine, path);
  return [
    `${path}: ${counted(results.length, 'result')} of ${exactTime(modifiedMs)}, measured outside Helios`,
    ...results.map((result) => importedLine(result)),
    ...problems.map((problem) => `Not read: ${problem}.`),
  ];
}
