import { readFileSync } from 'node:fs';

/**
 * Returns the text of the shell script `name`, which lies next to the module of `moduleUrl`.
 * Bundles replace this call by the text (`src/build/shellTexts.ts`), so both arguments must be
 * literal: `'./x.sh', import.meta.url`.
 */
export const shellText = (name: `./${string}.sh`, moduleUrl: string): string =>
  readFileSync(new URL(name, moduleUrl), 'utf8');
