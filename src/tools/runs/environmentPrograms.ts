/** Finds the programs that collect the environment of runs, so that an approval can name them. */
import { ToolFailure } from '../../base/errors.ts';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import { preambleOf } from '../../machines/environment/preamble.ts';
import type { Machine } from '../../machines/machine.ts';
import { realPath } from '../../machines/realPath.ts';
import type { Access } from '../../permissions/access.ts';

/** Absolute paths of programs; omitted if there is no such program. */
export interface EnvironmentPrograms {
  readonly python?: string;
  /** The path of `python` with links resolved. */
  readonly realPython?: string;
  /** True if `python`, or the file to which it is a link, is in the folder of the code. */
  readonly isOfRepo: boolean;
  readonly git?: string;
}

const script = shellText('./findPrograms.sh', import.meta.url);
/** Time limit in milliseconds. Short, because an approval waits for the answer. */
const timeoutMs = 10_000;

/**
 * Resolves with git and the Python interpreter: `python` if it exists, otherwise `python3` or
 * `python` from PATH. The argument is an absolute path or a name in PATH. Rejects with
 * `MachineFailure`.
 */
export async function findPrograms(
  machine: Machine,
  repo: string,
  python: string,
): Promise<EnvironmentPrograms> {
  const command = `exec /bin/sh -c ${shellQuote(script)} helios ${shellQuote(python)} python3 python`;
  const setup = await machine.setup?.();
  // Run the prologue first, because it may choose the interpreter, as it does for runs.
  const { stdout } = await machine.exec(
    preambleOf(machine, setup?.prologue ?? [], command) + command,
    { cwd: '/', timeoutMs, ...(setup && { env: setup.env }) },
  );
  const [found = '', git = ''] = stdout.split('\n');
  return {
    ...(found === '' ? { isOfRepo: false } : await placeOf(machine, repo, found)),
    ...(git !== '' && { git }),
  };
}

/**
 * Resolves with the interpreter, its real path, and whether the interpreter belongs to the
 * repository: it does if its folder is in the repository, even if the interpreter is a link to
 * another file.
 */
async function placeOf(
  machine: Machine,
  repo: string,
  python: string,
): Promise<Omit<EnvironmentPrograms, 'git'>> {
  const [realPython, realFolder, realRepo] = await Promise.all([
    realPath(machine, python),
    realPath(machine, machine.path.dirname(python)),
    realPath(machine, repo),
  ]);
  const isOfRepo = [
    [python, repo],
    [realPython, realRepo],
    [realFolder, realRepo],
  ].some(([path, folder]) => `${path}/`.startsWith(`${folder}/`));
  return { python, realPython, isOfRepo };
}

/** Returns the accesses of the programs, with a note that names them for the approval. */
export function accessesOf(
  machineId: string,
  { python, realPython, isOfRepo, git }: EnvironmentPrograms,
): readonly Access[] {
  const real = realPython === python ? '' : ` (${realPython})`;
  const origin = isOfRepo ? ', which comes from the repository' : '';
  const access = (command: string, note: string): Access => ({
    kind: 'command',
    machineId,
    command,
    note,
  });
  return [
    ...(python === undefined ? [] : [access(python, `Runs ${python}${real}${origin}.`)]),
    ...(git === undefined ? [] : [access(git, `Runs ${git}.`)]),
  ];
}

/** Returns ` with <programs>` for the title of a call; empty if the programs are not known. */
export function withPrograms(accesses: readonly Access[]): string {
  const notes = accesses.flatMap((access) =>
    access.kind === 'command' ? (access.note ?? []) : [],
  );
  const programs = notes.map((note) => note.replace(/^Runs |\.$/g, ''));
  return programs.length === 0 ? '' : ` with ${programs.join(' and ')}`;
}

/** Throws `ToolFailure` if the user has not approved these programs. */
export function mustBeApproved(
  programs: readonly Access[],
  { accesses }: { readonly accesses: readonly Access[] },
): void {
  const approved = new Set(accesses.map(approvedText));
  if (programs.every((access) => approved.has(approvedText(access)))) return;
  throw new ToolFailure(
    `Not run: the environment would be read${withPrograms(programs)}, and the approval did not name these programs. Call env_snapshot again.`,
  );
}

/**
 * Returns the parts of an access that the user has read in the approval, to compare two accesses.
 */
const approvedText = (access: Access): string =>
  access.kind === 'command'
    ? JSON.stringify([access.machineId, access.command, access.note])
    : JSON.stringify(access);
