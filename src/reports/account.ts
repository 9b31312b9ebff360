/**
 * Formats the account that a model wrote for a write-up. Keeps tables, lists, emphasis and links;
 * removes raw HTML, images, and links that lead neither to the web nor to a file of the project.
 */
import { showHidden } from '../base/hiddenCharacters.ts';
import { cleanText } from '../base/text.ts';
import { unmeasuredNumbers, type UnmeasuredNumber } from './claims.ts';
import type { KnownNumbers } from './knownNumbers.ts';

const maxLines = 2_000;
const maxNamed = 40;
/** Marks a number that no run has measured. The explanation is below the account. */
const mark = '†';

/** Returns the account as a Markdown quotation, and below it the numbers that were not measured. */
export function accountText(account: string, known: KnownNumbers): string {
  const text = account.trim().replaceAll(mark, '');
  const unmeasured = unmeasuredNumbers(text, known);
  const marked = unmeasured.reduceRight(
    (so, { end }) => `${so.slice(0, end)}${mark}${so.slice(end)}`,
    text,
  );
  const lines = harmlessLines(marked.split(/\r?\n/));
  const rest = lines.length > maxLines ? [`… and ${lines.length - maxLines} more lines`] : [];
  const quoted = [...lines.slice(0, maxLines), ...rest].map((line) => `> ${line}`.trimEnd());
  const footnotes = [
    ...footnote(
      'Not measured by any run',
      unmeasured.filter(({ isImported }) => !isImported),
    ),
    ...footnote(
      'Imported, not measured by Helios',
      unmeasured.filter(({ isImported }) => isImported),
    ),
  ];
  return [...quoted, ...(footnotes.length > 0 ? ['', footnotes.join('  \n')] : [])].join('\n');
}

function footnote(title: string, numbers: readonly UnmeasuredNumber[]): string[] {
  const names = [...new Set(numbers.map(({ text }) => text))];
  const more = names.length > maxNamed ? ' …' : '';
  return names.length === 0
    ? []
    : [`${mark} ${title}: ${names.slice(0, maxNamed).join(', ')}${more}`];
}

/**
 * Matches the start of a code block. A fence with indentation does not match, because it may belong
 * to a list item, which ends with the next line; code in such fences is escaped as text.
 */
const openingFence = /^(`{3,}(?=[^`]*$)|~{3,})/;

function harmlessLines(lines: readonly string[]): readonly string[] {
  let fence: string | undefined;
  return lines.map((line) => {
    const clean = showHidden(cleanText(line));
    if (fence === undefined) {
      fence = openingFence.exec(clean)?.[1];
      return fence === undefined ? harmless(clean) : clean;
    }
    if (/^(`+|~+)\s*$/.test(clean) && clean.startsWith(fence)) fence = undefined;
    return clean;
  });
}

/**
 * Matches web addresses, anchors and paths. Excludes characters that could hide a scheme such as
 * `javascript:`.
 */
const target = /^(?:https?:\/\/|#|(?![a-z][a-z\d+.-]*:|\/\/))[^\s<>\\&]+$/i;

const harmless = (line: string): string =>
  line
    .replace(/<(?=[a-z/!?])/gi, '&lt;')
    .replaceAll('![', '!\\[')
    .replaceAll(']:', ']\\:')
    .replace(/\]\(\s*([^)\s]*)/g, (whole, to: string) => (target.test(to) ? whole : ']\\('))
    // Lower the headings below those of the report, and prevent a line from making the line above
    // it a heading.
    .replace(/^( {0,3})#{1,4}(?=\s)/, '$1####')
    .replace(/^\s{0,3}(?:=+|-+)\s*$/, '* * *');
