/** Finds paths within the words of a command line, such as in the code of a script. */
import { parseShell } from '../../../shell/parseShell.ts';
import type { ShellCommand } from '../../../shell/shellCommand.ts';

const maxPathChars = 1_024;
/** Maximum number of paths that are returned. Paths that begin with a slash come first. */
const maxPaths = 256;

/**
 * Returns the parts of assignments, sources and inputs that may be paths, such as the arguments of
 * `open` in a Python script, and those of a line that cannot be parsed. `$HOME` is replaced by `~`.
 * Words that are paths as a whole are left to the classifier.
 */
export function codePaths(line: string): readonly string[] {
  const commands = parseShell(line)?.commands;
  const found = commands?.flatMap(pathsOf) ?? parts(line);
  return [...new Set(found)].toSorted((a, b) => rank(a) - rank(b)).slice(0, maxPaths);
}

const rank = (path: string): number => (path.includes('/') ? 0 : 1);

function pathsOf({ assignments, words, input }: ShellCommand): string[] {
  const code = words.slice(1).flatMap(({ text, spelled }) => [text, spelled]);
  return [
    ...assignments.flatMap(({ spelled }) => parts(spelled)),
    ...code.filter((text) => /[\s"'`()]/.test(text)).flatMap(parts),
    ...parts(input),
  ];
}

const parts = (text: string): string[] =>
  text
    .replace(/\$\{?HOME\}?|"\$HOME"/g, '~')
    .split(/[\s"'`()<>|;&,=:@{}\\]+/)
    .filter(
      (part) => /[./~]/.test(part) && part.length <= maxPathChars && !/^-|^[\d.]*$/.test(part),
    );
