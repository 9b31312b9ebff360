/**
 * What stands in a worktree beside the commit that is checked out: one look, which changes nothing.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { shellText } from '../../base/shellText.ts';
import type { Machine } from '../../machines/machine.ts';
import { isOwnReport, secretPatterns } from './leaveOut.ts';
import { heliosFolder, runGit, scriptStart } from './gitScript.ts';

/** All names are bytes, one character each (latin1), relative to the top of the worktree. */
export interface Survey {
  /** The top folder of the worktree, absolute. */
  readonly top: string;
  /** The commit that is checked out; absent: there is none yet. */
  readonly head?: string;
  readonly emptyTree: string;
  /** New files that are not ignored. */
  readonly fresh: readonly string[];
  /** Folders with a repository of their own. */
  readonly nested: readonly string[];
  /** Tracked files that are not as the index has them, or that the index is told not to look at. */
  readonly changed: readonly string[];
  readonly unwatched: readonly string[];
  /**
   * What the index has otherwise than `head`: name → how `head` has it; absent there: undefined.
   */
  readonly staged: ReadonlyMap<string, HeadEntry | undefined>;
  /** Of the files that were asked for, those that are ignored: name → hash of what is in it. */
  readonly ignored: ReadonlyMap<string, string>;
}

export interface HeadEntry {
  readonly mode: string;
  readonly hash: string;
}

export interface GitPlace {
  readonly machine: Machine;
  /** In the worktree, absolute. */
  readonly folder: string;
  /** The commit that is meant in place of the one that is checked out. */
  readonly base?: string;
  /** Files, relative to `folder`, that are looked for among those that are ignored. */
  readonly files?: readonly string[];
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

const surveyScript = `${scriptStart}${shellText('./survey.sh', import.meta.url)}`;

/** Rejects with `GitFailure`. */
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
  const others = of('fresh');
  const unwatched = of('unwatched').map((line) => line.slice(2));
  return {
    top: Buffer.from(top, 'latin1').toString('utf8'),
    ...(head !== '' && { head }),
    emptyTree,
    fresh: others.filter((name) => !name.endsWith('/') && !isOwnReport(name)),
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

interface RawEntry {
  readonly path: string;
  /** Absent: it is new. */
  readonly before: HeadEntry | undefined;
}

/** `:100644 100644 <hash> <hash> M`, path, and so on. */
function rawEntries(fields: readonly string[]): RawEntry[] {
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
  /** Name → bytes; only what is there, and is a file or a link. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Pipes, sockets, devices. */
  readonly special: ReadonlySet<string>;
  readonly unreadable: ReadonlySet<string>;
  /** Files in which something looks like a secret. */
  readonly secret: ReadonlySet<string>;
}

/**
 * Sizes and contents of files below `top`. Names with control characters are not asked for. Rejects
 * with `GitFailure`.
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
  const [listed = '', unreadable = '', secret = ''] = text.split(`${mark}\n`);
  const namesOf = (lines: string): Set<string> =>
    new Set(lines.split('\n').map((line) => line.slice(2)));
  return {
    ...kindsOf(listed, new Set(names)),
    unreadable: namesOf(unreadable),
    secret: namesOf(secret),
  };
}

/** Lines of `ls -ldn`: kind and mode, links, owner, group, bytes, …, `./name`. */
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

/** `name -> target` of a link: either may hold an arrow. */
function linkName(text: string, names: ReadonlySet<string>): string | undefined {
  if (names.has(text)) return text;
  for (let at = text.indexOf(' -> '); at >= 0; at = text.indexOf(' -> ', at + 1))
    if (names.has(text.slice(0, at))) return text.slice(0, at);
  return undefined;
}
