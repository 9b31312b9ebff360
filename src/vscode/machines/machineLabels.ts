/**
 * Icons of machines, the commands for their terminals, their remote authority for VS Code, and the
 * question whether to trust a host key.
 */
import { cleanText, oneLine, shellQuote } from '../../base/text.ts';
import type { HostKeyQuestion } from '../../machines/machinePrompts.ts';
import { homeIdOf, labels, hasHost } from '../../presentation/machines/machineText.ts';
import type { MachineKind } from '../../machines/machine.ts';
import type {
  ContainerEntry,
  MachineEntry,
  SlurmEntry,
  SshEntry,
} from '../../machines/machineEntry.ts';

/** Codicon id per kind of machine. */
export const machineIcons: Readonly<Record<MachineKind, string>> = {
  local: 'device-desktop',
  ssh: 'remote',
  slurm: 'server-environment',
  container: 'package',
};

export interface TerminalCommand {
  readonly program: string;
  readonly arguments: readonly string[];
}

export interface TerminalPlace {
  /** Path of Helios's home folder. Its containers have the folder's id as a label. */
  readonly homeFolder: string;
  /** Expands a leading `~/` to the user's home folder. */
  expand(path: string): string;
}

/**
 * Returns the command for a terminal on the machine; `undefined` means the shell of this computer.
 */
export function terminalCommand(
  entry: MachineEntry,
  place: TerminalPlace,
): TerminalCommand | undefined {
  switch (entry.kind) {
    case 'ssh':
    case 'slurm':
      return hasHost(entry)
        ? { program: 'ssh', arguments: sshArguments(entry, place.expand) }
        : undefined;
    case 'container':
      return { program: '/bin/sh', arguments: ['-c', containerLine(entry, place)] };
  }
}

/**
 * Returns the `ssh` arguments for a terminal on the machine. `expand` converts the path of a key
 * file, such as `~/.ssh/id`, to an absolute path.
 */
function sshArguments(entry: SshEntry | SlurmEntry, expand: (path: string) => string): string[] {
  const { host, alias, user, port, auth, keyPath, workFolder } = entry;
  const name = alias ?? host ?? '';
  return [
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(keyPath === undefined ? [] : ['-i', expand(keyPath)]),
    ...(auth === 'password'
      ? ['-o', 'PreferredAuthentications=password,keyboard-interactive']
      : []),
    ...(workFolder === undefined ? [] : ['-t']),
    '--',
    user === undefined ? name : `${user}@${name}`,
    ...(workFolder === undefined ? [] : [`cd ${quotedFolder(workFolder)}; exec "$SHELL" -l`]),
  ];
}

/**
 * Returns a shell command that finds the machine's container by its labels and opens bash in the
 * container, or `sh` if the image has no bash.
 */
function containerLine(
  { id, engine, workFolder }: ContainerEntry,
  { homeFolder, expand }: TerminalPlace,
): string {
  const address =
    engine === undefined
      ? ''
      : ` -H ${shellQuote(engine.includes('://') ? engine : `unix://${expand(engine)}`)}`;
  const containerLabels = [`${labels.machine}=${id}`, `${labels.home}=${homeIdOf(homeFolder)}`];
  const filters = containerLabels.map((label) => `--filter label=${shellQuote(label)}`).join(' ');
  const folder = workFolder === undefined ? '' : ` -w ${shellQuote(workFolder)}`;
  return [
    'docker=$(command -v docker || command -v podman || echo docker)',
    `container=$("$docker"${address} ps -q -n 1 ${filters})`,
    `exec "$docker"${address} exec -it${folder} "$container" sh -c 'command -v bash >/dev/null && exec bash; exec sh'`,
  ].join('; ');
}

/**
 * Quotes a folder for the remote shell. A leading `~` stays outside the quotes, so that the shell
 * expands it.
 */
const quotedFolder = (folder: string): string =>
  folder === '~' || folder.startsWith('~/')
    ? `~${folder.length > 1 ? `/${shellQuote(folder.slice(2))}` : ''}`
    : shellQuote(folder);

/** Returns the authority (host part of the URI) that VS Code uses for a Remote-SSH window. */
export function remoteAuthority({ host, alias, user, port }: SshEntry | SlurmEntry): string {
  const name = alias ?? host ?? '';
  const bracketed = port !== undefined && name.includes(':') ? `[${name}]` : name;
  return `ssh-remote+${user === undefined ? '' : `${user}@`}${bracketed}${port === undefined ? '' : `:${port}`}`;
}

/**
 * Returns the question whether to trust a host key. Text from the host is escaped, because
 * notifications turn `[…](…)` into links.
 */
export function hostKeyText({
  machine,
  host,
  keyType,
  fingerprint,
  note,
}: HostKeyQuestion): string {
  const sentences = [
    `${machine}: the host ${host} is not known yet.`,
    `Its ${keyType} key is ${fingerprint}.`,
    ...(note === undefined ? [] : [note]),
    'Is this the right host?',
  ];
  return oneLine(cleanText(sentences.join(' ')), 600).replaceAll('](', '] (');
}
