/**
 * Options of esbuild for the bundles that run in Node, the same for the product and for bundled
 * tests.
 */
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
 * Options of all bundles for Node. `navigator` is replaced by undefined: libraries use it to detect
 * a browser, and an extension host logs each access to it as an error.
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
  // The entry points of these packages for Node load further modules in ways that esbuild cannot
  // follow, so other entry points of the packages are bundled.
  alias: {
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs',
  },
} as const satisfies esbuild.BuildOptions;

/**
 * Returns the options for bundles that share modules. There is one file per entry point, one per
 * module that `import()` loads, and one per set of modules that the same files share. Each module
 * is in exactly one file, so that a class exists only once.
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
  // `cpu-features` and `*.node` are native modules of ssh2, which works without them.
  external: ['vscode', ...external, 'cpu-features', '*.node'],
});

/**
 * Converts the output to CommonJS, and removes the files of earlier builds. esbuild can share
 * modules between files only as ES modules, but CommonJS loads faster.
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
    // Replaces `import.meta.url`, which CommonJS lacks, and which code uses to find files in its
    // own folder.
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;",
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
}
