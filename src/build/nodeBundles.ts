/** Bundles for Node: one way to make them for the product, and for the tests that run bundled. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { shellTexts } from './shellTexts.ts';

const root = resolve(import.meta.dirname, '../..');

export interface NodeBundles {
  readonly entryPoints: Readonly<Record<string, string>>;
  readonly outdir: string;
  readonly isProduction: boolean;
  readonly external?: readonly string[];
}

/**
 * Of every build for Node. Libraries ask for `navigator` to tell a browser; an extension host logs
 * the question as an error.
 */
export const nodeOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node22',
  define: { navigator: 'undefined' },
  metafile: true,
  logLevel: 'warning',
  legalComments: 'none',
  // The forms of them that Node finds ask for their parts in ways that no bundler sees.
  alias: {
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs',
  },
} as const satisfies esbuild.BuildOptions;

/**
 * One file for each entry point, one for whatever `import()` names, and one for each set of modules
 * that the same of these share: a module is in one file alone, so that a class is the same class
 * wherever it is used.
 */
export const nodeBundles = ({
  entryPoints,
  outdir,
  isProduction,
  external = [],
}: NodeBundles): esbuild.BuildOptions => ({
  ...nodeOptions,
  entryPoints,
  outdir,
  splitting: true,
  format: 'esm',
  outExtension: { '.js': '.cjs' },
  write: false,
  minify: isProduction,
  sourcemap: isProduction ? false : 'inline',
  plugins: [shellTexts, toCommonJs(isProduction)],
  // The last two are native parts of ssh2, which does without them.
  external: ['vscode', ...external, 'cpu-features', '*.node'],
});

/**
 * esbuild splits ES modules alone, and CommonJS is loaded faster. What an earlier build has left
 * behind is removed.
 */
const toCommonJs = (isProduction: boolean): esbuild.Plugin => ({
  name: 'to-common-js',
  setup(build) {
    build.onEnd(async ({ outputFiles = [] }) => {
      const folder = resolve(root, build.initialOptions.outdir ?? '');
      await mkdir(folder, { recursive: true });
      await Promise.all(
        outputFiles.map(({ path, text }) => writeCommonJs(path, text, isProduction)),
      );
      const written = new Set(outputFiles.map(({ path }) => basename(path)));
      const stale = (await readdir(folder)).filter(
        (name) => name.endsWith('.cjs') && !written.has(name),
      );
      if (written.size > 0) await Promise.all(stale.map((name) => rm(join(folder, name))));
    });
  },
});

async function writeCommonJs(path: string, text: string, isProduction: boolean): Promise<void> {
  const { code } = await esbuild.transform(text, {
    format: 'cjs',
    platform: 'node',
    target: nodeOptions.target,
    legalComments: 'none',
    logLevel: 'error',
    minify: isProduction,
    sourcemap: isProduction ? false : 'inline',
    sourcefile: basename(path),
    supported: { 'dynamic-import': false },
    // CommonJS has no `import.meta`, by which code finds its neighbours.
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;",
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
}
