/** Where the tests find and put what does not belong to the working tree. */
import { join, resolve } from 'node:path';

export const repositoryRoot = resolve(import.meta.dirname, '../..');

/**
 * Downloads that outlast a run of the tests. `HELIOS_TEST_CACHE` moves it, so that several clones
 * share one.
 */
export const cacheFolder = resolve(
  process.env['HELIOS_TEST_CACHE'] ?? join(repositoryRoot, '.test'),
);

/** Pictures, logs and the package that a run of the tests leaves for a user to look at. */
export const outFolder = join(repositoryRoot, 'out');

export const packagePath = join(outFolder, 'helios.vsix');

/** A home of VS Code in which the package is installed; a new package removes it. */
export const installedFolder = join(outFolder, 'installed');

/** The environment of a process for which the product has been built and packed already. */
export const whenBuilt = { HELIOS_TEST_BUILT: repositoryRoot } as const;

/** True if `dist` and the package are made already: whoever needs them builds nothing then. */
export const isBuilt = (): boolean =>
  process.env['HELIOS_TEST_BUILT'] === whenBuilt.HELIOS_TEST_BUILT;

/** Returns the file of a program of the product: the built one, which starts faster, if it exists. */
export const programFile = (name: 'background' | 'cli'): string =>
  join(repositoryRoot, isBuilt() ? `dist/${name}.cjs` : `src/${name}/main.ts`);

/** Returns the module of the engine: the built one, which loads faster, if it exists. */
export const engineFile = (): string =>
  join(repositoryRoot, isBuilt() ? 'dist/engine.cjs' : 'src/compose/engine.ts');
