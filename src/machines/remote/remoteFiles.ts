/**
 * Reads and writes files of a host through its shell. Content is sent through stdin, byte for byte;
 * an incomplete transfer leaves the file unchanged.
 */
import { randomBytes } from 'node:crypto';
import { shellQuote } from '../../base/text.ts';
import { quotedReason } from '../../base/untrusted.ts';
import {
  MachineFailure,
  type ExecOutcome,
  type FileStat,
  type MachineFailureReason,
  type AppendOptions,
  type WriteOptions,
} from '../machine.ts';
import { maxWholeFileBytes, tooLarge } from '../wholeFile.ts';

/**
 * Runs a script with the POSIX shell of the host; `stdout` is complete. Rejects with
 * `MachineFailure` (`io`) when stdout is longer than `maxBytes`.
 */
export type RunScript = (script: string, options?: ScriptOptions) => Promise<ScriptResult>;

export interface ScriptOptions {
  readonly stdin?: Uint8Array | undefined;
  /** Default: `maxAnswerBytes`. */
  readonly maxBytes?: number | undefined;
}

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
    [/a link took .*place/, 'denied', 'a link took its place'],
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

/**
 * Shell lines that open a regular file as descriptor 3. Opening a pipe waits for its other end, so
 * the kind is checked first, and again where the file may have been replaced in between.
 */
const openRegular = [
  `[ ! -d "$p" ] || fail 'it is a folder'`,
  `[ ! -e "$p" ] || [ -f "$p" ] || fail 'it is not a regular file'`,
  'exec 3<"$p" || exit 1',
  `[ ! -e /proc/self/fd/3 ] || [ -f /proc/self/fd/3 ] || fail 'it is not a regular file'`,
].join('\n');

/**
 * Shell lines that write stdin to a new temporary file `$t`, and fail unless all bytes arrived. Set
 * `o` to a path that always leads to the opened file, even if another user replaces `$t` by a link.
 */
const takeContent = (sizeBytes: number): string =>
  [
    `b=\${p##*/}; t="$d/.$(printf %.200s "$b").${randomBytes(6).toString('hex')}.tmp"`,
    // `set -C` makes the shell create the file, instead of following a link to another file.
    'set -C; exec 3>"$t" || exit 1; set +C',
    `trap 'rm -f "$t"' EXIT; trap 'exit 1' HUP INT TERM`,
    'o=/proc/self/fd/3; [ -e "$o" ] || o=$t',
    'cat >&3 || exit 1',
    `[ "$(wc -c <"$o")" -eq ${sizeBytes} ] || fail 'its content arrived incomplete'`,
  ].join('\n');

/**
 * Shell lines that enter the folder of a real path. If a program replaces the folder by a link
 * meanwhile, nothing outside it is written.
 */
const enterFolder = [
  'd=${p%/*}; [ -n "$d" ] || d=/',
  'mkdir -p "$d" && cd -P "$d" || exit 1',
  `[ "$(pwd -P)" = "$d" ] || fail 'a link took the place of its folder'`,
  `p=./\${p##*/} d=.; [ ! -L "$p" ] || fail 'a link took its place'`,
].join('\n');

const findFile = (path: string, realPath: string | undefined): string =>
  `p=${shellQuote(realPath ?? path)}\n${realPath === undefined ? followLinks : enterFolder}`;

export async function writeThroughShell(
  run: RunScript,
  path: string,
  content: Uint8Array,
  { isPrivate = false, realPath }: WriteOptions = {},
): Promise<void> {
  const script = [
    ...(isPrivate ? ['umask 077'] : []),
    prologue,
    findFile(path, realPath),
    `[ ! -d "$p" ] || fail 'it is a folder'`,
    'if [ -e "$p" ]; then',
    `[ -f "$p" ] || fail 'it is not a regular file'`,
    // Check the permission bits as well, because `-w` is true for root even if the file is
    // read-only.
    `case $(ls -ldn "$p") in ??-??-??-*) fail 'the file is read-only' ;; esac`,
    `[ -w "$p" ] || fail 'Permission denied'`,
    'm=$(stat -c "%a %u:%g" "$p" 2>/dev/null || stat -f "%Lp %u:%g" "$p") || exit 1; u=$(umask); umask 077',
    'else m=; mkdir -p "$d" || exit 1; fi',
    takeContent(content.length),
    'if [ -n "$m" ]; then [ "$(id -u)" != 0 ] || chown "${m#* }" "$o" || exit 1; chmod "${m% *}" "$o" || exit 1; fi',
    'mv -f "$t" "$p"',
  ].join('\n');
  await runOrFail(run, script, { operation: 'write', path, options: { stdin: content } });
}

export async function appendThroughShell(
  run: RunScript,
  path: string,
  content: Uint8Array,
  { realPath }: AppendOptions = {},
): Promise<void> {
  const script = [
    prologue,
    findFile(path, realPath),
    'mkdir -p "$d" || exit 1',
    `[ ! -p "$p" ] && [ ! -S "$p" ] || fail 'it is not a regular file'`,
    // Append to a device directly, because its folder may not accept a temporary file.
    'if [ -e "$p" ] && [ ! -f "$p" ]; then cat >>"$p"; exit; fi',
    takeContent(content.length),
    'cat "$o" >>"$p"',
  ].join('\n');
  await runOrFail(run, script, { operation: 'append to', path, options: { stdin: content } });
}

export async function readThroughShell(
  run: RunScript,
  path: string,
  range?: ByteRange,
): Promise<Uint8Array> {
  // A byte beyond the limit shows that a whole file is too large.
  const { offset, maxBytes } = range ?? { offset: 0, maxBytes: maxWholeFileBytes + 1 };
  const read =
    offset > 0 ? `tail -c +${offset + 1} <&3 | head -c ${maxBytes}` : `head -c ${maxBytes} <&3`;
  const script = [prologue, `p=${shellQuote(path)}`, openRegular, read].join('\n');
  const bytes = await runOrFail(run, script, { operation: 'read', path, options: { maxBytes } });
  if (range === undefined && bytes.length > maxWholeFileBytes)
    throw tooLarge(path, maxWholeFileBytes);
  return bytes;
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
      await runOrFail(run, script, { operation: 'access', path }),
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

/**
 * Converts the error message of a command on the host to a failure. `operation` is a verb for the
 * failure's message, such as `read` in `Cannot read /x: permission denied.`
 */
export function remoteFileFailure(
  message: string,
  operation: string,
  path: string,
): MachineFailure {
  const [, reason, why] =
    reasons.find(([pattern]) => pattern.test(message)) ??
    ([/./, 'io', quotedReason(message, 'the machine', 'unknown reason')] as const);
  return new MachineFailure(reason, `Cannot ${operation} ${path}: ${why}.`);
}

async function runOrFail(
  run: RunScript,
  script: string,
  { operation, path, options }: { operation: string; path: string; options?: ScriptOptions },
): Promise<Buffer> {
  const { outcome, stdout, stderr } = await run(script, options);
  if (outcome.kind === 'exited' && outcome.code === 0) return stdout;
  throw remoteFileFailure(stderr, operation, path);
}
