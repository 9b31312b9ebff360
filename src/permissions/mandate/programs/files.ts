/** Checks programs that read, change, copy or pack files. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { codeOutside, pathOutside } from '../paths.ts';
import { firstReason, has, isOption, operandsOf, valueOf, type Check } from '../step.ts';

/** Returns the path that is attached to an option: `--dir=PATH` or `-CPATH`. */
const optionPath = ({ text }: ShellWord): string | undefined =>
  /^--[\w-]+=(.+)$/s.exec(text)?.[1] ?? /^-[A-Za-z]((?:~|\.\.)?\/.*)$/s.exec(text)?.[1];

const optionPaths = (rest: readonly ShellWord[]): readonly ShellWord[] =>
  rest.filter(isOption).flatMap((word) => {
    const text = optionPath(word);
    return text === undefined ? [] : [{ ...word, text, spelled: text }];
  });

/** Checks a program that changes its operands, of which the first may be an expression. */
export const yq: Check = (call) =>
  firstReason(operandsOf(call.rest), ({ text }) => codeOutside(text, call.step)) ?? changes(call);

/** Checks a program that changes the file or folder of every operand. */
export const changes: Check = ({ rest, step }) =>
  firstReason([...operandsOf(rest), ...optionPaths(rest)], (word) =>
    pathOutside(word, 'writes', step),
  );
export const removes: Check = ({ rest, step }) =>
  firstReason(operandsOf(rest), (word) => pathOutside(word, 'removes', step));

/**
 * Checks a program that copies: it changes the last operand or the value of `-t`, and reads the
 * others.
 */
export const copies: Check = ({ name, rest, step }) => {
  const target = valueOf(rest, /^(?:-[A-Za-z]*t|--target-directory)$/);
  const operands = operandsOf(rest);
  if (name === 'rsync' && operands.some(({ text }) => /^[^/]*:/.test(text)))
    return 'copies to or from another host';
  if (has(rest, /^(?:-e|--rsh|--rsync-path)/)) return 'starts another program';
  return (
    firstReason([...(target ? [target] : operands.slice(-1)), ...optionPaths(rest)], (word) =>
      pathOutside(word, 'writes', step),
    ) ?? firstReason(operands, (word) => pathOutside(word, 'reads', step))
  );
};

export const tar: Check = (call) => {
  const { rest, step } = call;
  if (
    has(
      rest,
      /^--(?:to-command|checkpoint-action|rsh-command|use-compress-program|absolute-names|info-script|new-volume-script)|^-[A-Za-z]*[IPF]/,
    )
  )
    return 'starts another program, or writes by absolute names';
  const [first] = rest;
  const letters = first?.text.replace(/^-*/, '') ?? '';
  const words = operandsOf(first !== undefined && !isOption(first) ? rest.slice(1) : rest);
  const isWriting = /[xru]/.test(letters) || has(rest, /^--(?:extract|append)/);
  const archive = words.slice(0, 1);
  return (
    (isWriting ? firstReason(words, (word) => pathOutside(word, 'reads', step)) : undefined) ??
    firstReason([...(isWriting ? [] : archive), ...optionPaths(rest)], (word) =>
      pathOutside(word, 'writes', step),
    ) ??
    firstReason(
      [valueOf(rest, /^(?:-C|--directory)$/)].flatMap((word) => word ?? []),
      (word) => pathOutside(word, isWriting ? 'writes' : 'reads', step),
    ) ??
    firstReason(words.slice(1), (word) => pathOutside(word, 'reads', step))
  );
};

export const sed: Check = (call) => {
  const { rest, step } = call;
  const hasScript = has(rest, /^(?:-[nErsuz]*e|--expression|-f|--file)/);
  const scripts = hasScript
    ? rest.filter((_word, at) => /^-[nErsuz]*e$/.test(rest[at - 1]?.text ?? ''))
    : operandsOf(rest).slice(0, 1);
  if (scripts.some(({ text }) => /(?:^|[;{}\n\d$/])\s*[wWeFrR]\s+\S|\/[gpiI\d]*[we]\b/.test(text)))
    return 'runs a script of sed that may write files or run commands';
  const files = operandsOf(rest).filter((word) => !scripts.includes(word));
  return firstReason(files, (word) =>
    pathOutside(word, has(rest, /^-[nErsuz]*i|^--in-place/) ? 'writes' : 'reads', step),
  );
};

export const dd: Check = ({ rest, step }) =>
  firstReason(rest, (word) => {
    const [, option, text = ''] = /^(if|of)=(.+)$/.exec(word.spelled) ?? [];
    if (option === undefined || /^\/dev\/(?:zero|u?random)$/.test(text)) return undefined;
    return pathOutside(
      { ...word, text, spelled: text },
      option === 'of' ? 'writes' : 'reads',
      step,
    );
  });

/**
 * Checks a program that only reads. A word that is known only to the shell is not checked, because
 * it may be plain text.
 */
export const reads: Check = ({ name, rest, step }) => {
  if (/^(?:sort|uniq|xxd|shuf)$/.test(name) && has(rest, /^-[a-z]*o|^--output/))
    return 'writes its output by an option: use > instead';
  const words = rest.flatMap((word) => step.variables.resolve(word) ?? []);
  return firstReason(
    words.filter(({ text }) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(text)),
    (word) => pathOutside(word, 'reads', step),
  );
};
