/**
 * Finds web addresses in texts, and converts them to a uniform form, so that they can be compared.
 */

/**
 * Returns a web address in the form of a request: parsed, and without its fragment. Returns
 * `undefined` for any other text.
 */
export function linkForm(text: string): string | undefined {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = '';
  return url.href;
}

const withScheme = /https?:\/\/[^\s<>"`\\^{|}[\]]+/gi;
const withoutScheme =
  /(?<![\w./:@-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:\/[^\s<>"`\\^{|}[\]]*)?/gi;

/** Returns at most `maxLinks` web addresses of a text, each once. */
export const linksIn = (text: string, maxLinks: number): string[] =>
  formsOf(text.replace(/\\([!-/:-@[-`{-~])/g, '$1').matchAll(withScheme), maxLinks);

/**
 * Returns the web addresses that a user wrote. For an address without a scheme, returns two
 * addresses: `https://arxiv.org/abs/1` and `http://arxiv.org/abs/1` for `arxiv.org/abs/1`.
 */
export const linksOfUser = (text: string, maxLinks: number): string[] => [
  ...linksIn(text, maxLinks),
  ...['https://', 'http://'].flatMap((scheme) =>
    formsOf(text.matchAll(withoutScheme), maxLinks, scheme),
  ),
];

function formsOf(found: Iterable<RegExpExecArray>, maxLinks: number, scheme = ''): string[] {
  const forms = new Set<string>();
  for (const [run] of found) {
    if (forms.size >= maxLinks) break;
    for (const reading of readings(run)) {
      const form = linkForm(scheme + reading);
      if (form !== undefined) forms.add(form);
    }
  }
  return [...forms].slice(0, maxLinks);
}

const maxTrimmed = 4;

/**
 * Returns the addresses that a sequence of characters may mean: the sequence itself, and the
 * sequence without the punctuation at its end. A closing bracket does not belong to the address if
 * its opening bracket is in front of the sequence.
 */
function readings(run: string): string[] {
  const all: string[] = [];
  for (let rest = run, trimmed = 0; trimmed <= maxTrimmed; trimmed += 1) {
    if (countOf(rest, '(') >= countOf(rest, ')')) all.push(rest);
    if (!/[).,;:!?'*_~]$/.test(rest)) break;
    rest = rest.slice(0, -1);
  }
  return all;
}

const countOf = (text: string, character: string): number => text.split(character).length - 1;
