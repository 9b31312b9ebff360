/**
 * `npm start`: installs, builds and runs Helios in a fresh clone. Plain JavaScript for Node 20 or
 * newer, because it runs before anything is installed.
 *   npm start                    the offline demo: no key, no network after the installation
 *   npm start -- "my goal"       a real goal in this folder, with the configured key
 * Options of `helios` may follow the `--`, too.
 */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const args = process.argv.slice(2);
const node = path.join(root, 'node_modules/.bin/node');
const lowestNode = 20;

process.exitCode = await start();

async function start() {
  const problem = missing();
  if (problem !== undefined) return refuse(problem);
  if (
    isStale() &&
    !step('Installing packages (npm ci) …', 'npm', [
      'ci',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ])
  )
    return refuse('The packages could not be installed. Check the network and the output above.');
  if (!step('Building …', node, ['esbuild.mjs'], 'quiet'))
    return refuse('The build failed. See the output above.');
  return isDemo() ? runDemo() : helios(args, process.env.INIT_CWD ?? process.cwd());
}

function missing() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < lowestNode)
    return `Node ${lowestNode} or newer is needed; this is ${process.versions.node}. See https://nodejs.org.`;
  const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });
  if (isDemo() && python.status !== 0)
    return 'python3 is needed for the training script of the demo. Install Python 3, or pass a goal: npm start -- "my goal".';
  return undefined;
}

/**
 * Returns whether to run the demo: without arguments, and without a model key in the environment.
 */
function isDemo() {
  return args.length === 0 && !process.env.ANTHROPIC_API_KEY && !process.env.OPENAI_API_KEY;
}

/**
 * Returns whether the installed packages are missing or older than the lock file. Compares the lock
 * file with the copy that npm writes after an installation.
 */
function isStale() {
  const installed = path.join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installed) || !existsSync(node)) return true;
  return statSync(installed).mtimeMs < statSync(path.join(root, 'package-lock.json')).mtimeMs;
}

function step(title, command, commandArgs, mode) {
  console.log(title);
  const { status, stdout, stderr } = spawnSync(command, commandArgs, {
    cwd: root,
    stdio: mode === 'quiet' ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    encoding: 'utf8',
    // On Windows, npm is a shell script.
    shell: process.platform === 'win32',
  });
  if (status !== 0 && mode === 'quiet') console.error(`${stdout}${stderr}`);
  return status === 0;
}

/** Runs the demo in a copy of its project, so that the clone stays unchanged. */
async function runDemo() {
  const parent = path.join(process.env.HELIOS_HOME ?? path.join(homedir(), '.helios'), 'demo');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(path.join(parent, 'demo-'));
  cpSync(path.join(root, 'media/demo'), folder, { recursive: true });
  const goal = readFileSync(path.join(folder, 'goal.txt'), 'utf8').trim();
  console.log(`The offline demo, in ${folder}: a scripted researcher, real training runs.\n`);
  return helios(['-P', 'demo', '--yes', goal], folder);
}

/**
 * Runs the command line in a child process, and resolves with its exit code. Ignores Ctrl+C in this
 * process, because the child process handles it.
 */
function helios(heliosArgs, cwd) {
  process.on('SIGINT', () => undefined);
  return new Promise((resolve) => {
    const child = spawn(node, [path.join(root, 'dist/cli.cjs'), ...heliosArgs], {
      cwd,
      stdio: 'inherit',
    });
    child.on('error', (error) => resolve(refuse(`Helios could not be started: ${error.message}`)));
    child.on('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
}

function refuse(problem) {
  console.error(`\n${problem}`);
  return 1;
}
