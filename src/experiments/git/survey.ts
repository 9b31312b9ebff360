/** Compares a worktree with a commit, in one read-only command. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { environmentsIn, foldersOf, isOwnReport, secretPatterns } from './leaveOut.ts';
import { heliosFolder, runGit, scriptStart } from './gitScript.ts';

/**
 * The differences between a worktree and a commit. All names are relative to the root of the
 * worktree, with one character per byte (latin1).
 */
export interface Survey {
  /** Absolute path of the root of the worktree. */
  readonly top: string;
  /** The commit that the worktree was compared with; omitted if the repository has no commit. */
  readonly head?: string;
  /** Hash of the empty tree in the repository's hash format. */
  readonly emptyTree: string;
  /** New files that git does not ignore. */
  readonly fresh: readonly string[];
  /** Folders that contain another repository. */
  readonly nested: readonly string[];
  /** Folders of installed packages. Their new files are not in `fresh`. */
  readonly environments: readonly string[];
  /** Tracked files that differ from the index. */
  readonly changed: readonly string[];
  /**
   * Tracked files that git does not check for changes, because the user marked them in the index as
   * `assume-unchanged` or `skip-worktree`.
   */
  readonly unwatched: readonly string[];
  /**
   * Entries of the index that differ from `head`: name → the entry of `head`, or undefined if
   * `head` has no entry of this name.
   */
  readonly staged: ReadonlyMap<string, HeadEntry | undefined>;
  /** Hashes of the requested files that git ignores: name → hash of the content. */
  readonly ignored: ReadonlyMap<string, string>;
}

export interface HeadEntry {
  readonly mode: string;
  readonly hash: string;
}

export interface GitPlace {
  readonly machine: Machine;
  /** Absolute path of a folder in the worktree. */
  readonly folder: string;
  /** The commit to compare with. Default: the checked-out commit. */
  readonly base?: string;
  /** Files, relative to `folder`, to hash if git ignores them. */
  readonly files?: readonly string[];
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const surveyScript = `${scriptStart}${shellText('./survey.sh', import.meta.url)}`;

/** Compares the worktree with the commit. Rejects with `GitFailure`. */
export async function survey({
  folder,
  base = '',
  files = [],
  ...place
}: GitPlace): Promise<Survey> {
  const mark = randomBytes(12).toString('hex');
  const text = await runGit({
    ...place,
    script: surveyScript,
    args: [folder, mark, heliosFolder(place.machine), base, files.join('\n')],
  });
  const sections = new Map(
    text.split(`${mark}\0`).map((part) => {
      const [name = '', ...fields] = part.split('\0');
      return [name, fields.slice(0, -1)] as const;
    }),
  );
  const of = (name: string): readonly string[] => sections.get(name) ?? [];
  const [top = '', head = '', emptyTree = ''] = of('place');
  const tagged = (isOf: (tag: string) => boolean): string[] =>
    of('tagged').flatMap((line) => (isOf(line.charAt(0)) ? [line.slice(2)] : []));
  const listed = tagged((tag) => tag === '?');
  const environments = environmentsIn(listed);
  const others = listed.filter((name) => !foldersOf(name).some((each) => environments.has(each)));
  const unwatched = tagged((tag) => tag !== '?');
  return {
    top: Buffer.from(top, 'latin1').toString('utf8'),
    ...(head !== '' && { head }),
    emptyTree,
    fresh: others.filter((name) => !name.endsWith('/') && !isOwnReport(name)),
    environments: [...environments],
    nested: others.filter((name) => name.endsWith('/')).map((name) => name.slice(0, -1)),
    changed: rawEntries(of('changed')).map(({ path }) => path),
    unwatched,
    staged: new Map(rawEntries(of('staged')).map(({ path, before }) => [path, before])),
    ignored: new Map(pairsOf(of('ignored'))),
  };
}

const pairsOf = (fields: readonly string[]): [string, string][] =>
  fields.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, fields[at + 1] ?? '']] : [],
  );

export interface RawEntry {
  readonly path: string;
  /** The entry in the commit; `undefined` for a new file. */
  readonly before: HeadEntry | undefined;
}

/**
 * Parses the output of `git diff --raw`, in which fields such as `:100644 100644 <hash> <hash> M`
 * alternate with paths.
 */
export function rawEntries(fields: readonly string[]): RawEntry[] {
  const entries: RawEntry[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [mode = '', , hash = ''] = (fields[at] ?? '').slice(1).split(' ');
    entries.push({
      path: fields[at + 1] ?? '',
      before: /^0*$/.test(mode) ? undefined : { mode, hash },
    });
  }
  return entries;
}

const inspectScript = `${scriptStart}${shellText('./inspect.sh', import.meta.url)}`;

export interface Inspected {
  /** Sizes of existing files and links: name → bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Names of pipes, sockets and devices. */
  readonly special: ReadonlySet<string>;
  readonly unreadable: ReadonlySet<string>;
  /** Names of files that seem to contain a secret. */
  readonly secret: ReadonlySet<string>;
}

/**
 * Inspects files of a worktree: kind, size, readability, and whether a file seems to contain a
 * secret. `names` are relative to `folder` and must not contain control characters. Rejects with
 * `GitFailure`.
 */
export async function inspect(
  { folder, ...place }: GitPlace,
  names: readonly string[],
  maxFileBytes: number,
): Promise<Inspected> {
  if (names.length === 0)
    return { sizes: new Map(), special: new Set(), unreadable: new Set(), secret: new Set() };
  const mark = randomBytes(12).toString('hex');
  const stdin = Buffer.from(names.map((name) => `./${name}\0`).join(''), 'latin1');
  const blocks = String(Math.ceil(maxFileBytes / 512) + 1);
  const text = await runGit({
    ...place,
    script: inspectScript,
    args: [folder, mark, heliosFolder(place.machine), blocks, secretPatterns.join('\n')],
    stdin,
  });
  const [listed = '', found = ''] = text.split(`${mark}\n`);
  // `- ./name` is a file that cannot be read, `./name` one with a secret.
  const namesAfter = (prefix: string): Set<string> =>
    new Set(
      found
        .split('\n')
        .flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : [])),
    );
  return {
    ...kindsOf(listed, new Set(names)),
    unreadable: namesAfter('- ./'),
    secret: namesAfter('./'),
  };
}

/**
 * Parses lines of `ls -ldn`, whose fields are: kind and mode, links, owner, group, bytes, …,
 * `./name`.
 */
function kindsOf(listed: string, names: ReadonlySet<string>): Pick<Inspected, 'sizes' | 'special'> {
  const sizes = new Map<string, number>();
  const special = new Set<string>();
  for (const line of listed.split('\n')) {
    const at = line.indexOf(' ./');
    const name = at < 0 ? undefined : linkName(line.slice(at + 3), names);
    if (name === undefined || line.startsWith('d')) continue;
    if (/^[-l]/.test(line)) sizes.set(name, Number(line.trim().split(/\s+/)[4]));
    else special.add(name);
  }
  return { sizes, special };
}

/**
 * Returns the name in `name -> target`. Both parts may contain ` -> `, so the text before one of
 * the arrows must be in `names`.
 */
function linkName(text: string, names: ReadonlySet<string>): string | undefined {
  if (names.has(text)) return text;
  for (let at = text.indexOf(' -> '); at >= 0; at = text.indexOf(' -> ', at + 1))
    if (names.has(text.slice(0, at))) return text.slice(0, at);
  return undefined;
}
