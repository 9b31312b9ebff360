/** Tells which scripts of sed, awk and jq only filter text. */
import { awkWrites } from './awkScripts.ts';
import type { Arguments } from './options.ts';

const scriptsOf = (
  { operands, values }: Arguments,
  names: readonly string[],
): readonly string[] => {
  const given = names.flatMap((name) => values.get(name) ?? []);
  return given.length > 0 ? given : operands.slice(0, 1).map(({ text }) => text);
};

/** Text up to the next `end`, which may not be in brackets: there, it ends nothing. */
const upTo = (end: string): string =>
  String.raw`(?:[^\\[\n${end}]|\\[^\n]|\[\^?\]?[^\]\n${end}]*\])*`;
const toEnd = (end: string): string => String.raw`(?:[^\\\n${end}]|\\[^\n])*`;
/** Characters that may stand around the parts of `s`, each without a meaning in a regular expression. */
const delimiters = [...'/|#,:@%!_;~='];
const between = (end: string): string => String.raw`${upTo(end)}[${end}]`;
const sedAddress = String.raw`(?:\d+|\$|\d+~\d+|\/${between('/')}I?|\\#${between('#')}I?)`;
const sedChanges = delimiters
  .flatMap((end) => [
    String.raw`s[${end}]${between(end)}${toEnd(end)}[${end}][gpiImM\d]*`,
    String.raw`y[${end}]${toEnd(end)}[${end}]${toEnd(end)}[${end}]`,
  ])
  .join('|');
const sedCommand = String.raw`(?:[pdq=nNPhHgGx]|${sedChanges})`;
// An address may be missing, as where a number in it is not known: sed then refuses the script.
const sedLast = String.raw`,\s*(?:(?:${sedAddress}|\+\d*)\s*)?`;
const sedLine = String.raw`\s*(?:${sedAddress}\s*)?(?:${sedLast})?(?:!\s*)?${sedCommand}\s*`;
const sedList = String.raw`${sedLine}(?:[;\n]${sedLine})*[;\n]?\s*`;
const sedBlock = String.raw`\s*${sedAddress}\s*(?:${sedLast})?(?:!\s*)?\{${sedList}\}\s*`;
const sedItem = `(?:${sedLine}|${sedBlock})`;
const sedLines = new RegExp(String.raw`^${sedItem}(?:[;\n]${sedItem})*;?\s*$`);

/**
 * Returns why a script of sed may do more than filter; `undefined` if it only prints, deletes and
 * substitutes.
 */
export const sedProblem = (call: Arguments): string | undefined =>
  scriptsOf(call, ['-e', '--expression']).every((script) => sedLines.test(script))
    ? undefined
    : 'its script may write files or run commands';

/**
 * Matches everything in a script of awk that runs commands, reads other files or shows the
 * environment, even inside strings.
 */
const awkPower =
  /\bsystem\b|\bgetline\b|\bENVIRON\b|\bPROCINFO\b|\bSYMTAB\b|\bFUNCTAB\b|\bARGV\b|@|\bclose\b|\bfflush\b|\/inet|\\\n/;

export function awkProblem(call: Arguments): string | undefined {
  const [script = ''] = scriptsOf(call, []);
  return awkPower.test(script) || awkWrites(script)
    ? 'its script may write files or run commands'
    : undefined;
}

const jqPower = /\benv\b|ENV|\binclude\b|\bimport\b|\bmodulemeta\b|\$__/;

export function jqProblem(call: Arguments): string | undefined {
  const [script = ''] = scriptsOf(call, []);
  return jqPower.test(script) ? 'its filter may read the environment or other files' : undefined;
}

const yqPath = String.raw`\.[\w.[\]"-]*`;
const yqValue = String.raw`(?:${yqPath}|"[\w .:\/-]*"|-?\d+(?:\.\d+)?|true|false|null)`;
const yqStep = String.raw`(?:${yqPath}|keys|length|sort|unique|first|last)`;
const yqExpression = new RegExp(
  String.raw`^(?:\s*${yqStep}\s*(?:\/\/\s*${yqValue}\s*)?(?:\||$))*$`,
);

/** Returns a problem unless the expression of yq only selects, counts or sorts. */
export function yqProblem(call: Arguments): string | undefined {
  const [script = ''] = scriptsOf(call, []);
  return yqExpression.test(script)
    ? undefined
    : 'its expression may read the environment or other files';
}
