import { coalesced } from '../../base/coalesced.ts';
import type { MachineRegistry } from '../list/machineRegistry.ts';
import type { OwnEngines } from './ownEngines.ts';

/**
 * Removes the containers of unlisted machines now, and whenever a machine is removed from the list.
 * A container with active runs is not removed.
 */
export function tidyContainers(machines: MachineRegistry, engines: OwnEngines): void {
  const ids = (): string[] => machines.entries().map(({ id }) => id);
  let before = ids();
  const tidy = coalesced(async () => {
    // Read the list again, because another Helios process may have added a machine just now. If the
    // file has errors, it is unknown which machines exist.
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
