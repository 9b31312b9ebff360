import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../base/clock.ts';
import { toDisposable } from '../base/disposable.ts';
import { createEngine, defaultHome, heliosVersion } from '../compose.ts';
import { runCli } from './cli.ts';

// The reader of a pipe may leave at any time.
process.stdout.on('error', () => process.exit(1));

const code = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  version: heliosVersion,
  defaultHome: defaultHome(),
  assetsFolder: path.dirname(fileURLToPath(import.meta.url)),
  createEngine,
  onInterrupt(listener) {
    process.on('SIGINT', listener);
    return toDisposable(() => process.off('SIGINT', listener));
  },
  exit: (status) => process.exit(status),
});
// What was written to a pipe arrives first; nothing that is still open may hold the process.
process.stdout.write('', () => process.exit(code));
