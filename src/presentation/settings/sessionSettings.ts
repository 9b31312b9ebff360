/** Settings for how sessions work, continue and resume. */
import { amount, choice, count, flag, type Setting } from './setting.ts';

export const sessionSettings = {
  'session.keepRunning': choice({
    default: 'never',
    description:
      'Behavior of sessions when VS Code closes. In the background no user can answer, so the mandate applies instead of the permission mode `ask`.',
    details:
      'The same applies when VS Code crashes. Models of VS Code itself answer only while a window is open.',
    values: {
      never:
        'Wait for the next window, unless **Helios: Keep Running in Background** was run for the session.',
      always: 'Continue in a background process until the session ends or a window takes it back.',
    },
    scope: 'application',
  }),
  'session.resume': choice({
    default: 'always',
    description:
      'Action on sessions of this folder that a reload, a crash or a restart interrupted.',
    values: {
      always: 'Resume them automatically.',
      ask: 'Ask once, when the window opens.',
      never:
        'Leave them in the Experiments view until you resume them. Their runs continue in any case.',
    },
    scope: 'application',
  }),
  'session.keepAwake': flag(false, {
    description:
      'Keep the computer awake while a session works or waits. A closed lid or an empty battery still puts it to sleep.',
    details:
      'In WSL, Windows is kept awake; in a remote window, the host is, not the computer with the window. Nothing is kept awake from a container or a codespace.',
    engine: 'keepAwake',
  }),
  'session.idleTurns': count({
    default: 8,
    minimum: 1,
    description:
      'Number of consecutive replies without a tool call after which a session ends for lack of progress.',
    details:
      'A turn with tool calls that brings no new run, changed file or memory note counts as a sixth of a reply.',
    engine: 'idleTurns',
  }),
  'chat.followMinutes': amount({
    default: 30,
    minimum: 1,
    maximum: 1440,
    description:
      'Minutes after which `@helios` stops showing a session in the chat. The session continues; **Follow** shows it again.',
  }),
} satisfies Readonly<Record<string, Setting>>;
