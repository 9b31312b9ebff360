/**
 * Finds the access of a call that changes a file. If the user is asked about this file, the access
 * includes the change as lines.
 */
import { lineDiff } from '../../base/lineDiff.ts';
import type { Access } from '../../permissions/access.ts';
import { pathUse } from '../../permissions/pathRule.ts';
import { usualPaths } from '../../permissions/pathRules.ts';
import { writeAccess } from './accesses.ts';
import { machinePath, type MachineTools } from './machinePath.ts';

const maxFileBytes = 256 * 1024;

/**
 * Resolves with the access, as `writeAccess` does. `changed` receives the current text of the file
 * (empty if the file does not exist), and returns the new text.
 */
export async function changeAccess(
  { machines, paths = usualPaths }: MachineTools,
  place: { readonly machineId: string; readonly path: string },
  changed: (before: string) => string,
): Promise<Access> {
  const access = await writeAccess(machines, place);
  if (access.kind !== 'write' || pathUse([access], paths)?.verdict !== 'ask') return access;
  try {
    const machine = machines.get(place.machineId);
    const path = await machinePath(machine, access.path);
    const stat = await machine.stat(path);
    if ((stat?.sizeBytes ?? 0) > maxFileBytes) return access;
    const before = stat === undefined ? '' : Buffer.from(await machine.readFile(path)).toString();
    return { ...access, change: lineDiff(before, changed(before)) };
  } catch {
    // The call itself reports the error. The user sees the new text in the arguments of the call.
    return access;
  }
}
