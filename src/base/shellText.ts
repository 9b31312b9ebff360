import { readFileSync } from 'node:fs';

/**
 * Returns the text of the script or style sheet `name`, which is in the same folder as the module
 * with the URL `moduleUrl`. In a bundle, the text replaces the call (`src/build/shellTexts.ts`), so
 * both arguments must be literally `'./x.sh', import.meta.url`.
 */
export const shellText = (
  name: `./${string}.${'sh' | 'py' | 'js' | 'css'}`,
  moduleUrl: string,
): string => readFileSync(new URL(name, moduleUrl), 'utf8');
