/** Closes folders to other users: by their mode or, on Windows, by their access list. */
import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf, UserFacing } from '../base/errors.ts';
import { bareEnvironment, type HostSystem } from '../base/hostSystem.ts';
import { oneLine } from '../base/text.ts';
import { windowsProgram } from '../base/windowsPrograms.ts';

const timeoutMs = 20_000;
/** Security identifiers of Everyone, Authenticated Users and Users, in every language. */
const groups = ['*S-1-1-0', '*S-1-5-11', '*S-1-5-32-545'];

/**
 * Gives the user alone access to a folder, and on Windows also to what is in it. Rejects with
 * `UserFacing` if the access list of Windows cannot be set.
 */
export async function closeToOthers(folder: string, system: HostSystem): Promise<void> {
  if (system.platform !== 'win32') return chmod(folder, 0o700);
  try {
    const owner = `*${await ownSid(system)}:(OI)(CI)F`;
    const list = ['/inheritance:r', '/grant:r', owner, '/remove:g', ...groups, '/q'];
    await run(system, 'icacls.exe', [folder, ...list]);
  } catch (error) {
    throw new UserFacing(
      `The key was not stored, because ${folder} cannot be closed to other users: ${oneLine(reasonOf(error), 200)}`,
      'Keep the key in an environment variable, or use a home folder on an NTFS disk (--home).',
    );
  }
}

/** Returns what a program wrote about its failure; otherwise the message of the error. */
function reasonOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return said === '' ? messageOf(error) : said;
}

/** Resolves with the security identifier of the user, which does not depend on a language. */
async function ownSid(system: HostSystem): Promise<string> {
  const answer = await run(system, 'whoami.exe', ['/user', '/fo', 'csv', '/nh']);
  const [sid] = /S-1-[\d-]+/.exec(answer) ?? [];
  if (sid === undefined) throw new Error('whoami names no identifier of the user');
  return sid;
}

async function run(system: HostSystem, name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(windowsProgram(system, name), [...args], {
    env: bareEnvironment(system),
    windowsHide: true,
    timeout: timeoutMs,
  });
  return stdout;
}
