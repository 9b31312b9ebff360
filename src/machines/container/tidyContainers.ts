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
    // Read the list again: another Helios process may have added a machine. If the file has errors,
    // remove nothing: a machine may be missing.
    await machines.reload();
    if (machines.problems.length > 0) return;
    const currentIds = ids();
    await engines.removeStrays((id) => currentIds.includes(id));
  });
  void tidy();
  machines.onDidChange(() => {
    const now = ids();
    const isLess = before.some((id) => !now.includes(id));
    before = now;
    if (isLess) void tidy();
  });
}
