/**
 * Starts a real VS Code for the host and end-to-end tests, with its own home, settings and
 * extensions.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from './command.ts';
import { installCodeServer } from './installCodeServer.ts';
import { installedFolder, packagePath } from './paths.ts';
import { processesWithVariable, signalProcess } from './processes.ts';

export interface VsCodeOptions {
  /** The workspace folder, absolute. */
  readonly folder: string;
  /** User settings, beside those that keep a new VS Code quiet. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /**
   * A VSIX to install before the start, or the folder of an extension to load as one in
   * development.
   */
  readonly extensionVsix?: string;
  readonly extensionDevelopmentPath?: string;
  /** Folders of further extensions, which are installed as they are. */
  readonly otherExtensions?: readonly string[];
  /** A CommonJS module whose `run()` is the test suite; it runs as soon as the page is opened. */
  readonly extensionTestsPath?: string;
  /**
   * For the server and its extension hosts. `HOME` and `HELIOS_HOME` are folders of this VS Code
   * unless named here.
   */
  readonly env?: Readonly<Record<string, string>>;
}

export interface VsCode {
  /** The page to open in a browser: another one after a restart. */
  readonly url: string;
  /** Where `~/.helios` would be. */
  readonly heliosHome: string;
  readonly extensionsFolder: string;
  /** What the server has printed. */
  log(): string;
  /**
   * The extension hosts that live now, the newest last. A reloaded window leaves its old one for a
   * while.
   */
  extensionHostPids(): readonly number[];
  /** Ends the server and its extension hosts as a power cut would; what these started goes on. */
  kill(): Promise<void>;
  /** Starts a server again with all that the one before has kept. */
  restart(): Promise<void>;
  /**
   * Ends the server and everything it started, also what went into a process group of its own, and
   * its folders.
   */
  dispose(): Promise<void>;
}

const marker = 'HELIOS_TEST_VSCODE';
const startLimitMs = 60_000;

const quietSettings = {
  'security.workspace.trust.enabled': false,
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'window.confirmBeforeClose': 'never',
  // In a window that is still being drawn, views take the focus when nobody expects it.
  'workbench.quickOpen.closeOnFocusLost': false,
};

