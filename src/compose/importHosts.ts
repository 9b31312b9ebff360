/** Selects the hosts of the SSH config that are added as machines. */
import { UserFacing } from '../base/errors.ts';
import { suggestedId, type MachineEntry, type SshEntry } from '../machines/machineEntry.ts';
import { aliasesOf, type SshHost } from './sshHosts.ts';

export interface HostImport {
  readonly entries: readonly SshEntry[];
  /** Result of the import as one line for the user. */
  readonly summary: string;
}

/**
 * Returns the machines to add, without hosts that are already machines. Throws `UserFacing` if a
 * name is not a host of the ssh config.
 */
export function planImport(
  hosts: readonly SshHost[],
  machines: readonly MachineEntry[],
  names: readonly string[] | 'all',
): HostImport {
  const aliases = aliasesOf(hosts);
  const unknown = names === 'all' ? [] : names.filter((name) => !aliases.includes(name));
  if (unknown.length > 0)
    throw new UserFacing(
      `Not a host of your SSH config: ${unknown.join(', ')}.`,
      aliases.length > 0
        ? `Its hosts: ${aliases.join(', ')}.`
        : 'It has no hosts to import: patterns such as “Host *” cannot be imported.',
    );
  const forGit = names === 'all' ? aliasesOf(hosts.filter(({ isForGit }) => isForGit)) : [];
  const wanted =
    names === 'all' ? aliases.filter((alias) => !forGit.includes(alias)) : [...new Set(names)];
  const known = wanted.filter((alias) => isKnown(alias, machines));
  const fresh = wanted.filter((alias) => !known.includes(alias));
  const usedIds = machines.map(({ id }) => id);
  const entries = fresh.map((alias): SshEntry => {
    const id = suggestedId({ alias }, usedIds);
    usedIds.push(id);
    return { id, kind: 'ssh', alias };
  });
  return { entries, summary: summaryOf({ fresh, known, forGit }) };
}

const isKnown = (alias: string, machines: readonly MachineEntry[]): boolean =>
  machines.some((entry) => entry.id === alias || (entry.kind === 'ssh' && entry.alias === alias));

type Lists = Readonly<Record<'fresh' | 'known' | 'forGit', readonly string[]>>;

function summaryOf({ fresh, known, forGit }: Lists): string {
  const parts = [
    fresh.length > 0 ? `Added ${fresh.join(', ')}.` : 'Nothing to add.',
    known.length > 0 ? `Already in the list: ${known.join(', ')}.` : '',
    forGit.length > 0 ? `Skipped, because their user is git: ${forGit.join(', ')}.` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
