/**
 * Sends a single file. An interrupted transfer resumes after the blocks that have already arrived.
 */
import { createHash } from 'node:crypto';
import { shellQuote } from '../../base/text.ts';
import { ask, bytesOf, failureAt, quoted, textOf, type Bytes, type Place } from './ends.ts';
import { baseOf, ownPrefix, parentOf, pathIn } from './names.ts';
import { placing, runIn, stampLine } from './placing.ts';
import { commandSource, relay, type RelayOptions } from './relay.ts';
import { listTree, type Entries, type Entry, type Tools } from './tree.ts';

const blockBytes = 1024 * 1024;

export interface LargeFile {
  /** Folder that contains the source file. */
  readonly from: Place;
  /** Destination folder. */
  readonly to: Place;
  readonly tools: { readonly from: Tools; readonly to: Tools };
  /** Name at the destination. */
  readonly name: Bytes;
  readonly sourceName: Bytes;
  readonly entry: Entry;
  /** Entries of the destination folder. */
  readonly there: Entries;
}

/**
 * Sends the file. Resolves with a message if only this file could not be sent, otherwise with
 * `undefined`. Rejects with `MachineFailure` if the whole transfer must stop.
 */
export async function sendLarge(
  file: LargeFile,
  options: RelayOptions,
): Promise<string | undefined> {
  const { from, to, sourceName, entry } = file;
  const { signal } = options;
  const part = partName(file);
  const blocks = await blocksThere(file, part, signal);
  const total = Math.ceil(entry.sizeBytes / blockBytes);
  const { source, target } = await relay(
    {
      machine: from.machine,
      source: commandSource(from.machine, sendScript(file, blocks, total)),
      maxBytes: (total - blocks) * blockBytes,
    },
    {
      machine: to.machine,
      script: receiveScript(to.path, part, { blocks, sizeBytes: entry.sizeBytes }),
    },
    options,
  );
  if (source?.code) return oneReason(source.stderr);
  if (target.code !== 0 && target.code !== sizeCode) throw failureAt(to, target.stderr, 'write to');
  const after = (await listTree(from, { names: [sourceName], signal })).entries.get(sourceName);
  const hasChanged = after?.modified !== entry.modified || after.sizeBytes !== entry.sizeBytes;
  if (hasChanged || target.code === sizeCode) {
    await runIn(to, [`rm -f -- ${part}`], signal);
    return 'it changed during the transfer: send it again when it no longer changes';
  }
  const moved = await runIn(to, placeLines(file, part), signal);
  return moved.code === 0 ? undefined : oneReason(moved.stderr);
}

/**
 * Returns the name of the partial file at the destination. The name depends on the size and the
 * time of the source file, so that a part of another version is never reused.
 */
function partName({ name, entry }: LargeFile): string {
  const version = `${entry.sizeBytes} ${entry.modified}`;
  return `${ownPrefix}${digest(name)}-${digest(version)}.part`;
}

const digest = (text: Bytes): string =>
  createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 16);

/** Returns the script that prints the source file after its first blocks. */
const sendScript = ({ from, sourceName }: LargeFile, blocks: number, total: number): string =>
  [
    openScript(from.path, sourceName),
    total === blocks
      ? 'exit 0'
      : `exec dd bs=${blockBytes} skip=${blocks} count=${total - blocks} <&4 2>/dev/null`,
  ].join('\n');

/**
 * Returns shell code that opens a file as descriptor 4. The bytes of the name are escaped, because
 * a script must be valid text. Opening a pipe would wait for its other end.
 */
function openScript(path: string, name: Bytes): string {
  const octal = (byte: string): string => byte.charCodeAt(0).toString(8).padStart(3, '0');
  const escaped = Array.from(name, (byte) => `\\0${octal(byte)}`).join('');
  return [
    placing,
    `p=$(printf '%s/%b/' ${shellQuote(path === '/' ? '' : path)} '${escaped}')`,
    'p=${p%/}; d=${p%/*}; n=./${p##*/}',
    'at "${d:-/}" && [ -f "$n" ] && [ -r "$n" ] ||',
    '  { echo "permission denied, or it was deleted" >&2; exit 1; }',
    'exec 4<"$n" && opened "$p" || exit 1',
  ].join('\n');
}

