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
 * Joins the sections in their order, within the budget. Unused tokens go to sections that need
 * more, the first ones first.
 */
export function fitSections(sections: readonly Section[], budgetTokens: number): string {
  const usable = Math.max(0, budgetTokens - sections.length * separatorTokens);
  const wanted = sections.map((section) => textTokens(section.render(Infinity) ?? ''));
  const granted = sections.map(({ share }, index) =>
    Math.min(wanted[index] ?? 0, Math.floor(share * usable)),
  );
  let left = usable - granted.reduce((sum, tokens) => sum + tokens, 0);
  const texts = sections.map((section, index) => {
    const more = Math.min(left, (wanted[index] ?? 0) - (granted[index] ?? 0));
    left -= more;
    return section.render((granted[index] ?? 0) + more);
  });
  return texts.filter((text) => text !== undefined && text !== '').join(separator);
}

/** A heading with a text. A text that does not fit is truncated at its end. */
export const textSection = (share: number, title: string, text: string): Section => ({
  share,
  render: (maxTokens) => (text === '' ? undefined : cut(`${title}${text}`, maxTokens)),
});

export interface ListedLine {
  readonly text: string;
  /**
   * Place in the output: lines are chosen in the order of the list, and sorted by `position` for
   * the output.
   */
  readonly position: number;
}

const newlineTokens = textTokens('\n');
const minLineTokens = 8;

/**
 * Lines under a heading, given in order of importance: as many as fit, and at least the beginning
 * of the first. `title` gets the number of omitted lines.
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
      let left = maxTokens - Math.max(textTokens(title(0)), textTokens(title(lines.length)));
      const shown: ListedLine[] = [];
      for (const line of lines) {
        const cost = textTokens(line.text) + newlineTokens;
        if (cost > left && (shown.length > 0 || left < minLineTokens)) break;
        shown.push(cost > left ? { ...line, text: cut(line.text, left - newlineTokens) } : line);
        left -= cost;
      }
      return cut(joined(title(lines.length - shown.length), shown), maxTokens);
    },
  };
}

const joined = (title: string, lines: readonly ListedLine[]): string =>
  [
    title,
    ...lines.toSorted((one, other) => one.position - other.position).map(({ text }) => text),
  ].join('\n');

const ellipsisTokens = textTokens('…');

function cut(text: string, maxTokens: number): string {
  if (textTokens(text) <= maxTokens) return text;
  return maxTokens < ellipsisTokens ? '' : `${beginningOf(text, maxTokens - ellipsisTokens)}…`;
}
