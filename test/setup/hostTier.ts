/**
 * `npm run test:host`: builds, then runs the host suite inside a real VS Code and prints what mocha
 * printed there.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launchChromium } from './chromium.ts';
import { startVsCode } from './codeServer.ts';
import { run } from './command.ts';
import { isBuilt, repositoryRoot } from './paths.ts';
import type { Counts } from './reporter.ts';

const limitMs = 240_000;

const folder = await mkdtemp(join(tmpdir(), 'host-tier-'));
try {
  process.exitCode = (await hostTests(folder)) ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** True when every test passed. */
async function hostTests(scratch: string): Promise<boolean> {
  for (const args of [...(isBuilt() ? [] : [['esbuild.mjs']]), ['esbuild.mjs', '--tests']]) {
    await run(process.execPath, args, { cwd: repositoryRoot });
  }
  const countsFile = process.env['HELIOS_TEST_COUNTS'] ?? join(scratch, 'counts.json');
  const outputFile = join(scratch, 'output.txt');
  await using stack = new AsyncDisposableStack();
  const vscode = await startVsCode({
    folder: scratch,
    extensionDevelopmentPath: repositoryRoot,
    otherExtensions: [join(repositoryRoot, 'test/fixtures/labModels')],
    extensionTestsPath: join(repositoryRoot, 'dist-test/host/index.cjs'),
    env: { HELIOS_TEST_COUNTS: countsFile, HELIOS_TEST_OUTPUT: outputFile },
  });
  stack.defer(() => vscode.dispose());
  const browser = await launchChromium();
  stack.defer(() => browser.close());
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  const consoleLines: string[] = [];
  page.on('console', (message) => consoleLines.push(message.text()));
  await page.goto(vscode.url);
  const ended = await appears(countsFile);
  if (existsSync(outputFile)) console.log(await readFile(outputFile, 'utf8'));
  if (!ended) {
    console.error(
      `The host suite did not end within ${limitMs / 1000} s. The window's console ends with:`,
    );
    console.error(consoleLines.slice(-20).join('\n'));
    return false;
  }
  const counts = JSON.parse(await readFile(countsFile, 'utf8')) as Counts;
  return counts.failed === 0 && counts.passed > 0;
}

async function appears(path: string): Promise<boolean> {
  const endMs = performance.now() + limitMs;
  while (!existsSync(path)) {
    if (performance.now() > endMs) return false;
    await delay(100);
  }
  return true;
}
