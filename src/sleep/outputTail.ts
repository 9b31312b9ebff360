import { cleanText } from '../base/text.ts';

const usualLines = 15;
/**
 * Number of characters at the end of the output that are searched; longer than any useful
 * traceback.
 */
const maxOutputChars = 64 * 1024;

/**
 * Returns the last traceback in a process's output or, without one, the last lines: at most
 * `maxChars`, and whole lines where possible.
 */
export function lastLines(output: string, maxChars: number): string {
  const lines = cleanText(output.slice(-maxOutputChars))
    .split('\n')
    .map((line) => line.trimEnd().split('\r').at(-1) ?? '')
    .filter((line) => line.trim() !== '');
  const traceback = lines.findLastIndex((line) =>
    line.startsWith('Traceback (most recent call last)'),
  );
  const candidates = lines.slice(traceback >= 0 ? traceback : -usualLines);
  const shown: string[] = [];
  let leftChars = maxChars - 2;
  for (const line of candidates.reverse()) {
    leftChars -= line.length + 1;
    if (leftChars < 0) break;
    shown.unshift(line);
  }
  if (shown.length > 0) return (shown.length < candidates.length ? '…\n' : '') + shown.join('\n');
  return (lines.at(-1) ?? '').slice(-Math.max(0, maxChars));
}
