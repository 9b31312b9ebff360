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
 * Resolves with the accesses to the files and folders from which metrics are read. Of a path with
 * placeholders, the folder before the first one counts.
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
 * Rejects with `ToolFailure` if the agent may not read one of the files and folders, or if the user
 * was not asked about it.
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
