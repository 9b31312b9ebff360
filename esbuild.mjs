/**
 * Builds what Helios ships: the extension, the command line and the webviews, with the sql.js WebAssembly and the schema of machines.json beside them.
 *   --production  minified, without source maps
 *   --watch       rebuilds on every change
 *   --tests       the suite for the extension host, into dist-test/host, instead of the product
 */
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { oneAnthropicSdk } from './test/setup/bundle/anthropicSdk.mjs';
import { gatherLate, lateEntries, loadLate } from './test/setup/bundle/lateFiles.mjs';
import * as left from './test/setup/bundle/leftOut.mjs';
import { skinBuilds } from './test/setup/engineFiles.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: { production: { type: 'boolean' }, watch: { type: 'boolean' }, tests: { type: 'boolean' } },
});

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: options.production ?? false,
  sourcemap: options.production ? false : 'linked',
  metafile: true,
  logLevel: 'warning',
  legalComments: 'none',
};

/** Libraries ask for `navigator` to tell a browser; in an extension host the mere question is logged as an error. */
const noBrowser = { navigator: 'undefined' };

const node = { ...shared, platform: 'node', target: 'node22', define: noBrowser };

/** Native parts of ssh2, which does without them. */
const optional = ['cpu-features', '*.node'];

/** CommonJS has no `import.meta.url`, by which code finds its neighbours. */
const commonJs = {
  ...node,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { ...noBrowser, 'import.meta.url': 'importMetaUrl' },
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
};

const lateBuild = {
  ...commonJs,
  entryPoints: lateEntries,
  outdir: 'dist',
  external: optional,
  define: { ...commonJs.define, ...left.undiciDefines },
  plugins: [
    ...[gatherLate(root), oneAnthropicSdk, left.leaveOut],
    ...[left.noAttachments, left.oneParser, left.oneSsh2, left.nodeStreams],
  ],
};

/** ES modules have no `require`, `__filename` and `__dirname`; bundled CommonJS packages use them. */
const moduleBanner = [
  "import { createRequire as createRequireOfBundle } from 'node:module';",
  "import { fileURLToPath as pathOfBundle } from 'node:url';",
  'const require = createRequireOfBundle(import.meta.url);',
  'const __filename = pathOfBundle(import.meta.url);',
  "const __dirname = pathOfBundle(new URL('.', import.meta.url));",
].join('\n');

const skins = { extension: 'src/extension.ts', keeper: 'src/keeper/main.ts', cli: 'src/cli/main.ts' };

async function productBuilds() {
  const builds = [
    ...(await skinBuilds({ root, options: commonJs, skins, plugins: [loadLate], external: optional })),
    lateBuild,
    {
      ...node,
      format: 'esm',
      entryPoints: { pageWorker: 'src/web/pageWorker.ts' },
      outdir: 'dist',
      outExtension: { '.js': '.mjs' },
      external: ['canvas'],
      plugins: [left.leaveOut, left.fewEntities, left.textsOfPdf],
      banner: { js: moduleBanner },
    },
  ];
  const folders = await readdir(join(root, 'webview'), { withFileTypes: true });
  for (const folder of folders.filter((entry) => entry.isDirectory()).map((entry) => `webview/${entry.name}`)) {
    // What webviews share is no page.
    if (!existsSync(join(root, folder, 'main.ts'))) continue;
    builds.push({
      ...shared,
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
  await rm(join(root, 'dist-test/host'), { recursive: true, force: true });
  const files = await readdir(join(root, 'test/host'));
  return [
    {
      ...commonJs,
      minify: false,
      entryPoints: files
        .filter((name) => name === 'index.ts' || name.endsWith('.test.ts'))
        .map((name) => `test/host/${name}`),
      outdir: 'dist-test/host',
      external: ['vscode', 'mocha', ...optional],
    },
  ];
}

/** The entries of a build that exist; a missing one is said, not fatal, so that a half-written tree still builds. */
function withExistingEntries(build) {
  if (build.stdin) return [build];
  const named = Array.isArray(build.entryPoints)
    ? build.entryPoints.map((path) => [undefined, path])
    : Object.entries(build.entryPoints);
  const existing = named.filter(([, path]) => {
    if (/-entry(:|$)/.test(path) || existsSync(resolve(root, path))) return true;
    console.warn(`skipped ${path}: there is no such file yet`);
    return false;
  });
  const entryPoints = Array.isArray(build.entryPoints)
    ? existing.map(([, path]) => path)
    : Object.fromEntries(existing);
  return existing.length > 0 ? [{ ...build, entryPoints }] : [];
}

function printSizes(result) {
  for (const [path, { bytes }] of Object.entries(result.metafile.outputs)) {
    if (!path.endsWith('.map')) console.log(`${path.padEnd(40)} ${(bytes / 1024).toFixed(0).padStart(6)} kB`);
  }
}

async function copyWasm() {
  const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');
  await mkdir(join(root, 'dist'), { recursive: true });
  await copyFile(wasm, join(root, 'dist/sql-wasm.wasm'));
  console.log(`dist/sql-wasm.wasm from ${relative(root, wasm)}`);
}

/** Completion in an editor comes from what the file is checked with. */
async function writeSchema(entryPoint, maker, file) {
  const { outputFiles } = await esbuild.build({
    ...node,
    entryPoints: [entryPoint],
    format: 'esm',
    sourcemap: false,
    metafile: false,
    write: false,
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  const made = await import(`data:text/javascript;base64,${code}`);
  await writeFile(join(root, 'dist', file), JSON.stringify(made[maker]()));
}

async function main() {
  const builds = (options.tests ? await hostTestBuilds() : await productBuilds()).flatMap(withExistingEntries);
  if (!options.tests) {
    await copyWasm();
    await writeSchema('src/machines/list/machineSchema.ts', 'machinesJsonSchema', 'machines.schema.json');
    await writeSchema('src/project/projectJsonSchema.ts', 'projectJsonSchema', 'project.schema.json');
  }
  if (options.watch) {
    for (const build of builds) await (await esbuild.context({ ...build, logLevel: 'info' })).watch();
    return;
  }
  for (const result of await Promise.all(builds.map((build) => esbuild.build(build)))) printSizes(result);
  if (existsSync(join(root, 'dist/cli.cjs'))) await chmod(join(root, 'dist/cli.cjs'), 0o755);
}

await main();
