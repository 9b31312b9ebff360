/** Finds the user's own `claude` and its version. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf } from '../../base/errors.ts';
import { bareEnvironment, type HostSystem } from '../../base/hostSystem.ts';
import { CallFailed } from '../guarded.ts';
import { candidates, isProgram, programOf, startOf } from './claudeFiles.ts';

export interface FoundClaude {
  /** A program, or a script for Node. */
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
const nameProgram = 'Set the path of claude.exe or cli.js in the setting claudePath.';

/**
 * Finds `claude`. Searches at each call, so that a newly installed `claude` is found, but requests
 * the version of each file only once.
 */
export class ClaudeFinder {
  readonly #named: string | undefined;
  readonly #system: HostSystem;
  readonly #versions = new Map<string, Promise<string>>();

  /** @param named the path from the settings */
  constructor(named: string | undefined, system: HostSystem) {
    this.#named = named;
    this.#system = system;
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
      const program = await programOf(file, this.#system);
      if (program === undefined)
        return { problem: `${file} does not say which program it starts.`, action: nameProgram };
      const version = await this.#versionOf(program);
      if (!isOlder(version, oldestVersion)) return { path: program, version };
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
    for (const file of candidates(this.#named, this.#system))
      if (await isProgram(file, this.#system)) return file;
    return undefined;
  }

  async #versionOf(file: string): Promise<string> {
    const { mtimeMs } = await stat(file);
    const key = `${file}\0${mtimeMs}`;
    const known = this.#versions.get(key) ?? askVersion(file, this.#system);
    this.#versions.set(key, known);
    known.catch(() => this.#versions.delete(key));
    return known;
  }
}

const versionTimeoutMs = 20_000;

async function askVersion(program: string, system: HostSystem): Promise<string> {
  const [file, ...args] = startOf(program, system);
  const { stdout } = await promisify(execFile)(file, [...args, '--version'], {
    env: bareEnvironment(system),
    timeout: versionTimeoutMs,
    windowsHide: true,
  });
  const [version] = /\d+\.\d+\.\d+/.exec(stdout) ?? [];
  if (version === undefined) throw new Error(`no version in its output: ${stdout.slice(0, 80)}`);
  return version;
}

function isOlder(version: string, than: string): boolean {
  return version.localeCompare(than, 'en', { numeric: true }) < 0;
}
