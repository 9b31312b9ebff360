/** Reads `.dockerignore`. */

/**
 * A part of a pattern: a test for one character, or a repetition.
 * - `star`: any characters except slashes
 * - `deep`: any characters
 * - `folders`: any number of whole folder names with their slashes, or none; only at the start of a
 *   name
 */
type Part = 'star' | 'deep' | 'folders' | ((char: string) => boolean);

/**
 * Parses `.dockerignore`, and returns a function that tells whether a path is excluded. The last
 * rule that matches the path, or a folder above it, applies; a rule with `!` includes the path
 * again. An unpaired bracket matches itself.
 */
export function ignoring(text: string): (path: string) => boolean {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      isIgnored: !line.startsWith('!'),
      parts: partsOf(withoutSlashes(line.replace(/^!/, '').trim())),
    }));
  return (path) => rules.findLast(({ parts }) => matches(path, parts))?.isIgnored ?? false;
}

function withoutSlashes(glob: string): string {
  const start = /^\.?\//.exec(glob)?.[0].length ?? 0;
  let end = glob.length;
  while (end > start && glob[end - 1] === '/') end -= 1;
  return glob.slice(start, end);
}

/** The content of a bracket is limited to 100 characters, so that it is found in linear time. */
const signs = /(?<![^/])\*\*\/|\*\*|\*|\?|\[((?:\\.|[^\]\\]){1,100})\]|\\(.)|./gs;

const partsOf = (glob: string): readonly Part[] =>
  [...glob.matchAll(signs)].map(([sign, range, escaped]) => {
    if (sign === '**/') return 'folders';
    if (sign === '**') return 'deep';
    if (sign === '*') return 'star';
    if (sign === '?') return (char) => char !== '/';
    return range === undefined ? (char) => char === (escaped ?? sign) : oneOf(range);
  });

/** Matches one character of a bracket such as `[a-z_]` or `[^0-9]`. */
function oneOf(range: string): Part {
  const isNegated = range.startsWith('^');
  const ranges = [...range.slice(isNegated ? 1 : 0).matchAll(/\\?(.)(?:-\\?(.))?/gs)];
  return (char) =>
    char !== '/' &&
    ranges.some(([, from = '', to = from]) => from <= char && char <= to) !== isNegated;
}

/**
 * A repetition in the pattern (`partAt`), and the position in the path (`pathAt`) up to which it
 * has matched. Matching continues from here after a mismatch.
 */
interface Retry {
  pathAt: number;
  readonly partAt: number;
}

/**
 * Returns whether the pattern matches the path or a folder above it. Does not try all combinations:
 * after a mismatch, only the last `star` is extended by a character; if that `star` has reached a
 * slash, the last `deep` or `folders` is extended. Earlier repetitions need not be extended,
 * because the last one can match the same characters.
 */
function matches(path: string, parts: readonly Part[]): boolean {
  let [pathAt, partAt] = [0, 0];
  let star: Retry | undefined;
  let deep: Retry | undefined;
  while (pathAt < path.length) {
    const part = parts[partAt];
    const char = path.charAt(pathAt);
    if (part === undefined && char === '/') return true;
    if (typeof part === 'function' && part(char)) {
      pathAt += 1;
      partAt += 1;
    } else if (part === 'star') {
      star = { pathAt, partAt: (partAt += 1) };
    } else if (part === 'deep' || part === 'folders') {
      deep = { pathAt, partAt: (partAt += 1) };
      star = undefined;
    } else if (star !== undefined && path[star.pathAt] !== '/') {
      pathAt = star.pathAt += 1;
      partAt = star.partAt;
    } else if (deep !== undefined && (deep.pathAt = nextTry(path, parts, deep)) > 0) {
      star = undefined;
      ({ pathAt, partAt } = deep);
    } else return false;
  }
  return parts.slice(partAt).every((part) => typeof part !== 'function');
}

/**
 * Returns the position in the path to which the repetition is extended next; 0 if it cannot be
 * extended.
 */
const nextTry = (path: string, parts: readonly Part[], { pathAt, partAt }: Retry): number =>
  parts[partAt - 1] === 'folders' ? path.indexOf('/', pathAt) + 1 : pathAt + 1;
