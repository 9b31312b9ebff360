/**
 * Reads lines that contain only one metric of the goal's target, such as `parameters 49` or `49
 * parameters`.
 */
import type { LineParser } from './lineParser.ts';
import { spellingsOf } from '../metricName.ts';
import { numberSource, valueOf } from './numberText.ts';

const maxLineChars = 300;

/**
 * Returns a parser that reads what `parser` reads. From a line without such metrics, the parser
 * reads a name in `also` if the line contains only this name and a number.
 */
export function withBareLines(
  parser: LineParser | undefined,
  also: readonly string[],
): LineParser | undefined {
  if (also.length === 0) return parser;
  const readers = also.map((name) => ({ name, expression: bareLine(name) }));
  return {
    parse(line, emit) {
      let isRead = false;
      parser?.parse(line, (metric, step, value) => {
        isRead = true;
        emit(metric, step, value);
      });
      if (isRead || line.length > maxLineChars) return;
      for (const { name, expression } of readers) {
        const { after, before } = expression.exec(line)?.groups ?? {};
        const digits = after ?? before;
        if (digits !== undefined) emit(name, Number.NaN, valueOf(digits));
      }
    },
    shapes: parser?.shapes,
    resume: (header) => parser?.resume(header),
  };
}

const bareLine = (name: string): RegExp => {
  const words = name
    .trim()
    .split(/[\s_./-]+/)
    .map(spellingsOf);
  const source = words.map((all) => `(?:${all.map(escaped).join('|')})`).join('[\\s_./-]');
  const amount = words.at(-1)?.includes('parameters') === true ? amountSource : '';
  const whole = `${amount}${source}`;
  return new RegExp(
    `^\\s*(?:${whole}(?:\\s*[:=]\\s*|\\s+)(?<after>${numberSource})|(?<before>${numberSource})\\s+${whole})\\s*$`,
    'i',
  );
};

/** Matches words such as `number of` before `parameters`, which do not change the meaning. */
const amountSource = '(?:(?:number of|total|trainable|model|num|n)[\\s_]+){0,3}';

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
