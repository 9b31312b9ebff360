import { cutToRows, rowsOf, type TerminalSize } from './textWidth.ts';

/**
 * Splits the text into pages that a terminal of this size shows without scrolling. Only a line that
 * is longer than a page is split.
 */
export function pagesOf(text: string, size: TerminalSize): readonly string[] {
  const pages: string[] = [];
  let page: string[] = [];
  let used = 0;
  for (const line of text.split('\n').flatMap((each) => pieces(each, size))) {
    const rows = rowsOf(line, size.columns);
    if (used + rows > size.rows && page.length > 0) {
      pages.push(page.join('\n'));
      [page, used] = [[], 0];
    }
    page.push(line);
    used += rows;
  }
  return [...pages, page.join('\n')];
}

/** Splits a line that is longer than a page. */
function pieces(line: string, size: TerminalSize): string[] {
  const parts: string[] = [];
  let rest = line;
  for (;;) {
    const part = cutToRows(rest, size) || rest.slice(0, 1);
    parts.push(part);
    if (part.length === rest.length) return parts;
    rest = rest.slice(part.length);
  }
}
