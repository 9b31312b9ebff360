/**
 * A real VS Code without a desktop: the server that code-server publishes on npm, installed once
 * into the cache. Its native modules are not built; the integrated terminal is all that needs them.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import { cacheFolder } from './paths.ts';

const version = '4.139.1';

/**
 * The entry of the VS Code server; the first call on a machine takes about 20 s and needs an npm
 * registry.
 */
export async function installCodeServer(): Promise<string> {
  const home = join(cacheFolder, `code-server-${version}`);
  const entry = join(vscodeFolder(home), 'out/server-main.js');
  if (existsSync(entry)) return entry;
  await mkdir(cacheFolder, { recursive: true });
  const unfinished = await mkdtemp(join(cacheFolder, 'installing-'));
  try {
    await npmInstall(unfinished, [`code-server@${version}`, '--prefix', unfinished]);
    await npmInstall(vscodeFolder(unfinished), ['--omit=dev']);
    await npmInstall(join(vscodeFolder(unfinished), 'extensions'), ['--omit=dev']);
    await rename(unfinished, home);
  } catch (error) {
    if (!existsSync(entry)) {
      throw new Error(
        `VS Code could not be installed into ${home}. The tests need an npm registry for it once; ` +
          'HELIOS_TEST_CACHE may name a folder that already holds it.',
        { cause: error },
      );
    }
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return entry;
}

function vscodeFolder(home: string): string {
  return join(home, 'node_modules/code-server/lib/vscode');
}

async function npmInstall(cwd: string, args: readonly string[]): Promise<void> {
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...args, ...quiet], { cwd, env: withoutNpmSettings() });
}

/**
 * Under `npm test` the project's own npm settings are in the environment and would govern this
 * installation too.
 */
function withoutNpmSettings(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_(config_(?!registry|cafile)|package_|lifecycle_)/.test(name),
  );
  return Object.fromEntries(inherited);
}
