/** Expands the paths of an ssh configuration, of Windows and of other systems. */
import { posix, win32, type PlatformPath } from 'node:path';
import type { Environment } from '../../base/childEnvironment.ts';

/** Values of tokens such as `%h`, by letter. */
export type Tokens = Readonly<Record<string, string>>;

/** Returns the rules for paths of the system to which an absolute path belongs. */
export const pathsOf = (absolute: string): PlatformPath =>
  /^(?:[A-Za-z]:[\\/]|\\\\)/.test(absolute) ? win32 : posix;

/** Replaces a `~` at the start by the home folder, whose form decides whether `~\` counts, too. */
export function expandHome(path: string, homeFolder: string): string {
  const paths = pathsOf(homeFolder);
  const isBelow = path.startsWith('~/') || (paths === win32 && path.startsWith('~\\'));
  return path === '~' || isBelow ? paths.join(homeFolder, path.slice(2)) : path;
}

/** Replaces `${NAME}` by the value of the variable. One that is not set stays as it is. */
export const expandVariables = (text: string, env: Environment): string =>
  text.replace(/\$\{(\w+)\}/g, (whole, name: string) => env[name] ?? whole);

export const expandTokens = (text: string, tokens: Tokens): string =>
  text.replace(/%(.)/g, (whole, letter: string) =>
    letter === '%' ? '%' : (tokens[letter] ?? whole),
  );
