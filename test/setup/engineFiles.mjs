/**
 * The files of the engine that the skins share. `shared.cjs` has what they load at once, `engine.cjs` what they load late,
 * by `import()`: a window is there before the engine is. A module is in one of the two alone, so that a class is the same
 * class on every side.
 */
import { readFile } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import * as esbuild from 'esbuild';
import * as zod from 'zod';

/** The command line, which is of another module format, has its own copy. */
const ofSkins = /^(vscode|keeper|cli)\/|^extension\.ts$/;
/** Spoken with webviews alone, and bundled where it is spoken. */
const ofWebviews = /^protocol\//;
/** Needed on every side, and kept with what is shared. */
const packages = ['zod', 'ipaddr.js'];
const taken = 'taken';
const ours = /^(\.|zod$|ipaddr\.js$)/;

/**
 * The builds of `skins` (entry points by name) and of the two files. `options` are those of every bundle of them, `plugins`
 * and `external` what the engine needs besides.
 */
export async function skinBuilds({ root, options, skins, plugins, external }) {
  const common = { ...options, absWorkingDir: root, outdir: 'dist', supported: { 'dynamic-import': false } };
  const ofEngine = { ...common, external };
  const plan = await planOf({ root, ...ofEngine, plugins }, skins);
  const take = takeFrom(root, plan);
  const gather = (lines) => ({ plugins: [...plugins, take], stdin: stdinOf(root, lines) });
  return [
    { ...common, entryPoints: skins, external: ['vscode'], plugins: [take] },
    { ...ofEngine, entryNames: 'shared', ...gather([...plan.names].map((entry, index) => sharedExport(entry, index))) },
    { ...ofEngine, entryNames: 'engine', ...gather(exportsOf(plan.late)) },
  ];
}

const stdinOf = (root, lines) => ({ contents: lines.join('\n'), resolveDir: root });
const exportsOf = (names) => names.map((name) => `export * as ${JSON.stringify(name)} from './src/${name}';`);
const from = (module) => (packages.includes(module) ? module : `./src/${module}`);
/** A name of the module that is the `index`th of those that are shared. */
const sharedExport = ([module, names], index) =>
  `export { ${names.map((name) => `${name} as ${name}_${index}`).join(', ')} } from '${from(module)}';`;
const sharedImport = (names, index) => [
  `const { ${names.map((name) => `${name}_${index}: _${name}`).join(', ')} } = require('./shared.cjs');`,
  `export { ${names.map((name) => `_${name} as ${name}`).join(', ')} };`,
];
const lateImport = (names, module) =>
  `export const { ${names.join(', ')} } = require('./engine.cjs')[${JSON.stringify(module)}];`;

/**
 * Modules by their paths below src. `names`: of each that is shared, and each package, what the others use of it; `late`: those
 * that `engine.cjs` exports; `exported`: all that a module exports.
 */
async function planOf({ root, ...options }, skins) {
  const dry = { ...options, write: false, sourcemap: false, metafile: true };
  const inputsOf = async (more) => (await esbuild.build({ ...dry, ...more })).metafile.inputs;
  const gathered = async (names) => modulesIn(Object.keys(await inputsOf({ stdin: stdinOf(root, exportsOf(names)) })));
  const ofSkin = await inputsOf({ entryPoints: skins, external: ['vscode'], plugins: [leaveOut(root)] });
  const wanted = engineModules(Object.keys(ofSkin));
  const shared = new Set(await gathered(engineModules(loadedAtOnce(ofSkin, Object.values(skins)))));
  const late = wanted.filter((name) => !shared.has(name));
  const exported = await exportedNames(root, [...shared, ...late]);
  const others = [...modulesIn(Object.keys(ofSkin)), ...(await gathered(late)).filter((name) => !shared.has(name))];
  const used = await usedNames(root, others);
  for (const name of engineModules(importedLate(ofSkin))) used.set(name, new Set(exported.get(name)));
  const names = new Map([...used].filter(([name]) => shared.has(name) || packages.includes(name)));
  return { late, exported, shared, names: new Map([...names].map(([name, list]) => [name, [...list].sort()])) };
}

