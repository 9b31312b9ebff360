/** Tells what the expansions in a word are. */
import { written, type Place } from './children.ts';
import type { ShellLayout, WordPart } from './shellCommand.ts';

/** Matches `${NAME:-TEXT}` and the like with a text that is the same in and outside of quotes. */
const alternatives = /^\$\{([A-Za-z_]\w*)(:?[-+])((?!-)[\w.,:/@%+= -]*)\}$/;

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
    (item) => typeof item !== 'string' || (item !== '' && !/^(?:\$?\(\(|\)\))$/.test(item)),
  );

/** Returns what the expansion of a single variable is; `undefined` for other expansions. */
function namedPart(text: string): WordPart | undefined {
  const [, bare, braced] = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(text) ?? [];
  const name = bare ?? braced;
  if (name !== undefined) return { kind: 'variable', name };
  const [, special] = /^\$\{?([?#$])\}?$/.exec(text) ?? [];
  if (special !== undefined) return { kind: 'special', name: special };
  const [, given, choice, alternative] = alternatives.exec(text) ?? [];
  if (given !== undefined && choice !== undefined && alternative !== undefined)
    return { kind: 'alternative', name: given, operator: choice, text: alternative };
  const [, of, operator, pattern] = /^\$\{([A-Za-z_]\w*)(##?|%%?)([\w.*?/-]+)\}$/.exec(text) ?? [];
  return of !== undefined && operator !== undefined && pattern !== undefined
    ? { kind: 'derived', name: of, operator, pattern }
    : undefined;
}
