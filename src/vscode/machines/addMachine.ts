/**
 * `Helios: Add Machine`: one input box for a host, and a few questions for a Slurm cluster or a
 * container.
 */
import { window, workspace } from 'vscode';
import { UserFacing } from '../../base/errors.ts';
import { planImport } from '../../compose/importHosts.ts';
import type { MachineEntry } from '../../machines/machineEntry.ts';
import { parseMachineSpec } from '../../compose/machineFile.ts';
import type { MachineRegistry } from '../../machines/list/machineRegistry.ts';
import { aliasesOf, sshHosts, type SshHost } from '../../compose/sshHosts.ts';
import { hostChoices, stepsFor, type Knowledge } from './machineSteps.ts';
import { entryOfDraft, readOr, type MachineDraft } from './machineDraft.ts';
import { askPick, back, walk, type Answer, type StepChoice } from './steps.ts';

type First = { readonly kind: 'import' } | MachineDraft;

const title = 'Helios: Add Machine';

export interface AskedMachines {
  readonly entries: readonly MachineEntry[];
  /** Summary of an import of several hosts; `undefined` when a single machine was added. */
  readonly summary?: string;
}

/** Asks for the machines to add. Resolves with `undefined` when the user cancels. */
export async function askMachines(machines: MachineRegistry): Promise<AskedMachines | undefined> {
  const hosts = await sshHosts();
  const knowledge: Knowledge = {
    aliases: aliasesOf(hosts),
    taken: machines.list().map(({ id }) => id),
    folder: workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath,
  };
  for (;;) {
    const first = await askFirst(hosts, machines.entries());
    if (first === undefined || first === back) return undefined;
    if (first.kind === 'import') return askHosts(machines);
    const draft = await walk(first, stepsFor(first.kind, knowledge));
    if (draft !== back) return draft && { entries: [entryOfDraft(draft, knowledge.folder)] };
  }
}

function askFirst(
  hosts: readonly SshHost[],
  entries: readonly MachineEntry[],
): Promise<Answer<First>> {
  const newHosts = planImport(hosts, entries, 'all').entries.flatMap(({ alias }) => alias ?? []);
  const aliases = aliasesOf(hosts);
  const further: StepChoice<First>[] = [
    { label: '' },
    {
      label: 'Slurm Cluster…',
      detail: 'Submits jobs on a login host or on this computer',
      icon: 'server-environment',
      value: { kind: 'slurm' },
    },
    {
      label: 'Container…',
      detail: 'On this computer, isolated: suited to unattended goals',
      icon: 'package',
      value: { kind: 'container' },
    },
    {
      label: 'Import Hosts from SSH Config…',
      detail: newHosts.join(', '),
      icon: 'cloud-download',
      value: { kind: 'import' },
    },
  ];
  return askPick<First>({
    title,
    placeholder: 'Type user@host[:port] for an SSH host, or select an item',
    choices: [
      ...hostChoices(newHosts).map((choice) => ({
        ...choice,
        value: { kind: 'ssh', place: choice.value } as const,
      })),
      ...(newHosts.length > 1 ? further : further.slice(0, -1)),
    ],
    typed: (text) =>
      readOr(() => ({
        value: { kind: 'ssh', place: parseMachineSpec(text, aliases) },
        about: 'add this host',
      })),
  });
}

/** Asks for a container for a folder. Resolves with `undefined` when the user cancels. */
export async function askContainer(
  machines: MachineRegistry,
  folder: string,
): Promise<MachineEntry | undefined> {
  const taken = machines.list().map(({ id }) => id);
  const steps = stepsFor('container', { aliases: [], taken, folder });
  const draft = await walk<MachineDraft>({ kind: 'container' }, steps);
  return draft === undefined || draft === back ? undefined : entryOfDraft(draft, folder);
}

/**
 * Asks which hosts of the ssh config to add. Lists the hosts that are not machines yet, all
 * preselected. Rejects with `UserFacing` when there are no such hosts.
 */
export async function askHosts(machines: MachineRegistry): Promise<AskedMachines | undefined> {
  const hosts = await sshHosts();
  const entries = machines.entries();
  const newEntries = planImport(hosts, entries, 'all').entries;
  if (newEntries.length === 0)
    throw new UserFacing(
      'Your SSH config has no more hosts to add.',
      'Add a host by its address with “Helios: Add Machine”.',
    );
  const picked = await window.showQuickPick(
    newEntries.map(({ alias = '' }) => ({ label: alias, picked: true })),
    {
      title: 'Import Hosts from SSH Config',
      placeHolder: 'Each selected host becomes a machine; Helios connects to it later',
      canPickMany: true,
      ignoreFocusOut: true,
    },
  );
  if (picked === undefined || picked.length === 0) return undefined;
  const names = picked.map(({ label }) => label);
  return planImport(hosts, entries, names);
}
