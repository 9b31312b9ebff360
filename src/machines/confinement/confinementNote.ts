import { posix } from 'node:path';
import { confinementText, type Confinement } from './policy.ts';

const readOnly = /^(.*)\bread-only file system\b(.*)$/im;
const absolutePath = /(?<![\w.])\/[^\s'"`:,;)\]]*/g;
const noTemporary =
  /^(?=.*no such file or directory).*?(?<![\w.])(\/(?:var\/)?tmp\/[^\s'"`:,;)\]]+)/im;
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
  if (file !== undefined)
    return `Commands on ${machineId} are confined, with a /tmp of their own: ${file} is looked for there. Put files that other tools write or read into ${confinement.writable[0] ?? 'the working folder'}.`;
  const { network, offlineBecause: why } = confinement;
  if (network === 'all' || !offline.test(output)) return undefined;
  return network === 'none'
    ? `Commands on ${machineId} are confined without network${why === undefined ? '' : `, because ${why}`}. The user can allow it under confinement.network of ${machineId} in machines.json.`
    : `Commands on ${machineId} reach listed hosts only, over HTTP and HTTPS through the proxy that HTTPS_PROXY names. Use a client that honours it.`;
}

function refusedWrite(
  confinement: Confinement,
  machineId: string,
  output: string,
): string | undefined {
  const [first] = confinement.writable;
  const [line, before = '', after = ''] = readOnly.exec(output) ?? [];
  if (line === undefined) return undefined;
  const path = before.match(absolutePath)?.at(-1) ?? after.match(absolutePath)?.[0];
  const folder = path === undefined ? 'its folder' : posix.dirname(path);
  return `${path ?? 'A file'} could not be changed: commands on ${machineId} are confined (${confinementText(confinement)}). ${first === undefined ? 'The' : `Write below ${first}, or the`} user can grant ${folder} under confinement.writable of ${machineId} in machines.json.`;
}
