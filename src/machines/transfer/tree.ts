/**
 * Lists the items in a folder of a machine (names, kinds, sizes, times and modes) with GNU, busybox
 * or BSD tools.
 */
import { shellQuote } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import { ask, failureAt, type Bytes, type Place } from './ends.ts';

export interface Entry {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly sizeBytes: number;
  /**
   * Seconds since the epoch, with nine digits after a dot; digits that the system does not report
   * are zero.
   */
  readonly modified: string;
  /** Permission bits. */
  readonly mode: number;
}

export interface Tools {
  readonly tar: 'gnu' | 'bsd' | 'busybox';
  /** Command that computes SHA-256; absent when the machine has none. */
  readonly sum: string | undefined;
}

export interface Tree {
  readonly root: 'folder' | 'file' | 'nothing';
  readonly tools: Tools;
  /** Free bytes of the file system; NaN if unknown. */
  readonly freeBytes: number;
  /**
   * Entries by name relative to the folder; `.` is the folder itself. Parents precede their
   * content.
   */
  readonly entries: ReadonlyMap<Bytes, Entry>;
  /** Messages about folders that could not be read. */
  readonly complaints: readonly string[];
}

export interface Listing {
  /**
   * `folder`: lists the content of the place · `file`: lists the place as an item of its parent
   * folder.
   */
  readonly as: 'folder' | 'file';
  /** Names to list. Default: everything in the folder. */
  readonly names?: readonly Bytes[];
  /** Names of folders whose content is not listed. */
  readonly closed?: readonly string[];
  /** True to list the target of a link instead of the link. */
  readonly followsLinks?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Prefix of temporary names at the destination. */
export const ownPrefix = '.helios-transfer-';

const tools = [
  'case $(tar --version 2>/dev/null) in *GNU*) t=gnu ;; *bsdtar*) t=bsd ;; *) t=busybox ;; esac',
  'h=none; for c in sha256sum shasum; do if command -v $c >/dev/null; then h=$c; break; fi; done',
].join('\n');

/**
 * Returns shell lines that define `look`, which reads names and prints an entry for each name. Each
 * entry ends with two slashes, which a name cannot contain.
 */
const refresh = (option: string): string =>
  [
    'case $(stat -c %.Y / 2>/dev/null) in',
    `*[0-9].[0-9]*) look() { xargs -0 stat ${option} -c '%f %s %.Y %n//'; } ;;`,
    `?*) look() { xargs -0 stat ${option} -c '%f %s %Y %n//'; } ;;`,
    `*) look() { xargs -0 stat ${option} -f '%Xp %z %Fm %N//'; } ;;`,
    'esac',
  ].join('\n');

function listScript(path: string, { as, names, closed = [], followsLinks }: Listing): string {
  const isClosed = closed.map((name) => `-name ${shellQuote(name)}`).join(' -o ');
  const all =
    closed.length > 0 ? `find . \\( ${isClosed} \\) -prune -print0 -o -print0` : 'find . -print0';
  const ours = `find . -maxdepth 1 -name '${ownPrefix}*' -print0`;
  return [
    `p=${shellQuote(path)}`,
    tools,
    refresh(followsLinks ? '-L' : ''),
    'k=nothing; if [ -d "$p" ]; then k=folder; elif [ -e "$p" ] || [ -L "$p" ]; then k=file; fi',
    'd=$p; while [ ! -d "$d" ]; do d=${d%/*}; [ -n "$d" ] || d=/; done',
    // Print the free space, which is in the column before the used percentage. If the file system
    // has no size, the free space is unknown.
    `n=$(df -Pk "$d" 2>/dev/null | awk 'END { for (i = 5; i <= NF; i++) if ($i ~ /^([0-9]+%|-)$/) { print ($(i - 3) > 0 ? $(i - 1) : "unknown"); exit } }')`,
    'printf "%s %s %s %s\\n" "$k" "$t" "$h" "${n:-unknown}"',
    as === 'folder' ? 'd=$p' : 'd=${p%/*}; [ -n "$d" ] || d=/; [ $k != folder ] || exit 0',
    '[ -d "$d" ] || exit 0',
    'cd -- "$d" || exit 1',
    `${names ? `{ cat; ${ours}; }` : all} | look 2>/dev/null || :`,
  ].join('\n');
}

/**
 * Lists a place. Rejects with `MachineFailure`: `denied`, or the reason for which the connection
 * failed.
 */
export async function listTree(place: Place, listing: Listing): Promise<Tree> {
  const stdin = listing.names && nulls(listing.names);
  const { stdout, stderr, code } = await ask(place.machine, listScript(place.path, listing), {
    ...(stdin !== undefined && { stdin }),
    signal: listing.signal,
  });
  const end = stdout.indexOf('\n');
  const [root, tar, sum, freeKb] = stdout.slice(0, Math.max(0, end)).split(' ');
  if (code !== 0 || end < 0) throw failureAt(place, stderr, 'access');
  return {
    root: root as Tree['root'],
    tools: {
      tar: tar as Tools['tar'],
      sum: sum === 'none' ? undefined : sum === 'shasum' ? 'shasum -a 256' : sum,
    },
    freeBytes: Number(freeKb) * 1024,
    entries: parsed(stdout.slice(end + 1)),
    complaints: stderr.split('\n').filter(Boolean),
  };
}

function parsed(text: Bytes): Map<Bytes, Entry> {
  const entries = new Map<Bytes, Entry>();
  for (const record of text.split('//\n')) {
    const [, mode = '', size, modified = '', name = ''] =
      /^([0-9a-fA-F]+) (\d+) (-?[\d.]+) (?:\.\/)?([^]+)$/.exec(record) ?? [];
    const bits = parseInt(mode, 16);
    if (name !== '')
      entries.set(name, {
        kind: kinds.get(bits & 0o170000) ?? 'other',
        sizeBytes: Number(size),
        modified: exactly(modified),
        mode: bits & 0o7777,
      });
  }
  return entries;
}

const kinds: ReadonlyMap<number, Entry['kind']> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
]);

