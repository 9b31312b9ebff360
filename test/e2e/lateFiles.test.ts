import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { before, describe, it } from 'mocha';
import { nodeBundles } from '../../src/build/nodeBundles.ts';
import { isLong } from '../setup/needs.ts';
import { repositoryRoot } from '../setup/paths.ts';

/** Tests that reach as far into each package as Helios does. */
const tests = [
  ...['anthropic', 'bedrock', 'claudeCliContract', 'gemini', 'openaiResponses'].map(
    (name) => `models/${name}`,
  ),
  ...['http/network', 'notify/email', 'web/fetchPage', 'web/proxy'],
];

/**
 * Each test of `claude-cli` starts the real program. Its failures take the way of its answers
 * through the package, and are tested as npm installs it; one answer and one request show that way.
 */
const ofClaude = isLong
  ? '(?!fails as data|makes anew)'
  : '(?:answers streams text|asks with the whole)';
const grep = `^(?!.*claude-cli keeps the contract of a provider (?!${ofClaude}))`;

const folder = join(repositoryRoot, 'dist-test/packages');

/**
 * Bundles are made of these tests as they are made of the product; the reader of pages is the one
 * that ships.
 */
async function bundleTests(): Promise<readonly string[]> {
  await rm(folder, { recursive: true, force: true });
  const entryPoints = Object.fromEntries(
    tests.map((name) => [
      `${basename(name)}.test`,
      join(repositoryRoot, `test/unit/${name}.test.ts`),
    ]),
  );
  await esbuild.build(
    nodeBundles({ entryPoints, outdir: folder, isProduction: true, external: ['mocha'] }),
  );
  await copyFile(join(repositoryRoot, 'dist/pageWorker.mjs'), join(folder, 'pageWorker.mjs'));
  return (await readdir(folder))
    .filter((name) => name.endsWith('.test.cjs'))
    .map((name) => join(folder, name));
}

describe('packages as they ship, bundled,', () => {
  let files: readonly string[];

  before(async function () {
    this.timeout(120_000);
    files = await bundleTests();
  });

  it('do what they do as npm installs them', async function () {
    this.timeout(600_000);
    assert.equal(files.length, tests.length);
    const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
    const options = [
      ...['--no-config', '--timeout=120000', '--parallel', '--jobs=2', '--reporter=dot'],
      `--grep=${grep}`,
    ];
    await promisify(execFile)(process.execPath, [mocha, ...options, ...files], {
      ...{ cwd: repositoryRoot, maxBuffer: 1 << 26 },
    }).catch((error: unknown) => {
      const { stdout = '' } = error as { readonly stdout?: string };
      throw new Error(`As bundles:\n${stdout}`, { cause: error });
    });
  });
});