export async function startVsCode(options: VsCodeOptions): Promise<VsCode> {
  if (process.platform !== 'linux') {
    throw new Error(
      'This VS Code server runs on Linux. Elsewhere, run the host suite with: npm run test:electron',
    );
  }
  const entry = await installCodeServer();
  const root = await mkdtemp(join(tmpdir(), 'vscode-server-'));
  const id = randomUUID();
  const heliosHome = join(root, 'home/.helios');
  const extensionsFolder = join(root, 'extensions');
  const dispose = async (): Promise<void> => {
    await endProcesses(id);
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    // Settings of the scope `machine` apply from the second file only.
    for (const file of ['data/User/settings.json', 'data/Machine/settings.json'])
      await writeSettings(join(root, file), options.settings ?? {});
    const args = [entry, '--server-data-dir', root, '--extensions-dir', extensionsFolder];
    const env = {
      ...serverEnvironment(root),
      HELIOS_HOME: heliosHome,
      ...options.env,
      [marker]: id,
    };
    await mkdir(env.HOME, { recursive: true });
    for (const folder of options.otherExtensions ?? [])
      await cp(folder, join(extensionsFolder, basename(folder)), { recursive: true });
    if (options.extensionVsix) await installExtension(options.extensionVsix, root);
    const start = (): Promise<{ port: number; log: () => string }> =>
      listening(
        spawn(process.execPath, [...args, ...serverFlags(options)], {
          env,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
      );
    let server = await start();
    return {
      get url() {
        return pageUrl(server.port, options);
      },
      heliosHome,
      extensionsFolder,
      log: () => server.log(),
      extensionHostPids: () => extensionHosts(id),
      kill: () => killServer(id, dirname(entry)),
      async restart() {
        server = await start();
      },
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Installs a VSIX as VS Code does, into the folder `extensions` below `root`. */
async function installExtension(vsix: string, root: string): Promise<void> {
  const entry = await installCodeServer();
  const folders = ['--server-data-dir', root, '--extensions-dir', join(root, 'extensions')];
  const env = serverEnvironment(root);
  await mkdir(env.HOME, { recursive: true });
  await run(process.execPath, [entry, ...folders, '--install-extension', vsix], { env });
}

/**
 * Returns the folder of the installed package, for `otherExtensions`. The first call after a build installs
 * it, because an installation takes longer than the start of a window.
 */
export async function installedPackage(): Promise<string> {
  const folder = join(installedFolder, 'extensions');
  if (!existsSync(folder)) await installPackage();
  const name = (await readdir(folder)).find((each) => each.startsWith('helios.'));
  if (name === undefined) throw new Error(`${packagePath} was not installed into ${folder}.`);
  return join(folder, name);
}

async function installPackage(): Promise<void> {
  const unfinished = await mkdtemp(`${installedFolder}-`);
  try {
    await installExtension(packagePath, unfinished);
    await rename(unfinished, installedFolder);
  } catch (error) {
    // Another worker may have installed it meanwhile.
    if (!existsSync(installedFolder)) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

function serverFlags(options: VsCodeOptions): readonly string[] {
  const always = [
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--without-connection-token',
    '--accept-server-license-terms',
  ];
  // The page's payload is honoured only with the driver, which hides notifications: not for an
  // installed extension.
  const driver = hasPayload(options) ? ['--enable-smoke-test-driver'] : [];
  return [...always, ...driver, '--telemetry-level', 'off'];
}

function hasPayload(options: VsCodeOptions): boolean {
  return options.extensionDevelopmentPath !== undefined || options.extensionTestsPath !== undefined;
}

function pageUrl(port: number, options: VsCodeOptions): string {
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${port}${path}`;
  const payload: [string, string][] = [['skipWelcome', 'true']];
  if (options.extensionDevelopmentPath) {
    payload.push(['extensionDevelopmentPath', remote(options.extensionDevelopmentPath)]);
  }
  if (options.extensionTestsPath)
    payload.push(['extensionTestsPath', remote(options.extensionTestsPath)]);
  const query = new URLSearchParams({ folder: options.folder });
  if (hasPayload(options)) query.set('payload', JSON.stringify(payload));
  return `http://127.0.0.1:${port}/?${query.toString()}`;
}

/**
 * Ours without what would tie the server to a VS Code or npm that runs these tests, and with our
 * Node first.
 */
function serverEnvironment(root: string): NodeJS.ProcessEnv & { HOME: string } {
  const foreign = /^(VSCODE_|ELECTRON_|npm_|NODE_OPTIONS|HELIOS_|ANTHROPIC_|OPENAI_)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return { ...Object.fromEntries(kept), PATH: path, HOME: join(root, 'home') };
}

/** The server reads them once: VS Code in a browser does not watch the file. */
async function writeSettings(path: string, own: Readonly<Record<string, unknown>>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify({ ...quietSettings, ...own }, undefined, 2));
}

/** Resolves when the server says on which port it listens. */
async function listening(server: ChildProcess): Promise<{ port: number; log: () => string }> {
  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    const fail = (what: string): void =>
      reject(new Error(`The VS Code server ${what}:\n${output.slice(-4000)}`));
    const limit = setTimeout(
      () => fail(`did not listen within ${startLimitMs / 1000} s`),
      startLimitMs,
    );
    for (const stream of [server.stdout, server.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const bound = /Extension host agent listening on (\d+)/.exec(output);
        if (!bound) return;
        clearTimeout(limit);
        resolve(Number(bound[1]));
      });
    }
    server.once('error', (error) => fail(`could not be started (${error.message})`));
    server.once('exit', (code) => fail(`ended with ${code}`));
  });
  return { port, log: () => output };
}

function extensionHosts(id: string): readonly number[] {
  return processesWithVariable(marker, id)
    .filter((entry) => entry.commandLine.includes('--type=extensionHost'))
    .sort((a, b) => a.startTicks - b.startTicks)
    .map((entry) => entry.pid);
}

/** Those that run a file of VS Code's own: the server, its extension hosts, its watchers. */
async function killServer(id: string, codeFolder: string): Promise<void> {
  const alive = () =>
    processesWithVariable(marker, id).filter(({ commandLine }) => commandLine.includes(codeFolder));
  for (let tries = 0; tries < 50; tries += 1) {
    const left = alive();
    if (left.length === 0) return;
    for (const { pid } of left) signalProcess(pid, 'SIGKILL');
    await delay(100);
  }
  throw new Error('The VS Code server does not die.');
}

/**
 * The variable is inherited, so it also finds what the extension started in process groups of its
 * own.
 */
async function endProcesses(id: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (let tries = 0; tries < 20; tries += 1) {
      const left = processesWithVariable(marker, id);
      if (left.length === 0) return;
      if (tries === 0 || signal === 'SIGKILL')
        for (const { pid } of left) signalProcess(pid, signal);
      await delay(100);
    }
  }
}
