import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import { counted, oneLine, shellQuote } from '../../base/text.ts';
import { untrustedLine } from '../../base/untrusted.ts';
import { readGitStart } from '../../experiments/git/readGit.ts';
import { preambleOf } from '../../machines/environment/preamble.ts';
import type { Machine } from '../../machines/machine.ts';
import type { Access } from '../../permissions/access.ts';
import { commandAccess, readAccess } from '../parameters/accesses.ts';
import {
  changesBetween,
  environmentScript,
  parseEnvironment,
  type Environment,
  type EnvironmentQuestion,
} from './environment.ts';
import {
  accessesOf,
  findPrograms,
  mustBeApproved,
  withPrograms,
  type EnvironmentPrograms,
} from './environmentPrograms.ts';
import {
  changedFiles,
  commandMachine,
  machineId,
  machinePath,
  type MachineTools,
} from '../parameters/machinePath.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

export interface TakenSnapshot {
  readonly name: string;
  readonly machineId: string;
  /** Absolute path of the folder with the code. */
  readonly repo: string;
  readonly environment: Environment;
  /** Hash of the uncommitted changes to the code; omitted if there are none. */
  readonly diffSha256?: string;
}

export interface CodeSnapshots extends MachineTools {
  /** Resolves with the previous snapshot of this machine and folder. */
  before(machineId: string, repo: string): Promise<TakenSnapshot | undefined>;
  /**
   * Stores the snapshot with the session, records it in memory, and makes later runs refer to it.
   * `diff` holds the uncommitted changes as written by git.
   */
  keep(
    taken: TakenSnapshot & { readonly gist: string; readonly diff: Uint8Array | undefined },
    context: ToolContext,
  ): Promise<{
    readonly id: string;
    readonly memoryPath: string;
    readonly file: string;
    readonly diffFile?: string;
  }>;
}

const execMs = 120_000;
const maxDiffBytes = 16 * 1024 * 1024;
const maxChanges = 40;
const maxGistChars = 200;

const parameters = z.strictObject({
  machine_id: machineId,
  name: z
    .string()
    .regex(/^[\w.-]{1,60}$/, 'letters, digits, dots, dashes and underscores')
    .default('env')
    .meta({ hidden: true }),
  repo_path: z.string().min(1).optional(),
  venv_path: z.string().min(1).optional().describe('Default: .venv in repo_path, if it exists.'),
  python: z.string().min(1).optional().describe('Interpreter, instead of venv_path.'),
});

export const envSnapshot = (snapshots: CodeSnapshots): Tool =>
  defineTool({
    name: 'env_snapshot',
    description:
      'Record the environment of runs: Python, packages, GPUs, CUDA, system, disk, code. Later runs on the machine refer to it. Taken again, it reports what has changed.',
    guidance: [
      'Before a series of runs on a machine, record its environment once with env_snapshot.',
    ],
    effect: 'execute',
    changesCode: false,
    isRepeatable: true,
    parameters,
    aliases: { machine: 'machine_id', cwd: 'repo_path', venv: 'venv_path' },
    describe: (args, accesses) =>
      `Recorded the environment of ${args.machine_id}${withPrograms(accesses)}`,
    accesses: async (args) => [
      ...(await programAccesses(snapshots, args)),
      ...(await repoAccess(snapshots, args)),
    ],
    async execute(args, context) {
      const machine = await commandMachine(snapshots, args.machine_id);
      await machine.ready?.({ mayAsk: true });
      const repo = await repoOf(machine, args);
      const programs = await programsOf(machine, args);
      mustBeApproved(accessesOf(machine.id, programs), context);
      const { python, git } = programs;
      const environment = await askEnvironment(machine, { repo, python, git }, context.signal);
      const diff =
        environment.git === undefined || git === undefined
          ? undefined
          : await diffOf(machine, { repo, git }, context.signal);
      const taken: TakenSnapshot = {
        name: args.name,
        machineId: machine.id,
        repo,
        environment,
        ...(diff && { diffSha256: createHash('sha256').update(diff).digest('hex') }),
      };
      const before = await snapshots.before(machine.id, repo);
      const changes = before && since(before, taken);
      const summary = summaryOf(taken);
      const gist = oneLine(`${machine.id} · ${summary}`, maxGistChars);
      const stored = await snapshots.keep({ ...taken, gist, diff }, context);
      return {
        content: {
          id: stored.id,
          machine_id: machine.id,
          gist,
          memory_path: stored.memoryPath,
          file: stored.file,
          ...shown(environment),
          ...diffFields(stored.diffFile, taken),
          ...(changes !== undefined && { since_before: changes }),
        },
        origins: originsOf(taken, changes),
        summary,
        ...changedFiles(machine, stored.file),
      };
    },
  });

