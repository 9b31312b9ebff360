import { assertNever } from '../../base/errors.ts';
import { oneLine, formatDuration } from '../../base/text.ts';
import { NotifyFailure, type Channel, type ChannelDeps } from '../channel.ts';
import { fullText, isUrgent, type Message } from '../notification.ts';
import { childEnv, runChild, type ChildEnd } from './childProcess.ts';

const timeoutMs = 10_000;

/**
 * A channel that shows messages on the desktop, with `notify-send` on Linux and `osascript` on
 * macOS.
 */
export const desktopChannel = (
  { env, clock }: Pick<ChannelDeps, 'env' | 'clock'>,
  platform: NodeJS.Platform = process.platform,
): Channel => ({
  name: 'desktop',
  async send(message) {
    const [file, args] = platform === 'darwin' ? macCall(message) : linuxCall(message);
    const end = await runChild({ file, args, env: childEnv(env), timeoutMs, clock });
    const failure = failureOf(file, end);
    if (failure !== undefined) throw failure;
  },
});

type Call = readonly [file: string, args: readonly string[]];

/**
 * Returns the call of `notify-send`. Escapes the body, because `notify-send` reads it as markup.
 */
const linuxCall = (message: Message): Call => [
  'notify-send',
  [
    '--app-name=Helios',
    `--urgency=${isUrgent(message) ? 'critical' : 'normal'}`,
    '--',
    oneLine(message.title, 120),
    fullText(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ],
];

/**
 * Returns the call of `osascript`. Passes title and text as arguments, so that nothing in them runs
 * as script.
 */
const macCall = (message: Message): Call => [
  'osascript',
  [
    '-e',
    'on run argv\ndisplay notification (item 2 of argv) with title "Helios" subtitle (item 1 of argv)\nend run',
    oneLine(message.title, 120),
    oneLine(fullText(message), 400),
  ],
];

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
