/** Tells what the expansions in a word are. */
import { written, type Place } from './children.ts';
import type { ShellLayout, WordPart } from './shellCommand.ts';

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
  const [, bare, braced] = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/.exec(text) ?? [];
  const name = bare ?? braced;
  if (name !== undefined) return { kind: 'variable', name };
  if (/^\$?\(\(/.test(text)) return { kind: 'arithmetic', items: withoutEnds(items) };
  const [, of, operator, pattern] = /^\$\{([A-Za-z_]\w*)(##?|%%?)([\w.*?/-]+)\}$/.exec(text) ?? [];
  if (of !== undefined && operator !== undefined && pattern !== undefined)
    return { kind: 'derived', name: of, operator, pattern };
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
