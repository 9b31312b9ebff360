import { posix } from 'node:path';
import { advisedFolder, grantAdvice, hiddenFolderText } from './grants.ts';
import { confinementText, type Confinement } from './policy.ts';

const readOnly = /^(.*)\bread-only file system\b(.*)$/im;
const absolutePath = /(?<![\w.])\/[^\s'"`:,;)\]]*/g;
const noTemporary =
  /^(?=.*no such file or directory).*?(?<![\w.])(\/(?:var\/)?tmp\/[^\s'"`:,;)\]]+)/im;
const noStart = /^bwrap: Can't chdir to /m;
const offline =
  /name resolution|network is unreachable|could not resolve host|ENETUNREACH|EAI_AGAIN/i;

/**
 * Returns a note about a failed command or run whose output shows that the confinement refused
 * something, and how the user can allow it; `undefined` if the output does not show that.
 */
export function confinementNote(
  confinement: Confinement,
  machineId: string,
  output: string,
): string | undefined {
  const refused = refusedWrite(confinement, machineId, output);
  if (refused !== undefined) return refused;
  const [, file] = noTemporary.exec(output) ?? [];
  if (file !== undefined && noStart.test(output))
    return `Not started: ${hiddenFolderText(confinement, machineId, file)}`;
  if (file !== undefined)
    return `Commands on ${machineId} are confined, with a /tmp of their own: ${file} is looked for there. Put files that other tools write or read into ${advisedFolder(confinement) ?? 'the working folder'}.`;
  const { network, offlineBecause: why } = confinement;
  if (network === 'all' || !offline.test(output)) return undefined;
  return network === 'none'
    ? `Commands on ${machineId} are confined without network${why === undefined ? '' : `, because ${why}`}. The user can allow it under confinement.network of ${machineId} in machines.json.`
    : `Commands on ${machineId} reach listed hosts only, over HTTP and HTTPS through the proxy that HTTPS_PROXY names. Use a client that honours it.`;
}

const relativeGitPath = /(?<![\w./])\.git\/[^\s'"`:,;)\]]+/;

/** Returns what to do instead of a change in a folder of git, which no grant makes writable. */
function gitText(path: string): string | undefined {
  if (/\/\.git\/worktrees\//.test(path))
    return 'This is the worktree of an experiment: exp_commit commits all changes in it, without git add.';
  return /(?:^|\/)\.git(?:\/|$)/.test(path)
    ? `Confined commands cannot change ${path}. To change code under git, edit in a worktree (exp_branch makes one), and commit with exp_commit.`
    : undefined;
}

const thisComputer = /\b(?:127(?:\.\d+){3}|localhost)\b|\[::1\]/;
const noServer = /connection refused|ECONNREFUSED|failed to connect|couldn't connect/i;
/** Exit code of curl when it cannot connect. Needed because curl prints nothing with `-s`. */
const curlCode = 7;

/**
 * Returns a note about a failed command that reached no server on this computer; `undefined` for
 * other commands.
 */
export function ownNetworkNote(
  { network }: Confinement,
  { command, output, exitCode }: { command: string; output: string; exitCode: number | undefined },
): string | undefined {
  const isRefused = noServer.test(output) || (exitCode === curlCode && /\bcurl\b/.test(command));
  if (network === 'all' || !isRefused || !thisComputer.test(`${command}\n${output}`))
    return undefined;
  return 'Each confined command has a network of its own, so servers of other commands and of this computer are not reached at 127.0.0.1. Start the server and its client in one command.';
}

function refusedWrite(
  confinement: Confinement,
  machineId: string,
  output: string,
): string | undefined {
  const [line, before = '', after = ''] = readOnly.exec(output) ?? [];
  if (line === undefined) return undefined;
  const path = before.match(absolutePath)?.at(-1) ?? after.match(absolutePath)?.[0];
  const ofGit = gitText(path ?? relativeGitPath.exec(before)?.[0] ?? '');
  if (ofGit !== undefined) return ofGit;
  const folder = path === undefined ? 'its folder' : posix.dirname(path);
  return `${path ?? 'A file'} could not be changed: commands on ${machineId} are confined (${confinementText(confinement)}). ${grantAdvice(confinement, machineId, folder)}`;
}
