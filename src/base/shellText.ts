import { readFileSync } from 'node:fs';

/**
 * The text of the shell script `name`, which lies beside the module of `moduleUrl`. Bundles hold
 * the text itself in the place of this call (`src/build/shellTexts.ts`), so both arguments are
 * written out: `'./x.sh', import.meta.url`.
 */
export const shellText = (name: `./${string}.sh`, moduleUrl: string): string =>
  readFileSync(new URL(name, moduleUrl), 'utf8');
