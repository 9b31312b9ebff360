/** Finds what was withheld from a run (variables, hosts), and which hosts it asked for. */
import {
  parseContacts,
  refusedHostsNote,
  type HostContact,
} from '../../machines/confinement/hostContacts.ts';
import { confinementNote } from '../../machines/confinement/confinementNote.ts';
import { withheldNote } from '../../machines/environment/withheldNote.ts';
import type { Machine } from '../../machines/machine.ts';
import type { RunSpec } from '../../runs/run.ts';
import { runFolder } from '../../runs/supervisor.ts';
import type { EventOf } from '../journal/describeEvent.ts';

const maxRecordBytes = 4 * 1024 * 1024;

/**
 * Resolves with fields of the event `run.ended`. `output` is the output of a failed run. Leaves out
 * the hosts if the machine no longer answers. Never rejects.
 */
export async function withheldFrom(
  machine: Machine | undefined,
  { id, machineId, confinement }: RunSpec,
  output: string,
): Promise<Pick<EventOf<'run.ended'>, 'withheld' | 'contacts'>> {
  const setup = await machine?.setup?.();
  const hasList = confinement !== undefined && typeof confinement.network !== 'string';
  const contacts = machine && hasList ? await contactsOf(machine, id) : [];
  const notes = [
    machine && setup && withheldNote(machine, setup, { output, isRun: true }),
    confinement && confinementNote(confinement, machineId, output),
    confinement && refusedHostsNote(confinement, contacts),
  ].filter((each) => each !== undefined);
  return {
    ...(notes.length > 0 && { withheld: notes.join(' ') }),
    ...(contacts.length > 0 && { contacts }),
  };
}

async function contactsOf(machine: Machine, id: RunSpec['id']): Promise<readonly HostContact[]> {
  try {
    const file = runFolder(machine.runsFolder, id).hosts;
    const bytes = await machine.readFile(file, { offset: 0, maxBytes: maxRecordBytes });
    return parseContacts(Buffer.from(bytes).toString());
  } catch {
    return [];
  }
}
