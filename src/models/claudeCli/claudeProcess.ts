/** A `claude` as a process of ours: in a group of its own, and gone at once when it is told to. */
import { spawn } from 'node:child_process';
import { codeOf } from '../../base/errors.ts';
import type { SpawnedProcess, SpawnOptions } from '@anthropic-ai/claude-agent-sdk';

const keptStderrChars = 4000;

export interface ClaudeProcess {
  readonly spawned: SpawnedProcess;
  /** What it last wrote to stderr. */
  stderr(): string;
  /** How it ended, such as `exit code 1` or `signal SIGKILL`. */
  readonly ended: Promise<string>;
  /**
   * Not the SDK's closing: at the end of its input a `claude` takes the open calls for failed, goes
   * on with that, and asks the model once more.
   */
  kill(): void;
}

export function startProcess({
  command,
  args,
  cwd,
  env,
}: Omit<SpawnOptions, 'signal'>): ClaudeProcess {
  const isGroup = process.platform !== 'win32';
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: 'pipe',
    detached: isGroup,
    windowsHide: true,
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = `${stderr}${text}`.slice(-keptStderrChars);
  });
  // What is written to a process that is gone is lost, and its end is told by `ended`.
  child.stdin.on('error', () => undefined);
  const kill = (): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    if (isGroup) killGroup(child.pid);
    else child.kill('SIGKILL');
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

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
