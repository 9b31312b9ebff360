/**
 * Sends a single file. An interrupted transfer resumes after the blocks that have already arrived.
 */
import { createHash } from 'node:crypto';
import { shellQuote } from '../../base/text.ts';
import { ask, bytesOf, failureAt, quoted, run, textOf, type Bytes, type Place } from './ends.ts';
import { parentOf } from './excludes.ts';
import { plainMode } from './plan.ts';
import { relay, type RelayOptions } from './relay.ts';
import { listTree, ownPrefix, type Entry, type Tools } from './tree.ts';

const blockBytes = 1024 * 1024;

export interface LargeFile {
  /** Folder that contains the source file. */
  readonly from: Place;
  /** Destination folder. */
  readonly to: Place;
  readonly tools: { readonly from: Tools; readonly to: Tools };
  readonly name: Bytes;
  readonly targetName: Bytes;
  readonly entry: Entry;
  readonly followsLinks: boolean;
  /** Entries of the destination folder. */
  readonly there: ReadonlyMap<Bytes, Entry>;
}

type Options = Pick<RelayOptions, 'signal' | 'onBytes'>;

/**
 * Sends the file. Resolves with a text if only this file could not be sent, otherwise with
 * `undefined`. Rejects with `MachineFailure` if the whole transfer must stop.
 */
export async function sendLarge(file: LargeFile, options: Options): Promise<string | undefined> {
  const { from, to, name, entry } = file;
  const part = partName(file);
  const blocks = await blocksThere(file, part, options);
  const { source, target } = await relay(
    { machine: from.machine, script: sendScript(from.path, name, blocks) },
    {
      machine: to.machine,
      script: receiveScript(to.path, part, { blocks, sizeBytes: entry.sizeBytes }),
    },
    options,
  );
  if (source?.code) return oneReason(source.stderr);
  if (target.code !== 0 && target.code !== sizeCode) throw failureAt(to, target.stderr, 'write to');
  const now = await listTree({ ...from, path: `${from.path}/x` }, listingOf(file, options));
  const after = now.entries.get(name);
  const hasChanged = after?.modified !== entry.modified || after.sizeBytes !== entry.sizeBytes;
  if (hasChanged || target.code === sizeCode) {
    await run(to.machine, inFolder(to.path, [`rm -f -- ${part}`]), options.signal);
    return 'it changed during the transfer: send it again when it no longer changes';
  }
  const moved = await run(to.machine, placeLines(file, part), options.signal);
  return moved.code === 0 ? undefined : oneReason(moved.stderr);
}

const listingOf = ({ name, followsLinks }: LargeFile, { signal }: Options) =>
  ({ as: 'file', names: [name], followsLinks, signal }) as const;

/**
 * Returns the name of the partial file at the destination. The name depends on the size and the
 * time of the source file, so that a part of another version is never reused.
 */
function partName({ targetName, entry }: LargeFile): string {
  const version = `${entry.sizeBytes} ${entry.modified}`;
  return `${ownPrefix}${digest(targetName)}-${digest(version)}.part`;
}

const digest = (text: Bytes): string =>
  createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 16);

const sendScript = (path: string, name: Bytes, blocks: number): string =>
  [
    `cd -- ${shellQuote(path)} || exit 1`,
    `n=${printed(name)}; n=\${n%/}`,
    // Report a missing file, because the error message of dd is discarded.
    '[ -r "./$n" ] || { echo "permission denied, or it was deleted" >&2; exit 1; }',
    `exec dd if="./$n" bs=${blockBytes} skip=${blocks} 2>/dev/null`,
  ].join('\n');

/**
 * Returns shell code that prints a file name, followed by a slash. The bytes of the name are
 * escaped, because a script must be valid text.
 */
const printed = (name: Bytes): string =>
  `$(printf '${Array.from(name, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')}/')`;

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
  file: { blocks: number; sizeBytes: number },
): string =>
  [
    `mkdir -p -- ${shellQuote(path)} && cd -- ${shellQuote(path)} || exit 1`,
    `find . -maxdepth 1 -name '${part.replace(/-[0-9a-f]+\.part$/, '-*.part')}' ! -name ${part} -exec rm -f {} +`,
    'umask 077',
    `said=$(dd of=${part} bs=${blockBytes} seek=${file.blocks} conv=notrunc 2>&1); c=$?`,
    '[ $c = 0 ] || printf "%s\\n" "$said" >&2',
    `case $said in *[Nn]'o space'* | *[Qq]uota*) rm -f ${part} ;; esac`,
    '[ $c = 0 ] || exit 1',
    `[ "$(wc -c <${part})" -eq ${file.sizeBytes} ] || exit ${sizeCode}`,
  ].join('\n');

/**
 * Returns the number of whole blocks that an earlier attempt has sent; 0 if their content is not
 * equal to the source.
 */
async function blocksThere(
  { from, to, tools, name, entry, there }: LargeFile,
  part: string,
  { signal }: Options,
) {
  const partEntry = there.get(part);
  const { sum: fromSum } = tools.from;
  const { sum: toSum } = tools.to;
  if (partEntry?.kind !== 'file' || fromSum === undefined || toSum === undefined) return 0;
  const blocks = Math.floor(Math.min(partEntry.sizeBytes, entry.sizeBytes) / blockBytes);
  if (blocks === 0) return 0;
  const sumScript = ({ path }: Place, file: Bytes, sum: string): string =>
    `cd -- ${shellQuote(path)} && n=${printed(file)} && n=\${n%/} && dd if="./$n" bs=${blockBytes} count=${blocks} 2>/dev/null | ${sum}`;
  const [ours, theirs] = await Promise.all([
    ask(from.machine, sumScript(from, name, fromSum), { signal }),
    ask(to.machine, sumScript(to, part, toSum), { signal }),
  ]);
  return ours.stdout.slice(0, 64) === theirs.stdout.slice(0, 64) ? blocks : 0;
}

/**
 * Returns shell lines that set the time and the permissions of the complete partial file, and move
 * it to its destination. First moves the file, with its final name, into a temporary folder: `mv`
 * from there into the destination folder replaces a link that has the file's name, and never
 * follows that link.
 */
function placeLines({ to, targetName, entry }: LargeFile, part: string): Bytes[] {
  const folder = part.replace(/part$/, 'd');
  const [seconds = '', nanos = ''] = entry.modified.split('.');
  const iso = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  const stamp = iso.replace(/[-T:]/g, '').replace(/(..)$/, '.$1');
  const staged = quoted(`${folder}/${targetName.slice(targetName.lastIndexOf('/') + 1)}`);
  return inFolder(to.path, [
    `{ touch -d ${iso}.${nanos}Z ${part} || TZ=UTC touch -t ${stamp} ${part}; } 2>/dev/null`,
    `chmod ${plainMode(entry.mode).toString(8)} ${part}`,
    `mkdir -m 700 ${folder} && mv -f -- ${part} ${staged} || exit 1`,
    `mv -f -- ${staged} ${quoted(`./${parentOf(targetName)}/`)} || { mv -f -- ${staged} ${part}; rmdir ${folder}; exit 1; }`,
    `rmdir ${folder}`,
  ]);
}

const inFolder = (path: string, lines: readonly Bytes[]): Bytes[] => [
  `cd -- ${bytesOf(shellQuote(path))} || exit 1`,
  ...lines,
];

const oneReason = (stderr: string): string =>
  textOf(bytesOf(stderr)).trim().split('\n')[0] ?? 'unknown reason';
