/** Resolves the paths of reads on their machine, so that links to keys are judged as keys. */
import { ToolFailure } from '../../base/errors.ts';
import type { Machine } from '../../machines/machine.ts';
import { realPath } from '../../machines/realPath.ts';
import type { Access } from '../../permissions/access.ts';
import { keyUse } from '../../permissions/keyAccess.ts';
import { keyNote, type KeyPaths } from '../../permissions/keyPaths.ts';

/** Resolves with the access to a file, with its real path if that differs. */
export async function resolvedRead(
  machine: Pick<Machine, 'id' | 'query'>,
  path: string,
): Promise<Access> {
  const real = await realPath(machine, path);
  return { kind: 'read', machineId: machine.id, path, ...(real !== path && { realPath: real }) };
}

/**
 * Checks an access that was resolved on the machine. Throws `ToolFailure` if it uses a key and the
 * approval was not about that: the machine was not known before, or a file has changed.
 */
export function checkKeys(
  access: Access,
  { approved, keys }: { readonly approved: readonly Access[]; readonly keys: KeyPaths },
): void {
  const use = keyUse([access], keys);
  if (use === undefined) return;
  const isApproved = use.verdict === 'ask' && keyUse(approved, keys) !== undefined;
  if (!isApproved)
    throw new ToolFailure(
      `Not allowed: ${keyNote(use)}. ${use.verdict === 'ask' ? 'Call again to ask for it.' : 'Find another way, or continue without it.'}`,
    );
}
