/**
 * `npm test` on a fresh clone with any Node from 20 on: installs the packages when they are missing or other than the
 * lock file says, then runs every tier on the project's own Node. Plain JavaScript without packages, for that reason.
 * `--long` runs the long form of the tests (`needs.ts`).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const windows = process.platform === 'win32';
const projectNode = join(root, 'node_modules/node/bin', windows ? 'node.exe' : 'node');

if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(
    `Node ${process.versions.node} is too old: npm needs Node 20 or newer to install the packages.`,
  );
}
if (!packagesAreInstalled()) {
  console.log('Installing the packages (npm ci)');
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: windows,
  });
  if (status !== 0) fail('npm ci failed. It needs an npm registry; its own message is above.');
}
if (!existsSync(projectNode)) {
  fail(
    'The package `node` has brought no Node: its install script was not run. Run: npm rebuild node',
  );
}
if (process.argv.includes('--long')) process.env.HELIOS_LONG = '1';
const tiers = spawnSync(projectNode, [join(root, 'test/setup/tiers.ts')], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(tiers.status ?? 1);

/** Whether node_modules holds, version for version, what the lock file asks for on this platform. */
function packagesAreInstalled() {
  const installed = readPackages('node_modules/.package-lock.json');
  if (!installed || !existsSync(projectNode)) return false;
  return Object.entries(readPackages('package-lock.json') ?? {}).every(([path, wanted]) => {
    if (path === '') return true;
    const present = installed[path];
    return present ? present.version === wanted.version : wanted.optional === true;
  });
}

function readPackages(path) {
  if (!existsSync(join(root, path))) return undefined;
  return JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
}

function fail(message) {
  console.error(message);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
