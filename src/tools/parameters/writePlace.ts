/** Resolves the links in a path before an access to it is judged. */
import { isInFolder } from '../../machines/absolutePath.ts';
import type { Machine } from '../../machines/machine.ts';
import { realPath, type PathMachine } from '../../machines/realPath.ts';
import type { Access } from '../../permissions/access.ts';

export interface WritePlace {
  /**
   * Absolute path with its links resolved. A path in the working folder that has no link below this
   * folder is unchanged, so that it begins with the path of the folder.
   */
  readonly path: string;
  /** The path with all its links resolved. */
  readonly realPath: string;
  /** True if the given path is in the working folder, and a link in it leads out of that folder. */
  readonly leavesFolder: boolean;
}

/** Resolves with the path to which `absolute` leads. Rejects with `MachineFailure`. */
export async function writePlace(
  machine: PathMachine & Pick<Machine, 'path' | 'workFolder'>,
  absolute: string,
): Promise<WritePlace> {
  const { path: paths, workFolder } = machine;
  const path = paths.resolve(absolute);
  if (!isInFolder(paths, workFolder, path)) {
    const outside = await realPath(machine, path);
    return { path: outside, realPath: outside, leavesFolder: false };
  }
  const [real, realFolder] = await Promise.all([
    realPath(machine, path),
    realPath(machine, workFolder),
  ]);
  const isPlain = real === paths.join(realFolder, paths.relative(workFolder, path));
  return isPlain
    ? { path, realPath: real, leavesFolder: false }
    : { path: real, realPath: real, leavesFolder: !isInFolder(paths, realFolder, real) };
}

/**
 * Returns the access to a resolved path, for the approval. `absolute` is the path as given in the
 * call.
 */
export const placeAccess = (
  kind: 'read' | 'write',
  machineId: string,
  absolute: string,
  { path, leavesFolder }: WritePlace,
): Access => ({
  kind,
  machineId,
  path,
  ...(leavesFolder && { linkPath: absolute }),
  ...(kind === 'write' && !leavesFolder && path !== absolute && { givenPath: absolute }),
});
