/** Tells what the expansions in a word are. */
import { written, type Place } from './children.ts';
import type { ShellLayout, WordPart } from './shellCommand.ts';

/** Matches `${NAME:-TEXT}` and the like with a text that is the same in and outside of quotes. */
const alternatives = /^\$\{([A-Za-z_]\w*|\d)(:?[-+])((?!-)[\w.,:/@%+= -]*)\}$/;

/** Match `${NAME##PATTERN}`, `${NAME:FROM:COUNT}`, `${NAME/TEXT/TEXT}` and `${NAME^^}`. */
const derivations: readonly RegExp[] = [
  /^\$\{([A-Za-z_]\w*|\d)(##?|%%?)([\w.*?/-]+)\}$/,
  /^\$\{([A-Za-z_]\w*|\d)(:)((?: -)?\d{1,4}(?::-?\d{1,4})?)\}$/,
  /^\$\{([A-Za-z_]\w*|\d)(\/\/?)([\w.*?,:=@+-]+\/?[\w.,:=@+ -]*)\}$/,
  /^\$\{([A-Za-z_]\w*|\d)(\^\^?|,,?)()\}$/,
];

/**
 * Returns what an expansion is. `layout` is that of the commands in it, `items` are the text and the
 * expansions in it.
 */
export function partOf(
  place: Place,
  layout: ShellLayout | undefined,
  items: readonly (string | WordPart)[],
): WordPart {
  const text = written(place);
  const named = namedPart(text);
  if (named !== undefined) return named;
  if (/^\$?\(\(/.test(text)) return { kind: 'arithmetic', items: withoutEnds(items) };
  const [sign] = /^[$<]\(/.exec(text) ?? [];
  return layout !== undefined && layout.length > 0 && (sign === '$(' || sign === '<(')
    ? { kind: 'commands', sign, layout: layout.slice(1, -1) }
    : { kind: 'other' };
}

/** Returns the items of arithmetic without the brackets around them. */
const withoutEnds = (items: readonly (string | WordPart)[]): readonly (string | WordPart)[] =>
  items.filter(
    (item) => typeof item !== 'string' || (item !== '' && !/^\s*(?:\$?\(\(|\)\))$/.test(item)),
  );

/** Returns true for a variable whose value is a number that the shell itself sets. */
export const isSpecial = (name: string): boolean =>
  /^(?:[?#$!]|RANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID)$/.test(name);

/** Returns what the expansion of a single variable is; `undefined` for other expansions. */
function namedPart(text: string): WordPart | undefined {
  const [, bare, braced] =
    /^\$(?:([A-Za-z_]\w*|[1-9@])|\{([A-Za-z_]\w*|[1-9@])\})$/.exec(text) ?? [];
  const [, sign, length] =
    /^\$(?:\{?([?#$!])\}?|\{(#[A-Za-z_]\w*(?:\[[@*]\])?)\})$/.exec(text) ?? [];
  const name = sign ?? length ?? bare ?? braced;
  if (name !== undefined && isSpecial(name)) return { kind: 'special', name };
  if (name !== undefined) return { kind: 'variable', name };
  return elementIn(text) ?? changedPart(text);
}

/** Returns what `${NAME:-TEXT}`, `${NAME##PATTERN}` and the like are. */
function changedPart(text: string): WordPart | undefined {
  const [, given, choice, alternative] = alternatives.exec(text) ?? [];
  if (given !== undefined && choice !== undefined && alternative !== undefined)
    return { kind: 'alternative', name: given, operator: choice, text: alternative };
  const [, of, operator, pattern] = derivations.map((each) => each.exec(text)).find(Boolean) ?? [];
  return of !== undefined && operator !== undefined && pattern !== undefined
    ? { kind: 'derived', name: of, operator, pattern }
    : undefined;
}

const elements =
  /^\$\{(!?)([A-Za-z_]\w*)\[("?)([@*]|-?\d+|[A-Za-z_][\w.-]*|\$\w+|\$\{\w+\})\3\]((?::\d+){0,2})\}$/;

/** Returns what `${NAME[KEY]}` is; `undefined` for other expansions. */
function elementIn(text: string): WordPart | undefined {
  const [, sign, name, , index = '', slice = ''] = elements.exec(text) ?? [];
  const isAll = /^[@*]$/.test(index);
  return name === undefined || (!isAll && (sign === '!' || slice !== ''))
    ? undefined
    : { kind: 'element', name, index, isKey: sign === '!', slice };
}
