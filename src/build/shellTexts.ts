import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const call = /\bshellText\('(\.\/\w+\.(?:sh|py|js|css))', import\.meta\.url\)/g;

/**
 * esbuild plugin that replaces each call of `shellText` by the text of the script that the call
 * names.
 */
export const shellTexts: Plugin = {
  name: 'shell-texts',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const files = Array.from(source.matchAll(call), ([, name = '']) => join(dirname(path), name));
      if (files.length !== source.split('shellText(').length - 1)
        return {
          errors: [
            {
              text: `Write shellText('./name.sh', import.meta.url) in ${path}.`,
            },
          ],
        };
      if (files.length === 0) return undefined;
      const texts = await Promise.all(
        files.map(async (file) => JSON.stringify(await readFile(file, 'utf8'))),
      );
      let at = 0;
      return {
        contents: source.replace(call, () => texts[at++] ?? ''),
        loader: 'ts',
        watchFiles: [path, ...files],
      };
    });
  },
};
