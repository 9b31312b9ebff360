/**
 * Resolves a host name from the ssh configuration to an address and keys. Uses OpenSSH or, if
 * OpenSSH is missing, a built-in parser.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { thisSystem } from '../../base/hostSystem.ts';
import { programCall } from '../../base/windowsPrograms.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { MachineFailure } from '../machine.ts';
import { parseMachineSpec } from '../machineEntry.ts';
import { pageantName } from './agents.ts';
import { settingsOf, type ConfigPlace } from './configFile.ts';
import { expandHome, expandTokens, expandVariables, pathsOf, type Tokens } from './configPaths.ts';
import { sshEnvironment } from './sshEnvironment.ts';

/**
 * A host as the user names it, such as `ada@gpu1:2222` in parts. `host` may be a name in the ssh
 * configuration; `user` and `port` override the configuration.
 */
export interface HostReference {
  readonly host: string;
  readonly user?: string | undefined;
  readonly port?: number | undefined;
}

/** Everything needed to connect. Paths are absolute. */
export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Private keys in the order in which they are tried; some may not exist. */
  readonly identityFiles: readonly string[];
  /** Jump hosts, in the order in which they are connected. */
  readonly proxyJump: readonly SshTarget[];
  /** Shell command whose stdin and stdout lead to the host. Ignored behind a jump host. */
  readonly proxyCommand?: string;
  /** Agents in the order in which they are asked: sockets, named pipes, or `pageantName`. */
  readonly agents: readonly string[];
  /** Name under which known_hosts stores the host's key. Default: `host`. */
  readonly hostKeyAlias?: string;
  /** known_hosts files, read in this order. New keys are added to the first file. */
  readonly knownHostsFiles: readonly string[];
}

export interface SshConfigOptions extends ConfigPlace {
  /** Default user name: the user on this computer. */
  readonly localUser: string;
  /** Agents to ask where the configuration names none. */
  readonly agents: readonly string[];
  /** Program of the OpenSSH client. Default: `ssh` from PATH. `null`: OpenSSH is never used. */
  readonly sshProgram?: string | null;
}

type Settings = ReadonlyMap<string, string[][]>;

const run = promisify(execFile);
const maxJumps = 8;
const defaultKeys = ['id_ed25519', 'id_ecdsa', 'id_rsa'];

/**
 * Resolves a reference. Rejects with `MachineFailure('unreachable')` when the configuration is
 * invalid, with the position of the error.
 */
export const resolveHost = (
  reference: HostReference,
  options: SshConfigOptions,
): Promise<SshTarget> => resolve(reference, options, maxJumps);

async function resolve(
  reference: HostReference,
  options: SshConfigOptions,
  jumpsLeft: number,
): Promise<SshTarget> {
  if (reference.host.startsWith('-')) throw unusable(`"${reference.host}" is not a host.`);
  const settings =
    (await askOpenSsh(reference, options)) ?? (await settingsOf(reference.host, options));
  const target = targetOf(reference, settings, options);
  const jumps = valuesOf(settings, 'proxyjump')[0]?.[0] ?? 'none';
  if (jumps === 'none') return { ...target, ...proxyOf(reference, target, settings, options) };
  if (jumpsLeft === 0)
    throw unusable(
      `${reference.host} is behind too many ProxyJump hosts in ${options.configFile}.`,
    );
  const proxyJump: SshTarget[] = [];
  for (const jump of expandTokens(jumps, tokensOf(reference, target, options)).split(',')) {
    const hop = await resolve(jumpOf(jump, reference, options), options, jumpsLeft - 1);
    // A later jump host is reached through the earlier jump hosts, so its own jump hosts are
    // ignored.
    if (proxyJump.length === 0) proxyJump.push(...hop.proxyJump);
    proxyJump.push({ ...hop, proxyJump: [] });
  }
  return { ...target, proxyJump };
}

function jumpOf(
  jump: string,
  { host: behind }: HostReference,
  { configFile }: SshConfigOptions,
): HostReference {
  try {
    const { host = '', user, port } = parseMachineSpec(jump);
    return { host, user, port };
  } catch (error) {
    throw unusable(`ProxyJump "${jump}" of ${behind} in ${configFile} is not a host.`, {
      cause: error,
    });
  }
}

function proxyOf(
  reference: HostReference,
  target: SshTarget,
  settings: Settings,
  options: SshConfigOptions,
): { proxyCommand?: string } {
  const command = valuesOf(settings, 'proxycommand')[0]?.join(' ') ?? 'none';
  if (command === 'none') return {};
  const { host } = reference;
  if (valuesOf(settings, 'proxyusefdpass')[0]?.[0] === 'yes')
    throw unusable(
      `${host} uses ProxyUseFdpass in ${options.configFile}, which Helios does not support. ` +
        'Use ProxyJump, or a ProxyCommand without it.',
    );
  // Check the names, because they become part of a shell command.
  const allowed = isWindows(options) ? /^[\w.:@+-]+$/ : /^[\w.:%@+-]+$/;
  if (![target.host, target.user, host].every((word) => allowed.test(word)))
    throw unusable(
      `The name or user of ${host} contains characters that are not allowed in a ProxyCommand.`,
    );
  return { proxyCommand: expandTokens(command, tokensOf(reference, target, options)) };
}

