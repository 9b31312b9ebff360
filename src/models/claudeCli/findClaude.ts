/** Finds the user's own `claude` and its version. */
import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../base/errors.ts';
import { CallFailed } from '../guarded.ts';
import type { Environment } from './claudeEnv.ts';

export interface FoundClaude {
  readonly path: string;
  /** For example `2.1.330`. */
  readonly version: string;
}

export interface NoClaude {
  readonly problem: string;
  /** Advice for the user. */
  readonly action: string;
}

/** The oldest supported version: the first that sends the ids of tool calls. */
const oldestVersion = '2.1.0';

const install =
  'Install Claude Code (https://claude.com/claude-code), run `claude` once and sign in; or set its path in the setting claudePath.';

/**
 * Finds `claude`. Searches at each call, so that a newly installed `claude` is found, but requests
 * the version of each file only once.
 */
export class ClaudeFinder {
  readonly #named: string | undefined;
  readonly #env: Environment;
  readonly #versions = new Map<string, Promise<string>>();

  /** @param named the path from the settings */
  constructor(named: string | undefined, env: Environment) {
    this.#named = named;
    this.#env = env;
  }

  /** Searches for `claude`. Never rejects. */
  async find(): Promise<FoundClaude | NoClaude> {
    const file = await this.#file();
    if (file === undefined)
      return this.#named === undefined
        ? { problem: 'There is no `claude` on the PATH.', action: install }
        : {
            problem: `There is no program at ${this.#named}.`,
            action: 'Correct the setting claudePath.',
          };
    try {
      const version = await this.#versionOf(file);
      if (!isOlder(version, oldestVersion)) return { path: file, version };
      return {
        problem: `${file} is version ${version}; ${oldestVersion} or later is required.`,
        action: 'Run `claude update`.',
      };
    } catch (error) {
      return {
        problem: `${file} cannot be run: ${messageOf(error)}`,
        action: 'Run `claude --version` to see why.',
      };
    }
  }

  /** Returns the `claude` that `find` finds. Throws `CallFailed` if there is none. */
  async required(): Promise<FoundClaude> {
    const found = await this.find();
    if ('path' in found) return found;
    throw new CallFailed({ reason: 'invalid', message: `${found.problem} ${found.action}` });
  }

  async #file(): Promise<string | undefined> {
    for (const file of this.#candidates()) if (await isProgram(file)) return file;
    return undefined;
  }

  #candidates(): string[] {
    if (this.#named !== undefined) return [this.#named];
    const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
    const home = this.#env['HOME'] ?? homedir();
    // The usual folders are also searched, because a window that was not opened from a terminal
    // lacks the shell's PATH.
    const folders = [
      ...(this.#env['PATH'] ?? '').split(path.delimiter),
      `${home}/.local/bin`,
      `${home}/.claude/local`,
    ];
    return folders.filter((folder) => folder !== '').map((folder) => path.join(folder, name));
  }

  async #versionOf(file: string): Promise<string> {
    const { mtimeMs } = await stat(file);
    const key = `${file}\0${mtimeMs}`;
    const known = this.#versions.get(key) ?? askVersion(file, this.#env);
    this.#versions.set(key, known);
    known.catch(() => this.#versions.delete(key));
    return known;
  }
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

const versionTimeoutMs = 20_000;

async function askVersion(file: string, env: Environment): Promise<string> {
  const { stdout } = await promisify(execFile)(file, ['--version'], {
    env: { PATH: env['PATH'], HOME: env['HOME'] },
    timeout: versionTimeoutMs,
  });
  const [version] = /\d+\.\d+\.\d+/.exec(stdout) ?? [];
  if (version === undefined) throw new Error(`no version in its output: ${stdout.slice(0, 80)}`);
  return version;
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
