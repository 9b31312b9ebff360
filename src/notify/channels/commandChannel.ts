import { assertNever } from '../../base/errors.ts';
import type { HostSystem } from '../../base/hostSystem.ts';
import { oneLine } from '../../base/text.ts';
import { windowsShell, type ProgramCall } from '../../base/windowsPrograms.ts';
import { NotifyFailure, type Channel, type ChannelDeps } from '../channel.ts';
import { payloadOf, type Message } from '../notification.ts';
import type { CommandSettings } from '../settings.ts';
import { childEnv, runChild, type ChildEnd } from './childProcess.ts';
import { currentPlatform } from '../../base/platform.ts';

const defaultSeconds = 30;

/**
 * A channel that runs a shell command, in `cmd.exe` on Windows. The message is passed in environment
 * variables, never in the command line.
 */
export const commandChannel = (
  { command, timeoutSeconds = defaultSeconds }: CommandSettings,
  { env, clock, logger, redact }: Pick<ChannelDeps, 'env' | 'clock' | 'logger' | 'redact'>,
  platform: NodeJS.Platform = currentPlatform(),
): Channel => ({
  name: `command ${oneLine(redact(command), 60)}`,
  async send(message) {
    const end = await runChild({
      ...shellCall(command, { env, platform }),
      env: { ...childEnv(env, command, platform), ...variablesOf(message) },
      platform,
      timeoutMs: timeoutSeconds * 1000,
      clock,
    });
    const output = 'output' in end ? oneLine(redact(end.output), 1_000) : '';
    if (output !== '') logger.info(`Notification command: ${output}`);
    const problem = problemOf(end, timeoutSeconds);
    if (problem !== undefined)
      throw new NotifyFailure(
        'refused',
        problem + (output === '' ? '.' : `: ${oneLine(output, 200)}`),
      );
  },
});

/**
 * Returns the call of the shell. On Windows, only `!NAME!` may name the texts of a message: `cmd.exe`
 * replaces it after it has read the line, but runs whatever the value of `%NAME%` contains.
 */
function shellCall(command: string, system: HostSystem): ProgramCall {
  if (system.platform !== 'win32') return { file: '/bin/sh', args: ['-c', command] };
  const [unsafe] = /%HELIOS_\w+/i.exec(command) ?? [];
  if (unsafe === undefined) return windowsShell(system, command, ['/v:on']);
  const name = unsafe.slice(1);
  throw new NotifyFailure(
    'settings',
    `The command uses %${name}%, whose text cmd.exe would run. Write !${name}! instead.`,
  );
}

function problemOf(end: ChildEnd, timeoutSeconds: number): string | undefined {
  switch (end.kind) {
    case 'exited':
      return end.code === 0 ? undefined : `The command ended with code ${end.code}`;
    case 'signalled':
      return `The command was ended by ${end.signal}`;
    case 'timed_out':
      return `The command was ended after ${timeoutSeconds} s`;
    case 'not_started':
      return `The command could not be started (${end.why})`;
    default:
      return assertNever(end);
  }
}

/**
 * Returns the value of an environment variable, without NUL characters, which a variable cannot
 * contain.
 */
const variable = (value: string | number | undefined): string =>
  String(value ?? '').replaceAll('\u0000', '');

const variablesOf = (message: Message): Record<string, string> => ({
  HELIOS_EVENT: message.event,
  HELIOS_TITLE: variable(message.title),
  HELIOS_BODY: variable(message.body),
  HELIOS_SESSION: variable(message.sessionId),
  HELIOS_GOAL: variable(message.goal),
  HELIOS_MACHINE: variable(message.machineId),
  HELIOS_PID: variable(message.pid),
  HELIOS_RUN: variable(message.run),
  HELIOS_TIMESTAMP: new Date(message.atMs).toISOString(),
  HELIOS_PAYLOAD: JSON.stringify(payloadOf(message)),
});
