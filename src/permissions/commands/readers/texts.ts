/** Programs that print a text, or information of the shell about programs. */
import type { Arguments } from './options.ts';
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { isList, isNumber } from '../values/possibleTexts.ts';
import { isPlainName } from '../values/plainVariables.ts';
import { atFile, nothing, text, type Reader } from './reader.ts';

export const textReaders: Readonly<Record<string, Reader>> = {
  // `echo` prints a line of dashes, and does not read it as an option.
  echo: {
    ...text('n e E --- ---- ----- ------ -------- ----------'),
    printsOperands: true,
  },
  printf: { ...text('', printfProblem), printsOperands: true },
  true: text(''),
  false: text(''),
  ':': text(''),
  sleep: text('', ({ operands }) =>
    operands.every(({ text: each }) => /^[\d.]{1,4}s?$/.test(each)) ? undefined : 'waits for long',
  ),
  seq: text('f: s: w # --format= --separator= --equal-width', ({ operands }) =>
    operands.every(({ text: each }) => /^-?[\d.]{1,7}$/.test(each)) ? undefined : 'may not end',
  ),
  expr: text(''),
  factor: text('h --exponents'),
  'c++filt': text('n p i t', atFile),
  ts: text('s i r m'),
  mktemp: text('u d p: --dry-run --directory', ({ names: given }) =>
    given.has('-u') || given.has('--dry-run') ? undefined : 'writes files',
  ),
  umask: text('S p', nothing),
  times: text('', nothing),
  dirs: text('v p l', nothing),
  whatis: text('w r l'),
  apropos: text('a e r w l'),
  whereis: text('b m s'),
  // Only the variables whose values are never a secret.
  printenv: text('', ({ operands }) =>
    operands.length > 0 && operands.every(({ text: each }) => isPlainName(each))
      ? undefined
      : 'shows the environment',
  ),
  tee: text('a', ({ operands }) =>
    operands.every(({ text: each }) => /^\/dev\/(?:null|std(?:out|err))$/.test(each))
      ? undefined
      : 'writes files',
  ),
  basename: { ...text('a s: z --multiple --suffix= --zero'), printsOperands: true },
  dirname: { ...text('z --zero'), printsOperands: true },
  tr: text('c C d s t --complement --delete --squeeze-repeats --truncate-set1'),
  which: text('a --all'),
  type: text('a t p P f'),
  command: text('v V', ({ names: given }) =>
    given.has('-v') || given.has('-V') ? undefined : 'runs another command',
  ),
  numfmt: text(
    'd: z --to= --from= --field= --format= --suffix= --padding= --header --delimiter= ' +
      '--round= --to-unit= --from-unit= --grouping',
  ),
};

/**
 * Returns a problem for a call of `printf` that may set a variable: with `-v`, or with `%n` in the
 * format. A width `*` is refused, too, because it takes an operand.
 */
function printfProblem({ names: given, operands }: Arguments): string | undefined {
  if (given.has('-v')) return 'sets a variable';
  const [format, ...values] = operands;
  // Some shells evaluate the value of `%d` as an expression, which may run a command.
  if (format === undefined) return undefined;
  const known = values.some(({ isDynamic }) => isDynamic)
    ? /^(?:[^%]|%%|%-?\d*s|%b|%[-+ 0]*\d*[dsu])*$/
    : /^(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[bcdeEfgGioqsuxX]|%\([^()]*\)T)*$/;
  return known.test(format.text) && !format.isDynamic && areCalculable(format.text, values)
    ? undefined
    : 'may set a variable';
}

/** Returns true if only numbers are printed as such; the shell uses the format again and again. */
function areCalculable(format: string, values: readonly ShellWord[]): boolean {
  const kinds = [...format.matchAll(/%%|%[^a-zA-Z]*([a-zA-Z])/g)].flatMap(([, kind]) => kind ?? []);
  const isNumeric = kinds.some((kind) => !/[bcqs]/.test(kind));
  const isKept = values.every(({ isDynamic }) => !isDynamic);
  if (isKept) return true;
  if (isNumeric && values.some(({ text }) => /[[($`]/.test(text))) return false;
  if (!isNumeric || !values.some(isList))
    return values.every(
      (word, at) =>
        !word.isDynamic || /[bcqs]/.test(kinds[at % kinds.length] ?? 's') || isNumber(word),
    );
  return values.every((word) => !word.isDynamic || isNumber(word));
}
