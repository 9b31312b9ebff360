/**
 * Lists the items in a folder of a machine (names, kinds, sizes, times and modes) with GNU, busybox
 * or BSD tools.
 */
import { shellQuote } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import { realPathScript } from '../realPath.ts';
import { ask, failureAt, placeText, textOf, type Bytes, type Place } from './ends.ts';
import { isPlainName, ownPrefix, parentOf } from './names.ts';

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

export type Entries = ReadonlyMap<Bytes, Entry>;

export interface Tools {
  readonly tar: 'gnu' | 'bsd' | 'busybox';
  /** Command that computes SHA-256; absent when the machine has none. */
  readonly sum: string | undefined;
  /** Windows has other rules for names, and no permission bits. */
  readonly system: 'unix' | 'windows';
  /** Whether the file system takes names that differ only in case or normalization as equal. */
  readonly foldsNames: boolean;
}

export interface Tree {
  /** The listed path, without links in it. */
  readonly path: string;
  readonly root: 'folder' | 'file' | 'nothing';
  readonly tools: Tools;
  /** Free bytes of the file system; NaN if unknown. */
  readonly freeBytes: number;
  /**
   * Entries by name relative to the folder; `.` is the folder itself. Parents precede their
   * content.
   */
  readonly entries: Entries;
  /** Messages about folders that could not be read. */
  readonly complaints: readonly string[];
}

