/** Runs each script as a separate command, for hosts where no shell can stay open. */
import type { Clock } from '../../base/clock.ts';
import { MachineFailure } from '../machine.ts';
import { BoundedAnswer } from './boundedAnswer.ts';
import type { CommandHost } from './commandHost.ts';
import { execRemote } from './remoteExec.ts';
import {
  maxAnswerBytes,
  tooLong,
  tooLate,
  type RunLimits,
  type ScriptRunner,
} from './remoteShell.ts';

export const commandRunner = (host: CommandHost, clock: Clock): ScriptRunner => ({
  run: (script, limits) => runOnce(host, clock, script, limits ?? {}),
  dispose: () => undefined,
});

async function runOnce(
  host: CommandHost,
  clock: Clock,
  script: string,
  limits: RunLimits,
): Promise<Buffer> {
  const { timeoutMs = 30_000, maxBytes = maxAnswerBytes } = limits;
  const stdout = new BoundedAnswer(maxBytes);
  const outcome = await execRemote(
    host,
    script,
    {
      cwd: '/',
      isPosix: true,
      timeoutMs,
      signal: stdout.signal,
      onStdout: (bytes) => stdout.push(bytes),
      onStderr: () => undefined,
    },
    clock,
  );
  if (stdout.signal.aborted) throw tooLong(host.name, maxBytes);
  if (outcome.kind === 'timed_out') throw tooLate(host.name, timeoutMs);
  if (outcome.kind === 'aborted')
    throw new MachineFailure('io', `The query of ${host.name} was aborted.`);
  return stdout.bytes();
}
