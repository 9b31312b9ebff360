/**
 * The background process of this window: a process beside it that is told what to go on with, and
 * outlives it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Handover } from '../../compose/handover.ts';
import { codeOf } from '../../base/errors.ts';

/** One older log is kept beside the one that is written. */
const maxLogBytes = 1_000_000;

export interface BackgroundOptions {
  /** The bundle of the background process. */
  readonly file: string;
  readonly home: string;
  readonly logFile: string;
  /**
   * Variables that hold secrets: they are told to the background process, and are not part of its
   * environment.
   */
  readonly secretVariables: readonly string[];
  /** The process is gone, or could not be started. Called once. */
  onExit(problem: string): void;
}

export class BackgroundProcess {
  readonly #child: ChildProcess;
  #isGone = false;

  /** Throws when the log cannot be opened. */
  constructor(options: BackgroundOptions) {
    mkdirSync(options.home, { recursive: true });
    turnOver(options.logFile);
    const log = openSync(options.logFile, 'a', 0o600);
    try {
      this.#child = spawn(process.execPath, [options.file], {
        cwd: options.home,
        // Of a session of its own: what ends the window's processes does not end it.
        detached: true,
        windowsHide: true,
        stdio: ['pipe', log, log],
        env: backgroundEnv(process.env, options.secretVariables),
      });
    } finally {
      closeSync(log);
    }
    const gone = (problem: string): void => {
      if (!this.#isGone) options.onExit(problem);
      this.#isGone = true;
    };
    this.#child.once('error', (error) => gone(error.message));
    this.#child.once('exit', (code, signal) => gone(`it ended with ${signal ?? code}`));
    // A background process that is gone takes no words; its exit says so.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Takes the place of what was told before. */
  tell(handover: Handover): void {
    this.#child.stdin?.write(`${JSON.stringify(handover)}\n`);
  }

  /** There is nothing more to go on with: it ends. */
  dismiss(handover: Handover): void {
    this.#isGone = true;
    this.#child.stdin?.end(
      `${JSON.stringify({ ...handover, secrets: {}, machineSecrets: {}, sessions: [] })}\n`,
    );
  }
}

/** Run as Node by whatever runs this window, and without what ties a process to the window. */
export function backgroundEnv(
  env: NodeJS.ProcessEnv,
  secretVariables: readonly string[],
): NodeJS.ProcessEnv {
  const isKept = ([name]: readonly [string, unknown]): boolean =>
    !/^(?:VSCODE_|ELECTRON_)/.test(name) &&
    name !== 'NODE_OPTIONS' &&
    !secretVariables.includes(name);
  return { ...Object.fromEntries(Object.entries(env).filter(isKept)), ELECTRON_RUN_AS_NODE: '1' };
}

function turnOver(file: string): void {
  try {
    if (statSync(file).size > maxLogBytes)
      renameSync(file, path.join(path.dirname(file), `${path.basename(file)}.1`));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}