const sizeCode = 9;

/**
 * Returns the script that writes the received bytes to the partial file, at their offset. Two
 * processes that send the same version of a file at the same time thus write the same content. If
 * the disk is full, the script removes the partial file, which would only use space. The script
 * writes no temporary file, because the disk may be full.
 */
const receiveScript = (
  path: string,
  part: string,
  file: { readonly blocks: number; readonly sizeBytes: number },
): string =>
  [
    `${placing}\nmkdir -p -- ${shellQuote(path)} && at ${shellQuote(path)} || exit 1`,
    `find . -maxdepth 1 -name '${part.replace(/-[0-9a-f]+\.part$/, '-*.part')}' ! -name ${part} -exec rm -f {} +`,
    `umask 077; [ ! -L ${part} ] || rm -f ${part}`,
    ownLine(path, part),
    `said=$(dd bs=${blockBytes} seek=${file.blocks} conv=notrunc 2>&1 >&4); c=$?`,
    '[ $c = 0 ] || printf "%s\\n" "$said" >&2',
    `case $said in *[Nn]'o space'* | *[Qq]uota*) rm -f ${part} ;; esac`,
    '[ $c = 0 ] || exit 1',
    `[ "$(wc -c <$o)" -eq ${file.sizeBytes} ] || exit ${sizeCode}`,
  ].join('\n');

const ownLine = (path: string, part: string): string =>
  `exec 4<>${part} && opened ${shellQuote(textOf(pathIn(bytesOf(path), part)))} || exit 1`;

/**
 * Returns the number of whole blocks that an earlier attempt has sent; 0 if their content is not
 * equal to the source.
 */
async function blocksThere(
  { from, to, tools, sourceName, entry, there }: LargeFile,
  part: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const partEntry = there.get(part);
  if (partEntry?.kind !== 'file' || !tools.from.sum || !tools.to.sum) return 0;
  const blocks = Math.floor(Math.min(partEntry.sizeBytes, entry.sizeBytes) / blockBytes);
  if (blocks === 0) return 0;
  const sumScript = ({ path }: Place, file: Bytes, sum: string): string =>
    `${openScript(path, file)}\ndd bs=${blockBytes} count=${blocks} <&4 2>/dev/null | ${sum}`;
  const [ours, theirs] = await Promise.all([
    ask(from.machine, sumScript(from, sourceName, tools.from.sum), { signal }),
    ask(to.machine, sumScript(to, part, tools.to.sum), { signal }),
  ]);
  return ours.stdout.slice(0, 64) === theirs.stdout.slice(0, 64) ? blocks : 0;
}

/**
 * Returns shell lines that set the time and the permissions of the complete partial file, and move
 * it to its destination. First moves the file, with its final name, into a temporary folder: `mv`
 * from there into the destination folder replaces a link that has the file's name, and never
 * follows that link.
 */
function placeLines({ to, name, entry }: LargeFile, part: string): Bytes[] {
  const root = bytesOf(to.path);
  const folder = part.replace(/part$/, 'd');
  const staged = quoted(`${folder}/${baseOf(name)}`);
  const parent = quoted(pathIn(root, parentOf(name)));
  return [
    bytesOf(ownLine(to.path, part)),
    stampLine('$o', entry),
    `mkdir -m 700 ${folder} && mv -f -- ${part} ${staged} || exit 1`,
    `both ${quoted(pathIn(root, folder))} ${parent} && mv -f -- "$f"/${quoted(baseOf(name))} .; c=$?`,
    `at ${quoted(root)} || exit 1`,
    `[ $c = 0 ] || mv -f -- ${staged} ${part}`,
    `rmdir ${folder}; exit $c`,
  ];
}

const oneReason = (stderr: string): string => stderr.trim().split('\n')[0] || 'unknown reason';
