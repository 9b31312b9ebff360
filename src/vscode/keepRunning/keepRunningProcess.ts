/**
 * The background process of this window: a child process that receives the sessions to continue and
 * outlives the window.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Handover } from '../../compose/handover.ts';
import { codeOf } from '../../base/errors.ts';

/** Size at which the log is rotated. The previous log is kept. */
const maxLogBytes = 1_000_000;

export interface BackgroundOptions {
  /** File of the background process's bundle. */
  readonly file: string;
  readonly home: string;
  readonly logFile: string;
  /**
   * Variables that hold secrets: they are passed in the handover and removed from the environment.
   */
  readonly secretVariables: readonly string[];
  /** The process has ended or could not be started. Called once. */
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
        // In a session of its own, so that it survives the end of the window's processes.
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
    // Writing to an ended process fails; its exit event reports that.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Replaces the previous handover. */
  tell(handover: Handover): void {
    this.#child.stdin?.write(`${JSON.stringify(handover)}\n`);
  }

  /** Sends the last handover: with nothing left to continue, the process ends. */
  dismiss(handover: Handover): void {
    this.#isGone = true;
    this.#child.stdin?.end(
      `${JSON.stringify({ ...handover, secrets: {}, machineSecrets: {}, sessions: [] })}\n`,
    );
  }
}

/**
 * Environment for Node inside this window's executable, without variables that tie a process to the
 * window.
 */
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
