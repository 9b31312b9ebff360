/** Finds secrets in the lines of `.env` files. */
import { isPlaceholder } from './carriers.ts';
import { isPath, isRandom } from './randomness.ts';
import { isSecretName } from './secretNames.ts';
import type { SecretSpan } from './secretSpan.ts';

const line =
  /^[ \t]*(?:export[ \t]+)?([A-Z][A-Z\d_]{1,63})=(?:"([^"\n]{12,2048})"|'([^'\n]{12,2048})'|([^\s"'#]{12,2048}))[ \t]*$/gm;

/** Minimum length of a random value that is treated as a secret, whatever its name. */
const minChars = 12;

/** Returns the random values of lines such as `SALT=k3J9…`, under any name. */
export function envLineSecrets(text: string): SecretSpan[] {
  if (!text.includes('=')) return [];
  return [...text.matchAll(line)].flatMap(({ 0: whole, 2: one, 3: other, 4: bare, index }) => {
    const value = one ?? other ?? bare ?? '';
    const start = index + whole.lastIndexOf(value);
    return isRandomValue(value) ? [{ start, end: start + value.length }] : [];
  });
}

const isRandomValue = (value: string): boolean =>
  isRandom(value, minChars) && !isPlaceholder(value) && !isPath(value);

/**
 * Returns the secrets in a `.env` file, with their names: values of secret names, and random values
 * of at least 12 characters under any name.
 */
export function envFileSecrets(text: string): { readonly name: string; readonly value: string }[] {
  return text.split('\n').flatMap((each) => {
    const [, name = '', quoted] =
      /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/.exec(each) ?? [];
    const value = /^(["']?)(.*?)\1(?:\s+#.*)?$/.exec(quoted?.trim() ?? '')?.[2] ?? '';
    const isSecret =
      value.length >= minChars &&
      !isPlaceholder(value) &&
      !isPath(value) &&
      (isRandom(value, minChars) || (isSecretName(name) && /[A-Za-z]/.test(value)));
    return isSecret ? [{ name, value }] : [];
  });
}
