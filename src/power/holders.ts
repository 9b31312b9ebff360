/** Commands that keep a computer awake until their standard input is closed. */
import type { HostSystem } from '../base/hostSystem.ts';
import type { Place } from '../base/place.ts';
import { windowsProgram } from '../base/windowsPrograms.ts';

export interface Holder {
  readonly command: readonly [tool: string, ...args: string[]];
  /** The computer that is kept awake. */
  readonly computer: string;
}

/** Returns the command for this place; a text that says why there is none. */
export function holderOf(system: HostSystem, place: Place): Holder | string {
  if (place === 'codespaces') return 'a codespace cannot be kept awake';
  if (place === 'dev-container' || place === 'container')
    return 'Helios runs in a container, which cannot keep its computer awake; change the power settings of that computer';
  if (place === 'wsl') return { command: throughWsl, computer: 'Windows, in which WSL runs,' };
  const command = commands[system.platform]?.(system);
  if (command === undefined) return 'this operating system is not supported';
  const computer =
    place === 'ssh' ? 'this host, not the computer with the window,' : 'this computer';
  return { command, computer };
}

/**
 * Asks Windows to stay awake while a thread lives, and waits on that thread for the end of its
 * input. Has no double quotes, which would be read differently on the way through WSL.
 */
const script = [
  "$ErrorActionPreference = 'Stop'",
  "$code = '[DllImport({0}kernel32.dll{0})] public static extern uint SetThreadExecutionState(uint flags);' -f [char]34",
  '$power = Add-Type -MemberDefinition $code -Name Power -Namespace Helios -PassThru',
  // ES_CONTINUOUS and ES_SYSTEM_REQUIRED: the screen may turn off.
  'if ($power::SetThreadExecutionState([uint32]2147483649) -eq 0) { exit 1 }',
  '[void][Console]::In.ReadToEnd()',
].join('; ');

const powershellArgs = [
  '-NoProfile',
  '-NonInteractive',
  '-InputFormat',
  'None',
  '-Command',
  script,
];

/** WSL may be set not to add the folders of Windows to the path. */
const throughWsl: Holder['command'] = [
  '/bin/sh',
  '-c',
  'p=$(command -v powershell.exe) || p=/mnt/c/Windows/System32/WindowsPowerShell/v1.0/powershell.exe; exec "$p" "$@"',
  'helios',
  ...powershellArgs,
];

const commands: Partial<Record<NodeJS.Platform, (system: HostSystem) => Holder['command']>> = {
  linux: () => [
    'systemd-inhibit',
    '--what=sleep:idle',
    '--mode=block',
    '--who=Helios',
    '--why=A research session is running',
    'cat',
  ],
  darwin: () => ['caffeinate', '-i', 'cat'],
  win32: (system) => [
    windowsProgram(system, 'WindowsPowerShell', 'v1.0', 'powershell.exe'),
    ...powershellArgs,
  ],
};