/**
 * Queries the environment of a machine, as runs find it. Rejects with `ToolFailure` if the machine
 * does not answer or the folder does not exist.
 */
export async function askEnvironment(
  machine: Machine,
  where: Omit<EnvironmentQuestion, 'mark'>,
  signal: AbortSignal,
): Promise<Environment> {
  const mark = `@${randomBytes(9).toString('hex')}`;
  const script = environmentScript({ ...where, mark });
  const setup = await machine.setup?.();
  const command = `${preambleOf(machine, setup?.prologue ?? [], '')}sh -c ${shellQuote(script)}`;
  const { outcome, stdout, stderr } = await machine.exec(command, {
    cwd: '/',
    ...(setup && { env: setup.env }),
    timeoutMs: execMs,
    maxBytes: 8 * 1024 * 1024,
    signal,
  });
  if (stdout.includes(mark)) return parseEnvironment(stdout, mark);
  throw new ToolFailure(
    `The environment of ${machine.id} could not be read: ${stderr.trim() === '' ? outcome.kind : untrustedLine(stderr, `errors of ${machine.id}`, 300)}. Check repo_path (${where.repo}).`,
  );
}

/**
 * Resolves with the uncommitted changes; `undefined` if there are none or they are too large to
 * store.
 */
async function diffOf(
  machine: Machine,
  { repo, git }: { readonly repo: string; readonly git: string },
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const script = `${readGitStart(git)}read_git diff HEAD --binary --no-ext-diff --no-textconv --no-color`;
  await machine.stream(script, {
    cwd: repo,
    signal,
    onStdout(chunk) {
      bytes += chunk.length;
      if (bytes <= maxDiffBytes) chunks.push(Uint8Array.from(chunk));
    },
  });
  return bytes === 0 || bytes > maxDiffBytes ? undefined : Buffer.concat(chunks);
}

const libraries = ['torch', 'jax', 'tensorflow', 'transformers', 'scikit-learn', 'numpy'];

/** Returns the libraries that affect results most, with their versions: `torch 2.4.1`. */
const mainPackages = (packages: readonly string[]): string[] =>
  libraries.flatMap((name) => {
    const line = packages.find((one) => one.toLowerCase().startsWith(`${name}==`));
    return line === undefined ? [] : [line.replace('==', ' ')];
  });

/**
 * Returns a summary:
 * `Python 3.12.3 · torch 2.4.1 · 84 packages · 4 × NVIDIA H100 · CUDA 12.4 · 1a2b3c4d5e + 3 changed files`
 */
function summaryOf({ environment }: TakenSnapshot): string {
  const { python, packages, gpus, cuda, git } = environment;
  const [first] = gpus;
  const model = first?.split(',')[1]?.trim() ?? first;
  const parts = [
    python === undefined ? 'no Python' : `Python ${python.split(' ')[0]}`,
    ...mainPackages(packages),
    `${packages.length} packages`,
    gpus.length === 0 ? 'no GPU' : `${gpus.length} × ${model}`,
    ...(cuda === undefined || gpus.length === 0 ? [] : [`CUDA ${cuda}`]),
    ...(git === undefined ? [] : [`${git.head.slice(0, 10)}${changedText(git.changed.length)}`]),
  ];
  return oneLine(parts.join(' · '), maxGistChars);
}