const modulesIn = (paths) => paths.filter((path) => path.startsWith('src/')).map((path) => path.slice('src/'.length));
const engineModules = (paths) =>
  paths
    .filter((path) => path.startsWith(`${taken}:`) && path.endsWith('.ts'))
    .map((path) => path.slice(taken.length + 1));

const isLate = ({ kind }) => kind === 'dynamic-import';

function loadedAtOnce(inputs, entries) {
  const reached = new Set(entries);
  for (const file of reached)
    for (const imported of inputs[file]?.imports ?? []) if (!isLate(imported)) reached.add(imported.path);
  return [...reached];
}

const importedLate = (inputs) =>
  Object.values(inputs).flatMap(({ imports }) => imports.filter(isLate).map(({ path }) => path));

async function exportedNames(root, modules) {
  const { metafile } = await esbuild.build({
    ...{ entryPoints: modules.map((name) => `src/${name}`), format: 'esm', absWorkingDir: root, outdir: 'dist' },
    ...{ bundle: false, write: false, metafile: true },
  });
  return new Map(
    Object.values(metafile.outputs).map(({ entryPoint, exports }) => [entryPoint.slice('src/'.length), exports]),
  );
}

/** What these modules use of each other one, and of the packages. A name that is missed breaks the build. */
async function usedNames(root, modules) {
  const used = new Map([['ipaddr.js', new Set(['default'])]]);
  const add = (module, name) => used.set(module, (used.get(module) ?? new Set()).add(name));
  for (const module of modules) {
    const text = await readFile(join(root, 'src', module), 'utf8');
    for (const [, names, path] of text.matchAll(/^(?:import|export) \{([^}]*)\} from '(\.[^']*)'/gm))
      for (const name of names.split(',').map((part) => part.trim().split(' as ')[0]))
        if (name !== '' && !name.startsWith('type ')) add(posix.join(posix.dirname(module), path), name);
    if (text.includes("import * as z from 'zod'"))
      for (const [, name] of text.matchAll(/\bz\s*\.(\w+)/g)) if (name in zod && name !== 'core') add('zod', name);
  }
  return used;
}

/** The importing module and the imported one, or package; undefined where neither of the two files is meant. */
function importOf(root, { path, importer, kind }) {
  const by = relative(join(root, 'src'), importer).replaceAll('\\', '/');
  // Not a module of ours: what gathers them, or a package.
  if (kind === 'entry-point' || by === '' || by.startsWith('..')) return undefined;
  const name = packages.includes(path) ? path : posix.join(posix.dirname(by), path);
  return ofSkins.test(name) || ofWebviews.test(name) ? undefined : { by, name };
}

/** What skins import of the engine, without looking into it. */
const leaveOut = (root) => ({
  name: 'leave-out-engine',
  setup(build) {
    build.onResolve({ filter: ours }, (args) => {
      const { name } = importOf(root, args) ?? {};
      return name && { path: name, namespace: taken };
    });
    build.onLoad({ filter: /.*/, namespace: taken }, () => ({ contents: 'module.exports = {};' }));
  },
});

/** What skins import of the engine is taken from its files, and what `engine.cjs` shares with them from `shared.cjs`. */
const takeFrom = (root, { late, exported, shared, names }) => ({
  name: 'take-from-engine',
  setup(build) {
    const order = [...names.keys()];
    build.onResolve({ filter: ours }, (args) => {
      const { by, name } = importOf(root, args) ?? {};
      if (name === undefined || shared.has(by)) return undefined;
      if (names.has(name) || (ofSkins.test(by) && late.includes(name))) return { path: name, namespace: taken };
      return ofSkins.test(by)
        ? { errors: [{ text: `${name} is new to the skins: begin the build anew.` }] }
        : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: taken }, ({ path }) => ({
      contents: names.has(path)
        ? sharedImport(names.get(path), order.indexOf(path)).join('\n')
        : lateImport(exported.get(path), path),
    }));
    build.onResolve({ filter: /^\.\/(shared|engine)\.cjs$/, namespace: taken }, ({ path }) => ({
      path,
      external: true,
    }));
  },
});
