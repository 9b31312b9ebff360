import { whyUnconfined } from '../../compose/confinement.ts';
import { cleanText } from '../../base/text.ts';
import type { Machine } from '../../machines/machine.ts';
import { note, ok, type Finding } from './finding.ts';

/**
 * Resolves with a finding on whether commands can be confined on the machine; with `undefined` for
 * a container, and if that is unknown.
 */
export async function confinementFinding(machine: Machine): Promise<Finding | undefined> {
  if (machine.kind === 'container') return undefined;
  const name = `confinement ${machine.id}`;
  const where = machine.kind === 'slurm' ? ' on the login host; its nodes were not checked' : '';
  try {
    const why = await whyUnconfined(machine, 'all');
    const offline = why ?? (await whyUnconfined(machine, []));
    if (offline === undefined) return ok(name, `bubblewrap starts${where}`);
    if (why === undefined)
      return note(
        name,
        `Confined commands have no network in the mode mandate${where}: ${cleanText(offline)}.`,
        `Fix this problem, or set confinement.network of ${machine.id} in machines.json.`,
      );
    return note(
      name,
      `Commands and runs cannot be confined${where}: ${cleanText(why)}.`,
      'Fix this problem, or use a container for an agent that runs without approval.',
    );
  } catch {
    return undefined;
  }
}
