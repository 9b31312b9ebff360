/**
 * Fits sections of a text into a budget of tokens. Each section has a reserved share; unused tokens
 * are redistributed.
 */
import { beginningOf, textTokens } from '../../base/textTokens.ts';

export interface Section {
  /** Share of the budget, from 0 to 1. The shares of all sections add up to at most 1. */
  readonly share: number;
  /**
   * Renders at most `maxTokens`, as `textTokens` counts; with `Infinity`, everything. Returns
   * `undefined` when there is nothing to say.
   */
  render(maxTokens: number): string | undefined;
}

const separator = '\n\n';
const separatorTokens = textTokens(separator);

/**
 * Joins the sections in their order, within the budget. Unused tokens go to sections that need more
 * than their share, in the order of the sections.
 */
export function fitSections(sections: readonly Section[], budgetTokens: number): string {
  const usable = Math.max(0, budgetTokens - sections.length * separatorTokens);
  const neededTokens = sections.map((section) => textTokens(section.render(Infinity) ?? ''));
  const granted = sections.map(({ share }, index) =>
    Math.min(neededTokens[index] ?? 0, Math.floor(share * usable)),
  );
  let remaining = usable - granted.reduce((sum, tokens) => sum + tokens, 0);
  const texts = sections.map((section, index) => {
    const more = Math.min(remaining, (neededTokens[index] ?? 0) - (granted[index] ?? 0));
    remaining -= more;
    return section.render((granted[index] ?? 0) + more);
  });
  return texts.filter((text) => text !== undefined && text !== '').join(separator);
}

/** Section with a heading and a text. A text that does not fit is truncated at its end. */
export const textSection = (share: number, title: string, text: string): Section => ({
  share,
  render: (maxTokens) => (text === '' ? undefined : truncated(`${title}${text}`, maxTokens)),
});

export interface ListedLine {
  readonly text: string;
  /**
   * Position in the output: `listSection` sorts the lines that fit by this number. It chooses them
   * in the order of its list.
   */
  readonly position: number;
}

const newlineTokens = textTokens('\n');
const minLineTokens = 8;

/**
 * Section with lines under a heading. `lines` are in order of importance: shows as many as fit, and
 * at least the beginning of the first line. `title` gets the number of omitted lines.
 */
export function listSection(
  share: number,
  lines: readonly ListedLine[],
  title: (leftOut: number) => string,
): Section {
  return {
    share,
    render(maxTokens) {
      if (lines.length === 0) return undefined;
      const whole = joined(title(0), lines);
      if (textTokens(whole) <= maxTokens) return whole;
      let remaining = maxTokens - Math.max(textTokens(title(0)), textTokens(title(lines.length)));
      const shown: ListedLine[] = [];
      for (const line of lines) {
        const cost = textTokens(line.text) + newlineTokens;
        if (cost > remaining && (shown.length > 0 || remaining < minLineTokens)) break;
        shown.push(
          cost > remaining
            ? { ...line, text: truncated(line.text, remaining - newlineTokens) }
            : line,
        );
        remaining -= cost;
      }
      return truncated(joined(title(lines.length - shown.length), shown), maxTokens);
    },
  };
}

const joined = (title: string, lines: readonly ListedLine[]): string =>
  [
    title,
    ...lines.toSorted((one, other) => one.position - other.position).map(({ text }) => text),
  ].join('\n');

const ellipsisTokens = textTokens('…');

function truncated(text: string, maxTokens: number): string {
  if (textTokens(text) <= maxTokens) return text;
  return maxTokens < ellipsisTokens ? '' : `${beginningOf(text, maxTokens - ellipsisTokens)}…`;
}
