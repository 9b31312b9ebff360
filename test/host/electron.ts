/**
 * The host suite in a desktop VS Code, which is downloaded: for people on a machine with internet.
 */
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { repositoryRoot } from '../setup/paths.ts';

process.exitCode = await runTests({
  extensionDevelopmentPath: repositoryRoot,
  extensionTestsPath: join(repositoryRoot, 'dist-test/host/index.cjs'),
  launchArgs: ['--disable-extensions', '--profile-temp'],
});
