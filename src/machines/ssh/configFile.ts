/**
 * Parses a user's ssh configuration without OpenSSH. Supports `Include` and the patterns of `Host`.
 */
import { readdir, readFile } from 'node:fs/promises';
import type { Environment } from '../../base/childEnvironment.ts';
import { codeOf } from '../../base/errors.ts';
import { matchesGlob } from '../../base/glob.ts';
import { expandHome, expandTokens, expandVariables, pathsOf } from './configPaths.ts';

export interface ConfigPlace {
  /** Absolute path of the ssh configuration. The file may be missing. */
  readonly configFile: string;
  /** Absolute path that `~` stands for. Its form decides how paths are read. */
  readonly homeFolder: string;
  /** The user on this computer, for `%u`. Omitted: `%u` in an `Include` stays as it is. */
  readonly localUser?: string;
  /** Default: the environment of this process. */
  readonly env?: Environment;
  readonly files?: ConfigFiles;
}

/** Reads files and folders as `node:fs/promises` does. */
export interface ConfigFiles {
  readText(path: string): Promise<string>;
  names(folder: string): Promise<readonly string[]>;
}

const realFiles: ConfigFiles = {
  readText: (path) => readFile(path, 'utf8'),
  names: (folder) => readdir(folder),
};

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

const readSettings = (place: ConfigPlace): Promise<Setting[]> =>
  readConfig(place.configFile, [], { place, depth: 0 });

async function readConfig(
  path: string,
  outer: Setting['conditions'],
  { place, depth }: { place: ConfigPlace; depth: number },
): Promise<Setting[]> {
  const { readText } = place.files ?? realFiles;
  const text = await readText(path).catch((error: unknown) => {
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

async function includedFiles(patterns: readonly string[], place: ConfigPlace): Promise<string[]> {
  const { homeFolder } = place;
  const paths = pathsOf(homeFolder);
  const absolute = patterns
    .map((pattern) => expandHome(expandedInclude(pattern, place), homeFolder))
    .map((pattern) => paths.resolve(homeFolder, '.ssh', pattern));
  return (await Promise.all(absolute.map((path) => matchingPaths(path, place)))).flat();
}

/** Expands the variables and those tokens that do not depend on the host. */
function expandedInclude(pattern: string, { homeFolder, localUser, env }: ConfigPlace): string {
  const user = localUser === undefined ? {} : { u: localUser };
  return expandVariables(expandTokens(pattern, { d: homeFolder, ...user }), env ?? process.env);
}

async function matchingPaths(pattern: string, place: ConfigPlace): Promise<string[]> {
  const paths = pathsOf(place.homeFolder);
  const { root } = paths.parse(pattern);
  let found = [root];
  for (const part of pattern.slice(root.length).split(paths.sep).filter(Boolean)) {
    const names = (folder: string): Promise<string[]> =>
      /[*?]/.test(part) ? entries(folder, part, place) : Promise.resolve([part]);
    const next = await Promise.all(
      found.map(async (folder) => (await names(folder)).map((name) => paths.join(folder, name))),
    );
    found = next.flat();
  }
  return found;
}

async function entries(
  folder: string,
  pattern: string,
  { files = realFiles }: ConfigPlace,
): Promise<string[]> {
  const names = await files.names(folder).catch(() => []);
  return names
    .filter(
      (name) =>
        matchesGlob(name.toLowerCase(), pattern.toLowerCase()) &&
        (pattern.startsWith('.') || !name.startsWith('.')),
    )
    .sort();
}
