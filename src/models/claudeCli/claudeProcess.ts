/**
 * Runs `claude` as a child process in a separate process group, so that all its processes can be
 * killed together.
 */
import { spawn } from 'node:child_process';
import { thisSystem } from '../../base/hostSystem.ts';
import { signalTree } from '../../base/windowsPrograms.ts';
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk';

const keptStderrChars = 4000;

export interface ClaudeProcess {
  readonly spawned: SpawnedProcess;
  /** Returns the last output of the process on stderr. */
  stderr(): string;
  /**
   * Resolves when the process has ended, with the way it ended, such as `exit code 1` or `signal
   * SIGKILL`.
   */
  readonly ended: Promise<string>;
  /**
   * Kills the process group. Closing the SDK's input would not be enough: `claude` would treat the
   * open calls as failed and make another request to the model.
   */
  kill(): void;
}

export function startProcess({
  command,
  args,
  cwd,
  env,
}: Omit<SpawnOptions, 'signal'>): ClaudeProcess {
  const system = thisSystem();
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: 'pipe',
    detached: system.platform !== 'win32',
    windowsHide: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-keptStderrChars);
  });
  // Ignores errors of writes to an ended process: `ended` reports the end.
  child.stdin.on('error', () => undefined);
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    signalTree(child.pid, 'SIGKILL', system);
  };
  process.once('exit', kill);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
  }).finally(() => process.off('exit', kill));
  return { spawned: child, stderr: () => stderr, ended, kill };
}
