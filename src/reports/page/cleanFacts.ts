/** Cleans all texts of the facts of a page before anything is cut or escaped. */

/**
 * Returns a copy in which `clean` has replaced every text, also in arrays, maps and sets. An object
 * that occurs several times is copied once, so that comparisons of objects still hold. Keys of
 * objects stay as they are.
 */
export function mapTexts<Value>(value: Value, clean: (text: string) => string): Value {
  const copies = new Map<object, unknown>();
  const copied = (one: unknown): unknown => {
    if (typeof one === 'string') return clean(one);
    if (typeof one !== 'object' || one === null || ArrayBuffer.isView(one)) return one;
    const known = copies.get(one);
    if (known !== undefined) return known;
    if (Array.isArray(one))
      return filled(one, [] as unknown[], (copy) => copy.push(...one.map(copied)));
    if (one instanceof Set)
      return filled(one, new Set(), (copy) => one.forEach((each) => copy.add(copied(each))));
    if (one instanceof Map)
      return filled(one, new Map(), (copy) =>
        one.forEach((each, key) => copy.set(copied(key), copied(each))),
      );
    return filled(one, {} as Record<string, unknown>, (copy) => {
      for (const [key, each] of Object.entries(one)) copy[key] = copied(each);
    });
  };
  /** Remembers the copy before it is filled, for an object that contains itself. */
  const filled = <Copy extends object>(
    one: object,
    copy: Copy,
    fill: (copy: Copy) => void,
  ): Copy => {
    copies.set(one, copy);
    fill(copy);
    return copy;
  };
  return copied(value) as Value;
}

const someHome = String.raw`(?:/home|/Users)/[^\s/\\:"'<>|,;]+|[A-Za-z]:[\\/]Users[\\/][^\s/\\:"'<>|,;]+`;

/**
 * Returns a function that replaces home folders in a text by `~`: that of the user on this computer,
 * and those with the usual places on other machines, which name a user too.
 */
export function homeShortener(homeFolder: string): (text: string) => string {
  const own = homeFolder.replace(/[\\/]+$/, '');
  const names = own === '' ? [someHome] : [own.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), someHome];
  const pattern = new RegExp(`(?<![\\w.~-])(?:${names.join('|')})(?![\\w-])`, 'g');
  return (text) => text.replace(pattern, '~');
}
