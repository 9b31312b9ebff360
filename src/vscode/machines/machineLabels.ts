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
  readonly platform: NodeJS.Platform;
  /** Returns the address of the engine of a container, from the field `engine` of its entry. */
  engineOf(engine: string | undefined): string;
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
      return containerCommand(entry, place);
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
 * Returns a command of this computer's shell that finds the machine's container by its labels and
 * opens bash in the container, or `sh` if the image has no bash.
 */
function containerCommand(
  { id, engine, workFolder }: ContainerEntry,
  { platform, homeFolder, engineOf, expand }: TerminalPlace,
): TerminalCommand {
  const isWindows = platform === 'win32';
  const quote = isWindows ? powershellQuote : shellQuote;
  const address = `-H ${quote(engineUrl(expand(engineOf(engine))))}`;
  const containerLabels = [`${labels.machine}=${id}`, `${labels.home}=${homeIdOf(homeFolder)}`];
  const filters = containerLabels.map((label) => `--filter ${quote(`label=${label}`)}`).join(' ');
  const folder = workFolder === undefined ? '' : ` -w ${quote(workFolder)}`;
  const listing = `${address} ps -q -n 1 ${filters}`;
  const shell = `sh -c ${quote('command -v bash >/dev/null && exec bash; exec sh')}`;
  if (isWindows) {
    const lines = [
      "$docker = if (Get-Command podman -ErrorAction Ignore) { 'podman' } else { 'docker' }",
      "if (Get-Command docker -ErrorAction Ignore) { $docker = 'docker' }",
      `$container = & $docker ${listing}`,
      `& $docker ${address} exec -it${folder} $container ${shell}`,
    ];
    return { program: 'powershell.exe', arguments: ['-NoProfile', '-Command', lines.join('; ')] };
  }
  const lines = [
    'docker=$(command -v docker || command -v podman || echo docker)',
    `container=$("$docker" ${listing})`,
    `exec "$docker" ${address} exec -it${folder} "$container" ${shell}`,
  ];
  return { program: '/bin/sh', arguments: ['-c', lines.join('; ')] };
}

/** Returns the URL of an engine from its URL, or from the path of its socket or pipe. */
function engineUrl(address: string): string {
  if (address.includes('://')) return address;
  const path = address.replaceAll('\\', '/');
  return /^\/\/\.\/pipe\//i.test(path) ? `npipe://${path}` : `unix://${address}`;
}

const powershellQuote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

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