function exactly(seconds: string): string {
  if (seconds.at(-10) === '.') return seconds;
  const [whole = '', fraction = ''] = seconds.split('.');
  return `${whole}.${fraction.padEnd(9, '0').slice(0, 9)}`;
}

/** Returns whether two times are equal. Some systems and archives store whole seconds only. */
export function isSameTime(a: string, b: string): boolean {
  const isCoarse = a.endsWith('.000000000') || b.endsWith('.000000000');
  return isCoarse ? a.split('.')[0] === b.split('.')[0] : a === b;
}

export const nulls = (names: readonly Bytes[]): Bytes =>
  names.map((name) => `./${name}\0`).join('');

/** Resolves with the targets of links by name. */
export async function readLinks(
  place: Place,
  names: readonly Bytes[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Bytes, Bytes>> {
  if (names.length === 0) return new Map();
  const each = 'for f; do printf "%s\\0%s\\0" "$f" "$(readlink "$f"; echo .)"; done';
  const script = `cd -- ${shellQuote(place.path)} && xargs -0 /bin/sh -c '${each}' sh`;
  const { stdout } = await ask(place.machine, script, { stdin: nulls(names), signal });
  return new Map(pairs(stdout).map(([name, target]) => [name.slice(2), target.slice(0, -2)]));
}

/** Resolves with the content of text files by name; an unreadable file has empty content. */
export async function readTexts(
  place: Place,
  names: readonly Bytes[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Bytes, Bytes>> {
  if (names.length === 0) return new Map();
  const each = 'for f; do printf "%s\\0" "$f"; cat "$f"; printf "\\0"; done';
  const script = `cd -- ${shellQuote(place.path)} && xargs -0 /bin/sh -c '${each}' sh`;
  const { stdout } = await ask(place.machine, script, { stdin: nulls(names), signal });
  return new Map(pairs(stdout).map(([name, text]) => [name.slice(2), text]));
}

function pairs(text: Bytes): (readonly [Bytes, Bytes])[] {
  const parts = text.split('\0');
  return Array.from({ length: Math.floor(parts.length / 2) }, (_, index) => [
    parts[2 * index] ?? '',
    parts[2 * index + 1] ?? '',
  ]);
}

/**
 * Resolves with the SHA-256 of files by name. Names that the tools would escape are omitted, so
 * these files are considered different.
 */
export async function checksums(
  place: Place,
  { sum }: Tools,
  names: readonly Bytes[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Bytes, string>> {
  if (sum === undefined)
    throw new MachineFailure(
      'missing',
      `${place.machine.id} has no sha256sum. Transfer without checksum.`,
    );
  const plain = names.filter((name) => !/[\\\n\r]/.test(name));
  if (plain.length === 0) return new Map();
  const script = `cd -- ${shellQuote(place.path)} && xargs -0 ${sum}`;
  const { stdout } = await ask(place.machine, script, { stdin: nulls(plain), signal });
  const lines = stdout.split('\n').map((line) => /^([0-9a-f]{64}) [ *]\.\/(.+)$/s.exec(line));
  return new Map(
    lines.flatMap((found) => (found ? [[found[2] ?? '', found[1] ?? ''] as const] : [])),
  );
}