const changedText = (count: number): string =>
  count === 0 ? '' : ` + ${counted(count, 'changed file')}`;

/**
 * Returns the environment without the packages, of which there may be hundreds; the note and the
 * file list them.
 */
function shown({ packages, conda, git, cuda, ...rest }: Environment): Record<string, unknown> {
  return {
    ...rest,
    // Omit the CUDA compiler on a machine without GPUs, because it would be misleading.
    ...(cuda !== undefined && rest.gpus.length > 0 && { cuda }),
    packages: packages.length,
    ...(conda.length > 0 ? { conda_packages: conda.length } : {}),
    ...(git && {
      git: {
        ...git,
        changed: git.changed.slice(0, maxChanges),
        untracked: git.untracked.slice(0, maxChanges),
      },
    }),
  };
}

function since(before: TakenSnapshot, now: TakenSnapshot): string | readonly string[] {
  const changes = [
    ...changesBetween(before.environment, now.environment),
    ...(before.diffSha256 === now.diffSha256 ? [] : ['the uncommitted changes are different']),
  ];
  if (changes.length === 0) return 'nothing has changed';
  const left = changes.length - maxChanges;
  return left > 0 ? [...changes.slice(0, maxChanges), `… and ${left} more`] : changes;
}

const diffFields = (
  diffFile: string | undefined,
  { diffSha256 }: TakenSnapshot,
): Record<string, unknown> =>
  diffFile === undefined ? {} : { diff_file: diffFile, diff_sha256: diffSha256 };

/** Returns the origins of the fields that contain output of programs on the machine. */
const originsOf = (
  { environment, machineId: id }: TakenSnapshot,
  changes: ReturnType<typeof since> | undefined,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      'gist',
      ...Object.keys(shown(environment)),
      ...(Array.isArray(changes) ? ['since_before'] : []),
    ].map((name) => [name, `environment of ${id}`]),
  );

type Args = z.output<typeof parameters>;

/** Returns the read access to the folder of the code, because its changes are stored. */
const repoAccess = async (
  { machines }: CodeSnapshots,
  { machine_id: machineId, repo_path: path }: Args,
): Promise<readonly Access[]> =>
  path === undefined ? [] : [await readAccess(machines, { machineId, path })];

const repoOf = (machine: Machine, { repo_path: repo = '.' }: Args): Promise<string> =>
  machinePath(machine, repo);

async function programsOf(machine: Machine, args: Args): Promise<EnvironmentPrograms> {
  const repo = await repoOf(machine, args);
  return findPrograms(machine, repo, await interpreterOf(machine, args, repo));
}

/** Resolves with the interpreter, as an absolute path or as a name in PATH. */
async function interpreterOf(
  machine: Machine,
  { python, venv_path: venv }: Args,
  repo: string,
): Promise<string> {
  if (python !== undefined)
    return python.startsWith('~/') ? machinePath(machine, python) : inFolder(machine, repo, python);
  return `${venv === undefined ? `${repo}/.venv` : await machinePath(machine, venv)}/bin/python`;
}

const inFolder = ({ path }: Machine, folder: string, program: string): string =>
  program.includes('/') ? path.resolve(folder, program) : program;

/**
 * Resolves with accesses that name the programs which the call would start. If the machine cannot
 * be reached without asking the user, resolves with the interpreters that the call names; the call
 * itself later checks that the programs it found were approved.
 */
async function programAccesses(snapshots: CodeSnapshots, args: Args): Promise<readonly Access[]> {
  try {
    const machine = await commandMachine(snapshots, args.machine_id);
    await machine.ready?.();
    return accessesOf(machine.id, await programsOf(machine, args));
  } catch {
    return interpretersOf(args).map((python) => commandAccess(args.machine_id, python));
  }
}

/** Returns the Python interpreters that the call names, first choice first. */
function interpretersOf({ python, venv_path: venv, repo_path: repo = '.' }: Args): string[] {
  if (python !== undefined) return [python];
  if (venv !== undefined) return [`${venv}/bin/python`];
  return [`${repo}/.venv/bin/python`, 'python3'];
}
