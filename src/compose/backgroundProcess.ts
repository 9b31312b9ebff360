/**
 * The background process of a window or a terminal: a child process that keeps running when its
 * parent ends, and then continues the parent's sessions.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { HeldFile, replaceFileSync } from '../base/heldFiles.ts';
import type { Handover } from './handover.ts';
import { codeOf } from '../base/errors.ts';

/** Size at which the log is rotated when a process starts. One previous log is preserved. */
const maxLogBytes = 1_000_000;

export interface BackgroundOptions {
  /** Path of the program that the background process runs. */
  readonly file: string;
  readonly home: string;
  readonly logFile: string;
  /**
   * Names of environment variables that hold secrets. The secrets are sent in the handover and
   * removed from the process's environment.
   */
  readonly secretVariables: readonly string[];
  /** Called once, when the process has ended or could not be started. */
  onExit(problem: string): void;
}

export class BackgroundProcess {
  readonly #child: ChildProcess;
  #isGone = false;

  /** Starts the process. Throws when the log cannot be opened. */
  constructor(options: BackgroundOptions) {
    mkdirSync(options.home, { recursive: true, mode: 0o700 });
    rotateLog(options.logFile);
    const log = openSync(options.logFile, 'a', 0o600);
    try {
      this.#child = spawn(process.execPath, [options.file], {
        cwd: options.home,
        // Starts the process in a new process session (setsid), so that it survives when the
        // window's processes end.
        detached: true,
        windowsHide: true,
        stdio: ['pipe', log, log],
        env: backgroundEnv(process.env, options.secretVariables),
      });
    } finally {
      closeSync(log);
    }
    const reportExit = (problem: string): void => {
      if (!this.#isGone) options.onExit(problem);
      this.#isGone = true;
    };
    this.#child.once('error', (error) => reportExit(error.message));
    this.#child.once('exit', (code, signal) =>
      reportExit(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
    // Writing to an ended process fails. This error is ignored because the exit event reports the
    // end.
    this.#child.stdin?.on('error', () => undefined);
    this.#child.unref();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends a handover, which replaces the previous one. */
  tell(handover: Handover): void {
    this.#child.stdin?.write(`${JSON.stringify(handover)}\n`);
  }

  /** Ends the input, so that the process continues the sessions of the last handover now. */
  release(): Promise<void> {
    this.#isGone = true;
    return new Promise((resolve) => {
      const { stdin } = this.#child;
      if (stdin === null || stdin.destroyed) resolve();
      else stdin.end(resolve);
    });
  }

  /** Ends the process by sending a last handover without sessions. */
  dismiss(handover: Handover): void {
    this.#isGone = true;
    this.#child.stdin?.end(
      `${JSON.stringify({ ...handover, secrets: {}, machineSecrets: {}, sessions: [] })}\n`,
    );
  }
}

/**
 * Returns the environment for running the executable, which may be that of VS Code, as Node: without secrets,
 * `NODE_OPTIONS`, and the `VSCODE_` and `ELECTRON_` variables, which connect a process to the
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

function rotateLog(file: string): void {
  try {
    if (statSync(file).size > maxLogBytes)
      replaceFileSync(file, path.join(path.dirname(file), `${path.basename(file)}.1`));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && !(error instanceof HeldFile)) throw error;
  }
}
