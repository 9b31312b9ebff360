import { assertNever } from '../../base/errors.ts';
import { currentPlatform } from '../../base/platform.ts';
import type { HostSystem } from '../../base/hostSystem.ts';
import { cleanText, formatDuration, oneLine } from '../../base/text.ts';
import { windowsProgram, type ProgramCall } from '../../base/windowsPrograms.ts';
import { NotifyFailure, type Channel, type ChannelDeps } from '../channel.ts';
import { fullText, isUrgent, type Message } from '../notification.ts';
import { childEnv, runChild, type ChildEnd } from './childProcess.ts';
import { toastScript } from './toastScript.ts';

const timeoutMs = 10_000;

/**
 * A channel that shows messages on the desktop, with `notify-send` on Linux, `osascript` on macOS
 * and a toast of PowerShell on Windows.
 */
export const desktopChannel = (
  { env, clock }: Pick<ChannelDeps, 'env' | 'clock'>,
  platform: NodeJS.Platform = currentPlatform(),
): Channel => ({
  name: 'desktop',
  async send(message) {
    const call = callOf(message, { env, platform });
    const own = { ...childEnv(env), ...call.variables };
    const end = await runChild({ ...call, env: own, platform, timeoutMs, clock });
    const failure = failureOf(call.file, end);
    if (failure !== undefined) throw failure;
  },
});

interface Call extends ProgramCall {
  readonly variables?: Readonly<Record<string, string>>;
}

function callOf(message: Message, system: HostSystem): Call {
  if (system.platform === 'darwin') return macCall(message);
  return system.platform === 'win32' ? windowsCall(message, system) : linuxCall(message);
}

/**
 * Returns the call of `notify-send`. Escapes the body, because `notify-send` reads it as markup.
 */
const linuxCall = (message: Message): Call => ({
  file: 'notify-send',
  args: [
    '--app-name=Helios',
    `--urgency=${isUrgent(message) ? 'critical' : 'normal'}`,
    '--',
    oneLine(message.title, 120),
    fullText(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ],
});

/**
 * Returns the call of `osascript`. Passes title and text as arguments, so that nothing in them runs
 * as script.
 */
const macCall = (message: Message): Call => ({
  file: 'osascript',
  args: [
    '-e',
    'on run argv\ndisplay notification (item 2 of argv) with title "Helios" subtitle (item 1 of argv)\nend run',
    oneLine(message.title, 120),
    oneLine(fullText(message), 400),
  ],
});

/**
 * Returns the call of PowerShell. Passes title and text as environment variables and the script
 * encoded, so that nothing in them runs as script.
 */
const windowsCall = (message: Message, system: HostSystem): Call => ({
  file: windowsProgram(system, 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
  args: [
    ...['-NoProfile', '-NonInteractive', '-OutputFormat', 'Text', '-EncodedCommand'],
    Buffer.from(toastScript, 'utf16le').toString('base64'),
  ],
  variables: {
    HELIOS_TITLE: oneLine(cleanText(message.title), 120),
    HELIOS_BODY: oneLine(cleanText(fullText(message)), 400),
  },
});

function failureOf(file: string, end: ChildEnd): NotifyFailure | undefined {
  switch (end.kind) {
    case 'exited':
      return end.code === 0
        ? undefined
        : new NotifyFailure(
            'refused',
            `${file} ended with code ${end.code}: ${oneLine(end.output, 200)}`,
          );
    case 'signalled':
      return new NotifyFailure('refused', `${file} was ended by ${end.signal}.`);
    case 'timed_out':
      return new NotifyFailure(
        'unreachable',
        `${file} did not end within ${formatDuration(timeoutMs)}.`,
      );
    case 'not_started':
      return new NotifyFailure(
        'absent',
        end.code === 'ENOENT' ? `${file} is not installed on this computer.` : end.why,
      );
    default:
      return assertNever(end);
  }
}
