import { coalesced } from '../../base/coalesced.ts';
import type { MachineRegistry } from '../list/machineRegistry.ts';
import type { OwnEngines } from './ownEngines.ts';

/**
 * Now, and whenever a machine has gone from the list: what its container was is removed, unless a
 * run goes on in it.
 */
export function tidyContainers(machines: MachineRegistry, engines: OwnEngines): void {
  const ids = (): string[] => machines.entries().map(({ id }) => id);
  let before = ids();
  const tidy = coalesced(async () => {
    // Another Helios may have added a machine a moment ago. Of a file with mistakes nobody knows
    // what it means.
    await machines.reload();
    if (machines.problems.length > 0) return;
    const known = ids();
    await engines.removeStrays((id) => known.includes(id));
  });
  void tidy();
  machines.onDidChange(() => {
    const now = ids();
    const isLess = before.some((id) => !now.includes(id));
    before = now;
    if (isLess) void tidy();
  });
}
