import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, it } from 'mocha';
import { repositoryRoot } from '../setup/paths.ts';

/** Tests that reach as far into each package as Helios does. */
const tests = [
  ...['anthropic', 'bedrock', 'claudeCliContract', 'gemini', 'openaiResponses'].map((name) => `models/${name}`),
  ...['http/network', 'notify/email', 'web/fetchPage', 'web/proxy'],
];

const fromDist = fileURLToPath(import.meta.resolve('../setup/bundle/fromDist.mjs'));

describe('packages as they ship, without what is left out of them,', () => {
  it('do what they do when they are whole', async function () {
    this.timeout(600_000);
    const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));
    const files = tests.map((name) => join(repositoryRoot, `test/unit/${name}.test.ts`));
    await promisify(execFile)(
      process.execPath,
      [
        `--import=${fromDist}`,
        mocha,
        '--no-config',
        '--timeout=120000',
        '--parallel',
        '--jobs=2',
        '--reporter=dot',
        ...files,
      ],
      { cwd: repositoryRoot, maxBuffer: 1 << 26 },
    ).catch((error: unknown) => {
      throw new Error(`With what is in dist:\n${(error as { readonly stdout?: string }).stdout ?? ''}`, {
        cause: error,
      });
    });
  });
});
