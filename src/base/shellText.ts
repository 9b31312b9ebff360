import { readFileSync } from 'node:fs';

/**
 * Returns the text of the script `name`, which is in the same folder as the module with the
 * URL `moduleUrl`. In a bundle, the script's text replaces the call (`src/build/shellTexts.ts`), so
 * both arguments must be literally `'./x.sh', import.meta.url`.
 */
export const shellText = (name: `./${string}.${'sh' | 'py'}`, moduleUrl: string): string =>
  readFileSync(new URL(name, moduleUrl), 'utf8');
