/**
 * Finds faults of documents: links and paths without a target, unknown names, wide tables, words to
 * avoid.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../setup/paths.ts';

const maxTableColumns = 120;

/** Words to avoid, each with the usual one. */
const otherWords: readonly (readonly [RegExp, string])[] = [
  [/\bpersons?\b/i, 'user'],
  [/\bwork trees?\b/i, 'worktree'],
  [/\bkeepers?\b/i, 'background process'],
  [/\banew\b/i, 'again'],
];

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly category: string; readonly title: string }[];
    readonly configuration: Sections | readonly Sections[];
  };
}
interface Sections {
  readonly properties: Readonly<Record<string, unknown>>;
}

/** README, CONTRIBUTING and everything in `docs/`, relative to the repository. */
export const documents = (): readonly string[] => [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', inRoot),
];

export const readDocument = (path: string): string =>
  readFileSync(join(repositoryRoot, path), 'utf8');

const inRoot = { cwd: repositoryRoot };

/** One line per problem of the document at `path`, relative to the repository. */
export function problemsOf(path: string, text: string): string[] {
  const prose = withoutBlocks(text);
  return [
    ...brokenLinks(path, prose),
    ...missingPaths(prose),
    ...unknownNames(prose),
    ...wideTables(prose),
    ...unusualWords(prose),
  ];
}

/** The text without code blocks, in which anything may stand. */
const withoutBlocks = (text: string): string =>
  text.replaceAll(/^( *)```.*?^\1```$/gms, '').replaceAll(/(?<=\n\n)(?: {4,}.*\n)+/g, '');

function brokenLinks(path: string, prose: string): string[] {
  const links = [...prose.matchAll(/\]\((?!\w+:)([^)\s]*)\)/g)].map(([, link = '']) => link);
  return links
    .filter((link) => !leadsSomewhere(path, link))
    .map((link) => `the link ${link} leads nowhere`);
}

function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', heading] = link.split('#');
  const target = file === '' ? path : join(dirname(path), file);
  if (!exists(target)) return false;
  return heading === undefined || headingsOf(readDocument(target)).includes(heading);
}

const headingsOf = (text: string): string[] =>
  [...withoutBlocks(text).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const exists = (path: string): boolean => globSync(path.replace(/\/$/, ''), inRoot).length > 0;

function missingPaths(prose: string): string[] {
  const paths = [...prose.matchAll(/`((?:src|webview|test|media|docs)\/[^`\s]*)`/g)].map(
    ([, path = '']) => path,
  );
  return paths.filter((path) => !exists(path)).map((path) => `there is no ${path}`);
}

/** Settings, and commands as they stand in the palette. */
function unknownNames(prose: string): string[] {
  const { contributes } = JSON.parse(readDocument('package.json')) as Manifest;
  const settings = [contributes.configuration]
    .flat()
    .flatMap(({ properties }) => Object.keys(properties));
  const isKnown = (name: string): boolean =>
    settings.some((setting) => setting === name || inGroup(setting, name));
  const named = [...prose.matchAll(/`(helios\.(?!json|db)[\w.]+(?:\.\*)?)`/g)].map(
    ([, name = '']) => name,
  );
  const titles = contributes.commands.map(({ category, title }) => `${category}: ${title}`);
  const commands = [...prose.matchAll(/\*\*(Helios: [^*]+)\*\*/g)].map(([, name = '']) =>
    name.replaceAll('\n', ' '),
  );
  return [
    ...named.filter((name) => !isKnown(name)).map((name) => `there is no setting ${name}`),
    ...commands
      .filter((name) => !titles.includes(name))
      .map((name) => `there is no command ${name}`),
  ];
}

/** `helios.budget.*` names all settings that begin so. */
const inGroup = (setting: string, name: string): boolean =>
  name.endsWith('.*') && setting.startsWith(name.slice(0, -1));

const wideTables = (prose: string): string[] =>
  prose
    .split('\n')
    .filter((line) => line.startsWith('|') && line.length > maxTableColumns)
    .map((line) => `a line of a table has ${line.length} columns: ${line.slice(0, 40)}…`);

/** Code and links aside: paths have names of their own. */
function unusualWords(prose: string): string[] {
  const words = prose.replaceAll(/`[^`]*`|\]\([^)]*\)/g, '');
  return otherWords.flatMap(([word, usual]) => {
    const [found] = word.exec(words) ?? [];
    return found === undefined ? [] : [`write ${usual}, not ${found}`];
  });
}
