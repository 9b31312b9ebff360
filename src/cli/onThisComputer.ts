/** Runs the command with the terminal, folders and environment of this computer. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../base/clock.ts';
import { toDisposable } from '../base/disposable.ts';
import { codeOf, messageOf } from '../base/errors.ts';
import { defaultHome } from '../compose/home.ts';
import { callbackPorts } from '../compose/callbackPorts.ts';
import { sshHosts } from '../compose/sshHosts.ts';
import { heliosVersion } from '../compose/version.ts';
import { runCli } from './cli.ts';
import { openBrowser } from './auth/openBrowser.ts';
import { exitCodes } from './cliDeps.ts';

// If the command runs from the sources and not from a build, the WebAssembly file is in the folder
// in which npm installed it.
const here = path.dirname(fileURLToPath(import.meta.url));
const isBuilt = existsSync(path.join(here, 'sql-wasm.wasm'));
const assetsFolder = isBuilt ? here : path.join(here, '../../node_modules/sql.js/dist');

/**
 * Error of a terminal that was closed. It may come before the signal SIGHUP, which ends the process
 * or hands the session over.
 */
const closedTerminal = 'EIO';

/** Runs the command, then ends the process. */
export function run(): void {
  process.stdin.on('error', (error) => {
    if (codeOf(error) !== closedTerminal) throw error;
  });
  process.stdout.on('error', (error) => {
    if (codeOf(error) === closedTerminal) return;
    // EPIPE: the program that reads the output has closed the pipe. That needs no message.
    if (codeOf(error) !== 'EPIPE')
      process.stderr.write(`helios: The output cannot be written: ${messageOf(error)}.\n`);
    process.exit(exitCodes.error);
  });

  void runCli(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    version: heliosVersion,
    defaultHome: defaultHome(),
    assetsFolder,
    homeFolder: homedir(),
    sshHosts: () => sshHosts(),
    createEngine: async (options) => (await import('../compose/engine.ts')).createEngine(options),
    callbackPorts,
    openBrowser,
    onInterrupt(listener) {
      process.on('SIGINT', listener);
      return toDisposable(() => process.off('SIGINT', listener));
    },
    backgroundFile: isBuilt
      ? path.join(here, 'background.cjs')
      : path.join(here, '../background/main.ts'),
    onHangUp(listener) {
      process.on('SIGHUP', listener);
      return toDisposable(() => process.off('SIGHUP', listener));
    },
    exit: (status) => process.exit(status),
  }).then((code) => {
    // Wait until output to a pipe is flushed, and one more turn of the event loop for errors of the
    // pipe. Then exit explicitly, because open handles would keep the process alive.
    process.stdout.write('', () => setImmediate(() => process.exit(code)));
  });
}
