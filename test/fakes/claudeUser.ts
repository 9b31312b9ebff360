/**
 * The real `claude` of the development dependency, as a user has it: not root, with a home of its
 * own. Where the tests run as root, it is started through a script that steps down to `nobody`.
 */
import { execFileSync } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codeOf } from '../../src/base/errors.ts';

export interface ClaudeUser {
  /** Executable; what the setting claudePath holds. */
  readonly claude: string;
  readonly home: string;
  /** For the provider; `claude` may write to it. */
  readonly folder: string;
  /** As the user's shell has it, with a model server in place of the service. */
  env(baseUrl: string, key?: string): Record<string, string>;
  /** Ids of the processes of this `claude` that run now. */
  running(): Promise<number[]>;
  /** Fails when one of them is left. */
  dispose(): Promise<void>;
}

const nobody = 65534;
const isRoot = process.getuid?.() === 0;

/** Throws, and says what is missing, where no `claude` can be started here. */
export async function createClaudeUser(): Promise<ClaudeUser> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'helios-claude-')));
  await chmod(base, 0o755);
  const [home, folder] = [path.join(base, 'home'), path.join(base, 'work')];
  for (const made of [home, folder]) {
    await mkdir(made);
    if (isRoot) await chown(made, nobody, nobody);
  }
  const claude = isRoot ? await steppingDown(base, binary()) : binary();
  const running = (): Promise<number[]> => processesWith(`HOME=${home}`);
  return {
    claude,
    home,
    folder,
    env: (baseUrl, key) => ({
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      ANTHROPIC_BASE_URL: baseUrl,
      ...(key !== undefined && { ANTHROPIC_API_KEY: key }),
    }),
    running,
    async dispose() {
      const left = await running();
      for (const pid of left) kill(pid);
      await rm(base, { recursive: true, force: true });
      if (left.length > 0) throw new Error(`claude still ran: ${left.join(', ')}`);
    },
  };
}

function binary(): string {
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
  try {
    return path.join(
      path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)),
      'claude',
    );
  } catch {
    throw new Error(
      `These tests need the package ${name}: npm install it, or run them where it exists.`,
    );
  }
}

/** The script makes what root wrote into its folder readable for the user that it becomes. */
async function steppingDown(base: string, program: string): Promise<string> {
  try {
    execFileSync('setpriv', ['--version']);
  } catch {
    throw new Error(
      'As root, these tests need setpriv (of util-linux) to start claude as another user.',
    );
  }
  const script = path.join(base, 'claude');
  const step = `setpriv --reuid=${nobody} --regid=${nobody} --clear-groups --`;
  await writeFile(
    script,
    `#!/bin/sh\n[ "$1" = --version ] || chown -R ${nobody}:${nobody} .\nexec ${step} ${program} "$@"\n`,
  );
  await chmod(script, 0o755);
  return script;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

async function processesWith(variable: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    ids.map(async (pid) => ((await environmentOf(pid)).includes(variable) ? [pid] : [])),
  );
  return found.flat();
}

async function environmentOf(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
  } catch {
    // It ended meanwhile.
    return [];
  }
}
