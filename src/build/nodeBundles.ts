/** Bundles for Node, built the same way for the product and for bundled tests. */
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
 * Options of all bundles for Node. `navigator` is undefined, because libraries use it to detect a
 * browser, and an extension host logs each access as an error.
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
  // The Node entry points of these packages load their parts in ways that no bundler can follow.
  alias: {
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.cjs',
  },
} as const satisfies esbuild.BuildOptions;

/**
 * Options for one file per entry point, one per `import()`, and one per set of modules shared by
 * the same of these. Each module is in exactly one file, so that a class has one identity.
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
  // The last two are optional native parts of ssh2.
  external: ['vscode', ...external, 'cpu-features', '*.node'],
});

/**
 * Converts the output to CommonJS: esbuild splits only ES modules, and CommonJS loads faster.
 * Removes files of earlier builds.
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
    // CommonJS has no `import.meta`, which code uses to find files next to it.
    define: { 'import.meta.url': 'importMetaUrl' },
    banner: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;",
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, code);
}
