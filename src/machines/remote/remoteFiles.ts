/**
 * Reads and writes files of a host through its shell. Content goes over stdin, byte for byte; a
 * write is complete or has no effect.
 */
import { shellQuote } from '../../base/text.ts';
import {
  MachineFailure,
  type ExecOutcome,
  type FileStat,
  type MachineFailureReason,
} from '../machine.ts';

/** Runs a script with the POSIX shell of the host; `stdout` is complete. */
export type RunScript = (script: string, stdin?: Uint8Array) => Promise<ScriptResult>;

export interface ScriptResult {
  readonly outcome: ExecOutcome;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface ByteRange {
  readonly offset: number;
  readonly maxBytes: number;
}

const reasons: readonly (readonly [pattern: RegExp, reason: MachineFailureReason, why: string])[] =
  [
    [/No such (file|process)/i, 'missing', 'it does not exist'],
    [/Not a directory/i, 'missing', 'a part of the path is not a folder'],
    [/read-only file system/i, 'denied', 'the file system is read-only'],
    [/the file is read-only/, 'denied', 'the file is read-only'],
    [/not a regular file/, 'denied', 'it is not a regular file'],
    [/Permission denied|not permitted/i, 'denied', 'permission denied'],
    [/No space left/i, 'no_space', 'no space is left on the disk'],
    [/quota/i, 'no_space', 'the disk quota is used up'],
    [/is a (directory|folder)/i, 'io', 'it is a folder'],
  ];

const prologue = 'LC_ALL=C; export LC_ALL; fail() { echo "$1" >&2; exit 1; }';

/** Resolves symbolic links, including a dangling one. */
const followLinks = [
  'n=0; while [ -L "$p" ] && [ "$n" -lt 40 ]; do l=$(readlink "$p") || exit 1',
  'case $l in /*) p=$l ;; *) p=${p%/*}/$l ;; esac; n=$((n + 1)); done',
  'd=${p%/*}; [ -n "$d" ] || d=/',
].join('\n');

/** Shell lines that write stdin to a temporary file, and fail unless all bytes arrived. */
const takeContent = (sizeBytes: number): string =>
  [
    'b=${p##*/}; t="$d/.$(printf %.200s "$b").$$.tmp"',
    `trap 'rm -f "$t"' EXIT; trap 'exit 1' HUP INT TERM`,
    'cat >"$t" || exit 1',
    `[ "$(wc -c <"$t")" -eq ${sizeBytes} ] || fail 'its content arrived incomplete'`,
  ].join('\n');

export async function writeThroughShell(
  run: RunScript,
  path: string,
  content: Uint8Array,
): Promise<void> {
  const script = [
    prologue,
    `p=${shellQuote(path)}`,
    followLinks,
    `[ ! -d "$p" ] || fail 'it is a folder'`,
    'if [ -e "$p" ]; then',
    `[ -f "$p" ] || fail 'it is not a regular file'`,
    // Check the permission bits as well: root could write the file, but it counts as read-only.
    `case $(ls -ldn "$p") in ??-??-??-*) fail 'the file is read-only' ;; esac`,
    `[ -w "$p" ] || fail 'Permission denied'`,
    'm=$(stat -c "%a %u:%g" "$p" 2>/dev/null || stat -f "%Lp %u:%g" "$p") || exit 1; u=$(umask); umask 077',
    'else m=; mkdir -p "$d" || exit 1; fi',
    takeContent(content.length),
    'if [ -n "$m" ]; then [ "$(id -u)" != 0 ] || chown "${m#* }" "$t" || exit 1; chmod "${m% *}" "$t" || exit 1; fi',
    'mv -f "$t" "$p"',
  ].join('\n');
  await runOrFail(run, script, { deed: 'write', path, stdin: content });
}

export async function appendThroughShell(
  run: RunScript,
  path: string,
  content: Uint8Array,
): Promise<void> {
  const script = [
    prologue,
    `p=${shellQuote(path)}`,
    followLinks,
    'mkdir -p "$d" || exit 1',
    // A device cannot have a temporary file next to it.
    'if [ -e "$p" ] && [ ! -f "$p" ]; then cat >>"$p"; exit; fi',
    takeContent(content.length),
    'cat "$t" >>"$p"',
  ].join('\n');
  await runOrFail(run, script, { deed: 'append to', path, stdin: content });
}

export async function readThroughShell(
  run: RunScript,
  path: string,
  range?: ByteRange,
): Promise<Uint8Array> {
  const read = range
    ? `tail -c +${range.offset + 1} <"$p" | head -c ${range.maxBytes}`
    : 'cat <"$p"';
  const script = `${prologue}\np=${shellQuote(path)}\n[ ! -d "$p" ] || fail 'it is a folder'\n: <"$p" || exit 1\n${read}`;
  return runOrFail(run, script, { deed: 'read', path });
}

export async function statThroughShell(
  run: RunScript,
  path: string,
): Promise<FileStat | undefined> {
  const quoted = shellQuote(path);
  const script = [
    prologue,
    `p=${quoted}`,
    'k=f; [ ! -d "$p" ] || k=d',
    's=$(stat -L -c "%s %Y" "$p" 2>/dev/null || stat -L -f "%z %m" "$p") && echo "$k $s"',
  ].join('\n');
  try {
    const [kind, size, seconds] = Buffer.from(
      await runOrFail(run, script, { deed: 'look at', path }),
    )
      .toString()
      .trim()
      .split(' ');
    return {
      sizeBytes: Number(size),
      modifiedMs: Number(seconds) * 1000,
      isDirectory: kind === 'd',
    };
  } catch (error) {
    if (error instanceof MachineFailure && error.reason === 'missing') return undefined;
    throw error;
  }
}

/** Converts an error message of the system to a failure that names the operation and the path. */
export function remoteFileFailure(said: string, deed: string, path: string): MachineFailure {
  const [, reason, why] =
    reasons.find(([pattern]) => pattern.test(said)) ?? ([/./, 'io', said.trim()] as const);
  return new MachineFailure(reason, `Cannot ${deed} ${path}: ${why || 'unknown reason'}.`);
}

async function runOrFail(
  run: RunScript,
  script: string,
  { deed, path, stdin }: { deed: string; path: string; stdin?: Uint8Array },
): Promise<Buffer> {
  const { outcome, stdout, stderr } = await run(script, stdin);
  if (outcome.kind === 'exited' && outcome.code === 0) return stdout;
  throw remoteFileFailure(stderr, deed, path);
}
