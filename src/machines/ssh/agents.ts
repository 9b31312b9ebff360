/** The SSH agents of this computer. */
import { readdir } from 'node:fs/promises';
import { variableOf, type HostSystem } from '../../base/hostSystem.ts';

/** The agent of PuTTY. Its pipe is found when it is asked, because the name differs each time. */
export const pageantName = 'pageant';

const pipeFolder = '\\\\.\\pipe\\';
const opensshPipe = `${pipeFolder}openssh-ssh-agent`;

/**
 * Returns the agents to ask, in order: that of `SSH_AUTH_SOCK`, otherwise those of Windows.
 */
export function defaultAgents(system: HostSystem): readonly string[] {
  const socket = variableOf(system, 'SSH_AUTH_SOCK') ?? '';
  if (socket !== '') return [socket];
  return system.platform === 'win32' ? [opensshPipe, pageantName] : [];
}

/**
 * Resolves with the sockets of an agent; with none if Pageant does not run. `list` returns the names
 * of all pipes.
 */
export async function socketsOf(
  agent: string,
  list: (folder: string) => Promise<readonly string[]> = readdir,
): Promise<readonly string[]> {
  if (agent !== pageantName) return [asPipe(agent)];
  const names = await list(pipeFolder).catch(() => []);
  return names.filter((name) => /^pageant\./i.test(name)).map((name) => pipeFolder + name);
}

/**
 * Returns a pipe in the form of Windows: a configuration may name it with slashes, and OpenSSH takes
 * two backslashes for one.
 */
const asPipe = (path: string): string =>
  path.replace(/^[\\/]{1,4}\.[\\/]{1,2}pipe[\\/]{1,2}/i, () => pipeFolder);
