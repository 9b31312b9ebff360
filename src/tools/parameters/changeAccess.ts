/** The access of a call that changes a file, with the change where the user decides about it. */
import { lineDiff } from '../../base/lineDiff.ts';
import type { Access } from '../../permissions/access.ts';
import { pathUse } from '../../permissions/pathRule.ts';
import { usualPaths } from '../../permissions/pathRules.ts';
import { writeAccess } from './accesses.ts';
import { machinePath, type MachineTools } from './machinePath.ts';

const maxFileBytes = 256 * 1024;

/**
 * Resolves with the access, as `writeAccess` does. `changed` returns the new text of the file from
 * its present one, which is empty for a file that does not exist.
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
    // The call itself reports what is wrong; the arguments show what it would write.
    return access;
  }
}
