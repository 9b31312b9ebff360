/** Command lines that mean the same to every login shell, and scripts that say who runs them. */
import { shellQuote } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';

export interface RemoteCommand {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hasStdin: boolean;
}

/** Linux takes 128 KiB for one argument; a shell's start-up adds little. */
const maxCommandBytes = 120 * 1024;
/** Small servers (dropbear) break the connection of who sends a line of more than 9000 bytes. */
const maxShownBytes = 3000;

/**
 * Runs `script` with the POSIX shell. Login shells differ in what they make of quotes, backslashes,
 * `!` and line ends, so none of these reaches them.
 */
export const commandLine = (script: string): string =>
  `exec /bin/sh -c 'eval "$(printf %b "$1")"' sh '${escaped(script)}'`;

/**
 * `script` as one line for a shell that evaluates lines, with its variables and `exit` kept to
 * itself.
 */
export const evalLine = (script: string): string =>
  `(eval "$(printf %b '${escaped(script)}')") </dev/null`;

/** As `printf %b` takes it, with nothing that a shell in quotes would touch. */
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
 * `marker` is printed to both streams before anything of the command: what comes before it is the
 * noise of start-up files. On stderr the process group of the command follows, or `nofolder`. The
 * shell becomes the command, so that the host reports the command's own end. `input` is what its
 * standard input begins with: others see the arguments of a process, not its input.
 */
export function commandScript(
  { command, cwd, env, hasStdin }: RemoteCommand,
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
    // The login shell has read the start-up files; bash, told that it is the first shell of a
    // login, would read them again.
    'PYTHONUNBUFFERED=1 SHLVL=1; export PYTHONUNBUFFERED SHLVL',
    ...(unseen.length > 0 ? ['IFS= read -r e', 'eval "$(printf %b "$e")"'] : []),
    'sh=$(command -v bash) || sh=/bin/sh',
    // A server that does not make us the leader of a group leaves that to setsid, which then keeps
    // our pid.
    'lead=; kill -0 "-$$" 2>/dev/null || { command -v setsid >/dev/null && lead=setsid; }',
    `exec $lead "$sh" -c ${isLong ? '"$c"' : shellQuote(command)}${hasStdin ? '' : ' </dev/null'}`,
  ].join('\n');
  return { script, input: unseen.length > 0 ? `${escaped(unseen.join('\n'))}\n` : '' };
}

/** Ends a process group: TERM, time, KILL. Ends when nobody is left in it, or after the KILL. */
export const endGroupScript = (group: number, graceMs: number): string =>
  [
    `g=-${group} n=0`,
    'kill -s TERM -- "$g" 2>/dev/null || kill -TERM "$g" 2>/dev/null',
    `while kill -0 "$g" 2>/dev/null && [ "$n" -lt ${Math.ceil(graceMs / 50)} ]; do`,
    'sleep 0.05 2>/dev/null || { sleep 1; n=$((n + 19)); }; n=$((n + 1)); done',
    'kill -s KILL -- "$g" 2>/dev/null || kill -KILL "$g" 2>/dev/null || :',
  ].join('\n');

/**
 * Starts `argv` in a session of its own, with no way back to us, and says how that went by its exit
 * code.
 */
export const detachScript = (argv: readonly string[]): string => {
  const words = argv.map(shellQuote).join(' ');
  return [
    `command -v ${shellQuote(argv[0] ?? '')} >/dev/null || { echo 'it was not found' >&2; exit 127; }`,
    'lead=nohup; command -v setsid >/dev/null && lead=setsid',
    `$lead ${words} </dev/null >/dev/null 2>&1 &`,
  ].join('\n');
};
