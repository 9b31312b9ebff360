/**
 * Builds command lines that mean the same to every login shell, and scripts that report their
 * process group.
 */
import { shellQuote } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';

export interface RemoteCommand {
  readonly command: string;
  /** True if the POSIX shell runs the command. Default: bash, if the host has it. */
  readonly isPosix?: boolean;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasStdin: boolean;
}

/** Maximum size of a command, somewhat below the 128 KiB that Linux accepts per argument. */
const maxCommandBytes = 120 * 1024;
/**
 * Size from which a command is sent through stdin. Small servers (dropbear) drop the connection if
 * a command line has more than 9000 bytes.
 */
const maxShownBytes = 3000;

/**
 * Returns a command line that runs `script` with the POSIX shell. Quotes, backslashes, `!` and line
 * ends of the script are escaped, because login shells treat them differently.
 */
export const commandLine = (script: string): string =>
  `exec /bin/sh -c 'eval "$(printf %b "$1")"' sh '${escaped(script)}'`;

/**
 * Returns `script` as one line for a shell that evaluates lines. The script runs in a subshell, so
 * that its variables and its `exit` do not affect that shell.
 */
export const evalLine = (script: string): string =>
  `(eval "$(printf %b '${escaped(script)}')") </dev/null`;

/** Escapes a text for `printf %b`, without characters that are special inside quotes. */
function escaped(text: string): string {
  const safe = /[A-Za-z0-9 _./:=@%+,^~{}()[\]<>|&;*?#"$`-]/;
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return byte < 128 && safe.test(character)
        ? character
        : `\\0${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
}

/**
 * Returns a script that runs a command. The script first prints `marker` to stdout and stderr, so
 * that the output of start-up files, which precedes the marker, can be omitted. On stderr, the
 * marker is followed by the process group of the command, or by `nofolder` if `cwd` does not exist.
 * The command replaces the shell, so that the host reports how the command itself ended. `input`
 * must be sent at the start of stdin. It contains the environment, because other users of the host
 * can see the arguments of a process, and a long command.
 */
export function commandScript(
  { command, isPosix = false, cwd, env, hasStdin }: RemoteCommand,
  marker: string,
): { readonly script: string; readonly input: string } {
  if (Buffer.byteLength(command) > maxCommandBytes)
    throw new MachineFailure('io', 'The command is too long. Write it to a file and run the file.');
  const isLong = Buffer.byteLength(command) > maxShownBytes;
  const unseen = [
    ...Object.entries(env).map(([name, value]) => `export ${name}=${shellQuote(value)}`),
    ...(isLong ? [`c=${shellQuote(command)}`] : []),
  ];
  const script = [
    `printf %s ${marker}`,
    `if cd -- ${shellQuote(cwd)} 2>/dev/null; then printf '${marker} %s\\n' "$$" >&2`,
    `else printf '${marker} nofolder\\n' >&2; exit 1; fi`,
    // The login shell has read the start-up files. With a lower SHLVL, bash would read them again.
    'PYTHONUNBUFFERED=1 SHLVL=1; export PYTHONUNBUFFERED SHLVL',
    ...(unseen.length > 0 ? ['IFS= read -r e', 'eval "$(printf %b "$e")"'] : []),
    isPosix ? 'sh=/bin/sh' : 'sh=$(command -v bash) || sh=/bin/sh',
    // If the server does not make the shell a group leader, setsid makes the command one, with the
    // same pid.
    'lead=; kill -0 "-$$" 2>/dev/null || { command -v setsid >/dev/null && lead=setsid; }',
    `exec $lead "$sh" -c ${isLong ? '"$c"' : shellQuote(command)}${hasStdin ? '' : ' </dev/null'}`,
  ].join('\n');
  return { script, input: unseen.length > 0 ? `${escaped(unseen.join('\n'))}\n` : '' };
}

/**
 * Returns a script that ends a process group with TERM, a grace period, and KILL. The script ends
 * when the group is empty, or after the KILL.
 */
export const endGroupScript = (group: number, graceMs: number): string =>
  [
    `g=-${group} n=0`,
    // Some builtins do not know "--". A kill that is a program may take a group without "--" for
    // the group of all processes.
    'send() { kill -s "$1" -- "$g" || { [ "$(command -v kill)" = kill ] && kill -s "$1" "$g"; }; } 2>/dev/null',
    'send TERM',
    `while send 0 && [ "$n" -lt ${Math.ceil(graceMs / 50)} ]; do`,
    'sleep 0.05 2>/dev/null || { sleep 1; n=$((n + 19)); }; n=$((n + 1)); done',
    'send KILL || :',
  ].join('\n');

/**
 * Returns a script that starts `argv` in a separate session, without open pipes. The script's exit
 * code tells whether the start succeeded.
 */
export const detachScript = (argv: readonly string[]): string => {
  const words = argv.map(shellQuote).join(' ');
  return [
    `command -v ${shellQuote(argv[0] ?? '')} >/dev/null || { echo 'it was not found' >&2; exit 127; }`,
    'lead=nohup; if command -v setsid >/dev/null; then lead=setsid',
    "elif command -v perl >/dev/null; then lead='perl -MPOSIX -e setsid();exec(@ARGV)'; fi",
    `$lead ${words} </dev/null >/dev/null 2>&1 &`,
  ].join('\n');
};