export interface Listing {
  /** Names to list. Default: everything in the folder. */
  readonly names?: readonly Bytes[];
  /** Names of folders whose content is not listed. */
  readonly closed?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Shell lines that choose the tools, and define `look`, which reads names and prints an entry for
 * each name. Each entry ends with two slashes, which a name cannot contain.
 */
const tools = `
case $(tar --version 2>/dev/null) in *GNU*) t=gnu ;; *bsdtar*) t=bsd ;; *) t=busybox ;; esac
h=none; for c in sha256sum shasum; do if command -v $c >/dev/null; then h=$c; break; fi; done
case $(stat -c %.Y / 2>/dev/null) in
*[0-9].[0-9]*) look() { xargs -0 stat -c '%f %s %.Y %n//'; } ;;
?*) look() { xargs -0 stat -c '%f %s %Y %n//'; } ;;
*) look() { xargs -0 stat -f '%Xp %z %Fm %N//'; } ;;
esac`;

/**
 * Shell lines that replace `p` by its real path, and print the kind of the item, the tools, the
 * free space, whether the folder has the same name in the other case, and the real path. The free space is in the column before the used percentage; it is
 * unknown if the file system has no size.
 */
const header = `
${realPathScript}
r=$(real_path; echo x)
case $r in =*x) p=\${r#=}; p=\${p%x} ;; *) printf '%s\\n' "$r" >&2; exit 1 ;; esac
k=nothing; if [ -d "$p" ]; then k=folder; elif [ -e "$p" ]; then k=file; fi
d=$p; while [ ! -d "$d" ]; do d=\${d%/*}; [ -n "$d" ] || d=/; done
n=$(df -Pk "$d" 2>/dev/null | awk 'END { for (i = 5; i <= NF; i++) if ($i ~ /^([0-9]+%|-)$/) { print ($(i - 3) > 0 ? $(i - 1) : "unknown"); exit } }')
f=exact; e=$d
while [ "$e" != / ]; do
b=\${e##*/}; e=\${e%/*}; o=$(printf %s "$b" | tr a-zA-Z A-Za-z)
if [ "$o" != "$b" ]; then [ "$e/$b" -ef "$e/$o" ] && f=folded; break; fi
e=\${e:-/}
done
printf '%s %s %s %s %s\\n%s//\\n' "$k" "$t" "$h" "\${n:-unknown}" "$f" "$p"
[ $k = folder ] || exit 0
cd -- "$p" || exit 1`;

function listScript(path: string, { names, closed = [] }: Listing): string {
  const isClosed = closed.map((name) => `-name ${shellQuote(name)}`).join(' -o ');
  const all =
    closed.length > 0 ? `find . \\( ${isClosed} \\) -prune -print0 -o -print0` : 'find . -print0';
  const ours = `find . -maxdepth 1 -name '${ownPrefix}*' -print0`;
  const input = names ? `{ cat; ${ours}; }` : all;
  return `p=${shellQuote(path)}${tools}${header}\n${input} | look 2>/dev/null || :`;
}

/** Performs `Reading.list` with the shell of a machine. */
export async function listTree(place: Place, listing: Listing): Promise<Tree> {
  const { names, signal } = listing;
  const { stdout, stderr, code } = await ask(place.machine, listScript(place.path, listing), {
    ...(names && { stdin: nulls(names) }),
    signal,
  });
  const [head = '', root, tar, sum, freeKb, folding, path] =
    /^(folder|file|nothing) (gnu|bsd|busybox) (\S+) (\S+) (exact|folded)\n(\/[^]*?)\/\/\n/.exec(
      stdout,
    ) ?? [];
  if (code !== 0 || path === undefined) throw failureAt(place, stderr, 'access');
  return {
    path: textOf(path),
    root: root as Tree['root'],
    tools: {
      tar: tar as Tools['tar'],
      sum: sums.get(sum ?? ''),
      system: 'unix',
      foldsNames: folding === 'folded',
    },
    freeBytes: Number(freeKb) * 1024,
    entries: parsed(place, stdout.slice(head.length), names && new Set(names)),
    complaints: stderr.split('\n').filter(Boolean),
  };
}

const sums: ReadonlyMap<string, string> = new Map([
  ['sha256sum', 'sha256sum'],
  ['shasum', 'shasum -a 256'],
]);

/** Parses a listing. Fails at the first entry that an honest machine does not print. */
function parsed(place: Place, text: Bytes, asked: ReadonlySet<Bytes> | undefined): Entries {
  const entries = new Map<Bytes, Entry>();
  const records = text.split('//\n');
  const rest = records.pop();
  for (const record of records) {
    const [, mode = '', size, modified = '', name = record] = entryPattern.exec(record) ?? [];
    const problem =
      size === undefined || !Number.isSafeInteger(Number(size))
        ? 'is not readable'
        : problemOf(name, entries, asked);
    if (problem !== undefined) throw badListing(place, name, problem);
    const bits = parseInt(mode, 16);
    entries.set(name, {
      kind: kindOf(bits),
      sizeBytes: Number(size),
      modified: exactly(modified),
      mode: bits & 0o7777,
    });
  }
  if (rest) throw badListing(place, rest, 'is not complete');
  return entries;
}

const entryPattern = /^([0-9a-fA-F]{1,8}) (\d+) (-?\d{1,11}(?:\.\d+)?) (?:\.\/)?([^]*)$/;

function problemOf(
  name: Bytes,
  entries: Entries,
  asked: ReadonlySet<Bytes> | undefined,
): string | undefined {
  if (entries.has(name)) return 'is listed twice';
  if (asked?.has(name)) return undefined;
  if (!isPlainName(name)) return 'leads out of the folder';
  const parent = parentOf(name);
  if (asked) return parent === '.' && name.startsWith(ownPrefix) ? undefined : 'was not requested';
  return parent === '.' || entries.get(parent)?.kind === 'folder'
    ? undefined
    : 'is not in a listed folder';
}

const badListing = (place: Place, name: Bytes, problem: string): MachineFailure =>
  new MachineFailure(
    'io',
    `The listing of ${placeText(place)} cannot be trusted: ` +
      `${JSON.stringify(textOf(name).slice(0, 200))} ${problem}. ` +
      'Check the programs stat and find on that machine.',
  );

const kinds: ReadonlyMap<number, Entry['kind']> = new Map([
  [0o100000, 'file'],
  [0o040000, 'folder'],
  [0o120000, 'link'],
]);

/** Returns the kind of an item by its mode. */
export const kindOf = (mode: number): Entry['kind'] => kinds.get(mode & 0o170000) ?? 'other';

function exactly(seconds: string): string {
  if (seconds.at(-10) === '.') return seconds;
  const [whole = '', fraction = ''] = seconds.split('.');
  return `${whole}.${fraction.padEnd(9, '0').slice(0, 9)}`;
}

/** Difference of times that some systems and this process cannot store. */
const smallNanos = 2000n;

/** Returns whether two times are equal. Some systems and archives store whole seconds only. */
export function isSameTime(a: string, b: string): boolean {
  if (a === b) return true;
  const nanos = BigInt(a.replace('.', '')) - BigInt(b.replace('.', ''));
  if (-smallNanos < nanos && nanos < smallNanos) return true;
  const isCoarse = a.endsWith('.000000000') || b.endsWith('.000000000');
  return isCoarse && a.split('.')[0] === b.split('.')[0];
}

export const nulls = (names: readonly Bytes[]): Bytes =>
  names.map((name) => `./${name}\0`).join('');