const isWindows = ({ homeFolder }: SshConfigOptions): boolean => pathsOf(homeFolder).sep === '\\';

const unusable = (message: string, options?: ErrorOptions): MachineFailure =>
  new MachineFailure('unreachable', message, options);

const valuesOf = (settings: Settings, keyword: string): string[][] => settings.get(keyword) ?? [];

/** Resolves the reference with OpenSSH; `undefined` if OpenSSH is missing. */
async function askOpenSsh(
  reference: HostReference,
  options: SshConfigOptions,
): Promise<Settings | undefined> {
  const program =
    options.sshProgram === undefined ? programCall(thisSystem(), 'ssh') : options.sshProgram;
  if (program === null) return undefined;
  const more = [
    ...(reference.user === undefined ? [] : ['-l', reference.user]),
    ...(reference.port === undefined ? [] : ['-p', String(reference.port)]),
  ];
  try {
    const argv = ['-G', '-F', options.configFile, ...more, '--', reference.host];
    const { stdout } = await run(program, argv, {
      timeout: 10_000,
      maxBuffer: 1 << 20,
      env: sshEnvironment(),
      windowsHide: true,
    });
    return parseAnswer(stdout);
  } catch (error) {
    // OpenSSH is missing, or has no configuration to read.
    if (codeOf(error) === 'ENOENT' || /Can't open user config file/.test(messageOf(error)))
      return undefined;
    const detail = messageOf(error).split('\n').slice(1).join(' ');
    const reason = quotedReason(detail, 'ssh', messageOf(error));
    throw unusable(`The ssh configuration of ${reference.host} is invalid: ${reason}`);
  }
}

function parseAnswer(text: string): Settings {
  const settings = new Map<string, string[][]>();
  for (const line of text.split('\n')) {
    const [keyword = '', ...words] = line.trim().split(' ');
    settings.set(keyword, [...(settings.get(keyword) ?? []), words]);
  }
  return settings;
}

function targetOf(
  reference: HostReference,
  settings: Settings,
  options: SshConfigOptions,
): SshTarget {
  const first = (keyword: string): string | undefined => valuesOf(settings, keyword)[0]?.join(' ');
  const host = expandTokens(first('hostname') ?? reference.host, { h: reference.host });
  const user = reference.user ?? first('user') ?? options.localUser;
  const port = reference.port ?? Number(first('port') ?? 22);
  const tokens = tokensOf(reference, { host, user, port }, options);
  const path = (name: string): string => expandPath(name, tokens, options);
  const ssh = (name: string): string =>
    pathsOf(options.homeFolder).join(options.homeFolder, '.ssh', name);
  const keys = valuesOf(settings, 'identityfile').map((words) => path(words.join(' ')));
  const knownHosts = valuesOf(settings, 'userknownhostsfile')[0]?.map(path);
  const global = valuesOf(settings, 'globalknownhostsfile')[0] ?? ['/etc/ssh/ssh_known_hosts'];
  const hostKeyAlias = first('hostkeyalias');
  return {
    host,
    port,
    user,
    identityFiles: (keys.length > 0 ? keys : defaultKeys.map(ssh)).filter(
      (name) => name !== 'none',
    ),
    proxyJump: [],
    agents: agentsOf(first('identityagent'), path, options),
    ...(hostKeyAlias === undefined ? {} : { hostKeyAlias }),
    knownHostsFiles: [...(knownHosts ?? [ssh('known_hosts')]), ...global],
  };
}

/** Returns the agents for a value of `IdentityAgent`. `$NAME` names a variable with the socket. */
function agentsOf(
  setting: string | undefined,
  path: (name: string) => string,
  { agents, env = process.env }: SshConfigOptions,
): readonly string[] {
  if (setting === undefined || setting === 'SSH_AUTH_SOCK') return agents;
  const [, variable] = /^\$(\w+)$/.exec(setting) ?? [];
  const socket = variable === undefined ? setting : env[variable];
  if (socket === undefined || socket === '' || socket === 'none') return [];
  return [socket === pageantName || variable !== undefined ? socket : path(socket)];
}

/** Expands the tokens, the variables and the `~` of a path. */
const expandPath = (
  text: string,
  tokens: Tokens,
  { homeFolder, env = process.env }: SshConfigOptions,
): string => expandHome(expandVariables(expandTokens(text, tokens), env), homeFolder);

const tokensOf = (
  reference: HostReference,
  { host, user, port }: Pick<SshTarget, 'host' | 'user' | 'port'>,
  { localUser, homeFolder }: SshConfigOptions,
): Tokens => ({
  h: host,
  n: reference.host,
  p: String(port),
  r: user,
  u: localUser,
  d: homeFolder,
});
