import { posix } from 'node:path';
import type { Access } from '../../permissions/access.ts';
import { usualPaths } from '../../permissions/pathRules.ts';
import { treeAccesses } from './accesses.ts';
import type { MachineTools } from './machinePath.ts';
import { checkPath } from './pathAccesses.ts';

interface MetricArguments {
  readonly machines?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly metrics_from?: readonly string[] | undefined;
}

/**
 * Resolves with the accesses to the files and folders from which metrics are read. For a path with
 * placeholders, the access is to the folder before the first placeholder.
 */
export async function metricAccesses(
  deps: MachineTools,
  { machines, cwd = '.', metrics_from: from = [] }: MetricArguments,
): Promise<readonly Access[]> {
  const ids = machines ?? ['local'];
  const places = ids.flatMap((machineId) =>
    from.map((path) => ({
      machineId,
      path: posix.join(/^[~/]/.test(path) ? '' : cwd, fixedPart(path)),
    })),
  );
  const accesses = await Promise.all(places.map((place) => treeAccesses(deps, place)));
  return accesses.flat();
}

/**
 * Rejects with `ToolFailure` if the agent must not read one of the files and folders, or if one of
 * them needs an approval that the user has not given.
 */
export async function checkMetricAccesses(
  deps: MachineTools,
  args: MetricArguments,
  approved: readonly Access[],
): Promise<void> {
  for (const access of await metricAccesses(deps, args))
    checkPath(access, { approved, paths: deps.paths ?? usualPaths });
}

function fixedPart(path: string): string {
  const at = path.search(/\{\w+\}/);
  return at === -1 ? path : posix.join(posix.dirname(`${path.slice(0, at)}x`), '.');
}
