/**
 * Builds what Helios ships: the extension, the command line and the webviews, with their WebAssembly and the schema of machines.json beside them.
 *   --production  minified, without source maps
 *   --watch       rebuilds on every change
 *   --tests       the suite for the extension host, into dist-test/host, instead of the product
 */
import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { nodeBundles, nodeOptions } from './src/build/nodeBundles.ts';

const root = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    production: { type: 'boolean' },
    watch: { type: 'boolean' },
    tests: { type: 'boolean' },
  },
});
const isProduction = options.production ?? false;
const written = { minify: isProduction, sourcemap: isProduction ? false : 'linked' };

/** ES modules have no `require`; bundled CommonJS packages use it. */
const moduleBanner =
  "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";

/** Each entry point is a file of `dist`, by its name. A window loads the engine with its first use. */
const entryPoints = {
  ...{ extension: 'src/extension.ts', engine: 'src/compose/engine.ts' },
  ...{ background: 'src/background/main.ts', cli: 'src/cli/main.ts' },
};

async function productBuilds() {
  const builds = [
    nodeBundles({ entryPoints, outdir: 'dist', isProduction }),
    {
      ...nodeOptions,
      ...written,
      format: 'esm',
      entryPoints: {
        pageWorker: 'src/web/pageWorker.ts',
        patternWorker: 'src/metrics/patterns/patternWorker.ts',
      },
      outdir: 'dist',
      outExtension: { '.js': '.mjs' },
      external: ['canvas'],
      banner: { js: moduleBanner },
    },
  ];
  const folders = await readdir(join(root, 'webview'), { withFileTypes: true });
  for (const folder of folders
    .filter((entry) => entry.isDirectory())
    .map((entry) => `webview/${entry.name}`)) {
    // What webviews share is no page.
    if (!existsSync(join(root, folder, 'main.ts'))) continue;
    builds.push({
      ...written,
      ...{
        absWorkingDir: root,
        bundle: true,
        metafile: true,
        logLevel: 'warning',
        legalComments: 'none',
      },
      platform: 'browser',
      format: 'iife',
      target: 'chrome140',
      entryPoints: [`${folder}/main.ts`, `${folder}/style.css`],
      outdir: `dist/${folder}`,
      assetNames: '[name]',
      loader: { '.ttf': 'file', '.svg': 'dataurl' },
    });
  }
  return builds;
}

async function hostTestBuilds() {
  const files = await readdir(join(root, 'test/host'));
  const tests = files.filter((name) => name === 'index.ts' || name.endsWith('.test.ts'));
  const entries = Object.fromEntries(
    tests.map((name) => [name.slice(0, -'.ts'.length), `test/host/${name}`]),
  );
  const outdir = 'dist-test/host';
  return [nodeBundles({ entryPoints: entries, outdir, isProduction: false, external: ['mocha'] })];
}

function printSizes(result) {
  for (const [path, { bytes }] of Object.entries(result.metafile.outputs)) {
    if (!path.endsWith('.map'))
      console.log(`${path.padEnd(40)} ${(bytes / 1024).toFixed(0).padStart(6)} kB`);
  }
}

async function copyWasm() {
  const require = createRequire(import.meta.url);
  await mkdir(join(root, 'dist'), { recursive: true });
  for (const name of [
    'sql.js/dist/sql-wasm.wasm',
    'web-tree-sitter/web-tree-sitter.wasm',
    'tree-sitter-bash/tree-sitter-bash.wasm',
  ]) {
    const wasm = require.resolve(name);
    await copyFile(wasm, join(root, 'dist', basename(wasm)));
    console.log(`dist/${basename(wasm)} from ${relative(root, wasm)}`);
  }
}

/** Completion in an editor comes from what the file is checked with. */
async function writeSchema(entryPoint, maker, file) {
  const { outputFiles } = await esbuild.build({
    ...nodeOptions,
    ...{ entryPoints: [entryPoint], format: 'esm', metafile: false, write: false },
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  const made = await import(`data:text/javascript;base64,${code}`);
  await writeFile(join(root, 'dist', file), JSON.stringify(made[maker]()));
}

async function main() {
  const builds = options.tests ? await hostTestBuilds() : await productBuilds();
  if (!options.tests) {
    await copyWasm();
    await writeSchema(
      'src/presentation/machines/machineSchema.ts',
      'machinesJsonSchema',
      'machines.schema.json',
    );
    await writeSchema(
      'src/project/projectJsonSchema.ts',
      'projectJsonSchema',
      'project.schema.json',
    );
  }
  if (options.watch) {
    for (const build of builds)
      await (await esbuild.context({ ...build, logLevel: 'info' })).watch();
    return;
  }
  for (const result of await Promise.all(builds.map((build) => esbuild.build(build))))
    printSizes(result);
  if (!options.tests) await chmod(join(root, 'dist/cli.cjs'), 0o755);
}

await main();
