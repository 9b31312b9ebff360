/**
 * Parses a user's ssh configuration without OpenSSH. Supports `Include` and the patterns of `Host`.
 */
import { readdir, readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { matchesGlob } from '../../base/glob.ts';

export interface ConfigPlace {
  /** Absolute path of the ssh configuration. The file may be missing. */
  readonly configFile: string;
  /** Absolute path that `~` stands for. */
  readonly homeFolder: string;
}

interface Setting {
  /**
   * Pattern lists of the enclosing `Host` line and of the `Host` lines around an `Include`. The
   * setting applies to hosts that match all lists.
   */
  readonly conditions: readonly (readonly string[])[];
  readonly keyword: string;
  readonly words: readonly string[];
}

const maxIncludeDepth = 16;
/** A pattern list that matches no host. */
const never: readonly string[] = [];

/**
 * Resolves with the values for `alias` by lower-case keyword, each value split into words. For most
 * keywords, only the first value applies.
 */
export async function settingsOf(
  alias: string,
  place: ConfigPlace,
): Promise<ReadonlyMap<string, string[][]>> {
  const settings = new Map<string, string[][]>();
  for (const { conditions, keyword, words } of await readSettings(place)) {
    if (!conditions.every((patterns) => matchesHost(alias, patterns))) continue;
    settings.set(keyword, [...(settings.get(keyword) ?? []), [...words]]);
  }
  return settings;
}

/** Resolves with the host names of `Host` lines, without patterns, in file order. */
export async function hostAliases(place: ConfigPlace): Promise<string[]> {
  const settings = await readSettings(place);
  const named = settings.filter(({ keyword }) => keyword === 'host').flatMap(({ words }) => words);
  return [...new Set(named.filter((name) => !/[*?!]/.test(name)))];
}

/**
 * Returns whether a host matches OpenSSH's pattern list: at least one pattern must match, and no
 * pattern behind a `!` may match.
 */
export function matchesHost(host: string, patterns: readonly string[]): boolean {
  const matches = (pattern: string): boolean =>
    matchesGlob(host.toLowerCase(), pattern.toLowerCase());
  const isRefused = patterns.some(
    (pattern) => pattern.startsWith('!') && matches(pattern.slice(1)),
  );
  return !isRefused && patterns.some((pattern) => !pattern.startsWith('!') && matches(pattern));
}

export const expandHome = (path: string, homeFolder: string): string =>
  path === '~' || path.startsWith('~/') ? join(homeFolder, path.slice(2)) : path;

const readSettings = (place: ConfigPlace): Promise<Setting[]> =>
  readConfig(place.configFile, [], { place, depth: 0 });

async function readConfig(
  path: string,
  outer: Setting['conditions'],
  { place, depth }: { place: ConfigPlace; depth: number },
): Promise<Setting[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  });
  const settings: Setting[] = [];
  let conditions = outer;
  for (const [keyword = '', ...words] of text.split('\n').map(wordsOf)) {
    if (keyword === 'host') {
      conditions = [...outer, words];
      settings.push({ conditions, keyword, words });
    } else if (keyword === 'match') {
      // Consider conditions other than `all` false, because only OpenSSH can evaluate them.
      conditions = words.join(' ').toLowerCase() === 'all' ? outer : [...outer, never];
    } else if (keyword === 'include' && depth < maxIncludeDepth) {
      for (const file of await includedFiles(words, place))
        settings.push(...(await readConfig(file, conditions, { place, depth: depth + 1 })));
    } else if (keyword !== '') settings.push({ conditions, keyword, words });
  }
  return settings;
}

/** Returns the lower-case keyword and its words without quotes and comments. */
function wordsOf(line: string): string[] {
  const match = /^\s*([A-Za-z]\w*)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line);
  if (!match) return [];
  // Keep the quotes of a ProxyCommand, because its value is a shell command line.
  if (/^proxycommand$/i.test(match[1] ?? '')) return ['proxycommand', match[2] ?? ''];
  const words = [...(match[2] ?? '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  const comment = words.findIndex((word) => word.startsWith('#'));
  return [(match[1] ?? '').toLowerCase(), ...(comment < 0 ? words : words.slice(0, comment))];
}

async function includedFiles(
  patterns: readonly string[],
  { homeFolder }: ConfigPlace,
): Promise<string[]> {
  const absolute = patterns
    .map((pattern) => expandHome(pattern, homeFolder))
    .map((pattern) => (isAbsolute(pattern) ? pattern : join(homeFolder, '.ssh', pattern)));
  return (await Promise.all(absolute.map(matchingPaths))).flat();
}

async function matchingPaths(pattern: string): Promise<string[]> {
  let found = ['/'];
  for (const part of pattern.split('/').filter(Boolean)) {
    const names = (folder: string): Promise<string[]> =>
      /[*?]/.test(part) ? entries(folder, part) : Promise.resolve([part]);
    const next = await Promise.all(
      found.map(async (folder) => (await names(folder)).map((name) => join(folder, name))),
    );
    found = next.flat();
  }
  return found;
}

async function entries(folder: string, pattern: string): Promise<string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names
    .filter(
      (name) =>
        matchesGlob(name.toLowerCase(), pattern.toLowerCase()) &&
        (pattern.startsWith('.') || !name.startsWith('.')),
    )
    .sort();
}
