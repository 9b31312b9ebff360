/** Compares a worktree with a commit, in one read-only command. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { environmentsIn, foldersOf, isOwnReport } from './leaveOut.ts';
import { heliosFolder, runGit, scriptStart } from './gitScript.ts';
import { unquoteName } from './quotedNames.ts';

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

export const surveyPart = shellText('./survey.sh', import.meta.url);
const surveyScript = `${scriptStart}${surveyPart}exit 0`;

/** Returns the arguments of `surveyPart`; `mark` begins each section of its output. */
export const surveyArguments = (
  { machine, folder, base = '', files = [] }: GitPlace,
  mark: string,
): readonly string[] => [folder, mark, heliosFolder(machine), base, files.join('\n')];

export const newMark = (): string => randomBytes(12).toString('hex');

/** Compares the worktree with the commit. Rejects with `GitFailure`. */
export async function survey(place: GitPlace): Promise<Survey> {
  const mark = newMark();
  const args = surveyArguments(place, mark);
  return parseSurvey(await runGit({ ...place, script: surveyScript, args }), mark);
}

/** Returns the text of a section; joined, if the output has several of this name. */
export const sectionOf = (output: string, mark: string, name: string): string =>
  output
    .split(`${mark}\0`)
    .flatMap((part) => (part.startsWith(`${name}\0`) ? [part.slice(name.length + 1)] : []))
    .join('');

/** Parses the output of `surveyPart`. */
export function parseSurvey(output: string, mark: string): Survey {
  const of = (name: string): readonly string[] =>
    sectionOf(output, mark, name).split('\0').slice(0, -1);
  const [top = '', head = '', emptyTree = ''] = of('place');
  const tags = of('tagged').flatMap((lines) => lines.split('\n').slice(0, -1));
  const tagged = (isOf: (tag: string) => boolean): string[] =>
    tags.flatMap((line) => (isOf(line.charAt(0)) ? [unquoteName(line.slice(2))] : []));
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

export const inspectPart = shellText('./inspect.sh', import.meta.url);

export interface Inspected {
  /** Sizes of existing files and links: name → bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Names of pipes, sockets and devices. */
  readonly special: ReadonlySet<string>;
  readonly unreadable: ReadonlySet<string>;
  /** Names of files that seem to contain a secret. */
  readonly secret: ReadonlySet<string>;
}

/** Returns the input of `inspectPart`. `names` must not contain control characters. */
export const inspectInput = (names: readonly string[]): string =>
  `${names.map((name) => `./${name}\n`).join('')}\n`;

/** Parses the output of `inspectPart` about `names`. */
export function parseInspected(output: string, mark: string, names: readonly string[]): Inspected {
  const found = sectionOf(output, mark, 'found').split('\n');
  // `- ./name` is a file that cannot be read, `./name` one with a secret.
  const namesAfter = (prefix: string): Set<string> =>
    new Set(found.flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : [])));
  return {
    ...kindsOf(sectionOf(output, mark, 'listed'), new Set(names)),
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
