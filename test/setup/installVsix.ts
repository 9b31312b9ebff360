/**
 * `npm run test:install`: installs `out/helios.vsix` as a user would, by `code --install-extension`,
 * in a desktop VS Code that is downloaded. With the path of another program, such as that of
 * code-server, uses that instead.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  downloadAndUnzipVSCode,
  resolveCliArgsFromVSCodeExecutablePath,
} from '@vscode/test-electron';
import { repositoryRoot } from './paths.ts';

const [own] = process.argv.slice(2);
const [program = '', ...args] =
  own === undefined
    ? resolveCliArgsFromVSCodeExecutablePath(await downloadAndUnzipVSCode('stable'))
    : [own];
const folder = mkdtempSync(join(tmpdir(), 'install-vsix-'));

/** Runs `code` with folders of its own, and returns what it printed. */
function code(...request: readonly string[]): string {
  const folders = [
    '--user-data-dir',
    join(folder, 'user'),
    '--extensions-dir',
    join(folder, 'ext'),
  ];
  const { status, stdout, stderr, error } = spawnSync(program, [...args, ...folders, ...request], {
    encoding: 'utf8',
    // The `code` of Windows is a batch file.
    shell: process.platform === 'win32',
  });
  if (status === 0) return stdout;
  throw new Error(`code ${request.join(' ')} failed: ${error?.message ?? stderr}`);
}

try {
  const { publisher, name, version } = JSON.parse(
    readFileSync(join(repositoryRoot, 'package.json'), 'utf8'),
  ) as Readonly<Record<'publisher' | 'name' | 'version', string>>;
  const wanted = `${publisher}.${name}@${version}`;
  code('--install-extension', join(repositoryRoot, 'out/helios.vsix'));
  const installed = code('--list-extensions', '--show-versions').split(/\s+/);
  if (!installed.includes(wanted))
    throw new Error(`${wanted} is not among the extensions: ${installed.join(' ')}`);
  console.log(`installed ${wanted}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
