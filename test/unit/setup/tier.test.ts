/** What is said of a tier whose tests fail once, or each time. */
import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { scratchFolder } from '../../fakes/scratch.ts';
import { repositoryRoot } from '../../setup/paths.ts';
import { runTier, unsteadyLine, type TierResult } from '../../setup/tier.ts';

const good = "it('good', () => {});";
const bad = "it('bad', () => { throw new Error('Timeout of 60000ms exceeded.\\nluck'); });";
const once = (name: string): string => `import { existsSync, writeFileSync } from 'node:fs';
  it('good too', () => {});
  it('once', () => {
    if (existsSync('${name}')) return;
    writeFileSync('${name}', '');
    throw new Error('Not within 40 s: it prints');
  });`;

describe('tier', () => {
  const folder = scratchFolder();

  it('runs what failed once more, alone, and tells what passed then', async () => {
    const result = await planted(
      { 'a.test.ts': good, 'b.test.ts': once('b'), 'c.test.ts': once('c') },
      true,
    );
    assert.deepEqual(
      { passed: result.passed, failed: result.failed, failures: result.failures },
      { passed: 5, failed: 0, failures: [] },
    );
    assert.deepEqual(
      result.unsteady.toSorted((one, other) => (one.file ?? '').localeCompare(other.file ?? '')),
      ['b', 'c'].map((name) => ({
        file: `test/${name}.test.ts`,
        test: 'once',
        why: 'Not within 40 s: it prints',
        isLate: true,
      })),
    );
    assert.match(
      unsteadyLine(result.unsteady),
      /^2 unsteady: test\/[bc]\.test\.ts › once; test\/[bc]\.test\.ts › once$/,
    );
  });

  it('counts the tests of a suite that could begin only the second time', async () => {
    const late = `import { existsSync, writeFileSync } from 'node:fs';
      describe('server', () => {
        before(() => { if (!existsSync('up')) { writeFileSync('up', ''); throw new Error('Never came true: it listens'); } });
        after(() => { if (!existsSync('twice')) { writeFileSync('twice', ''); throw new Error('locator.click: Timeout 60000ms exceeded.'); } });
        it('one', () => {}); it('two', () => {}); it('three', () => {});
      });`;
    const { passed, failed, unsteady } = await planted(
      { 'a.test.ts': good, 'b.test.ts': late },
      true,
    );
    assert.deepEqual([passed, failed, unsteady.length], [4, 0, 2]);
  });

  it('fails when anything fails again', async () => {
    const result = await planted({ 'a.test.ts': once('a'), 'b.test.ts': bad }, true);
    assert.deepEqual(
      { passed: result.passed, failed: result.failed, unsteady: result.unsteady },
      { passed: 1, failed: 2, unsteady: [] },
    );
    assert.ok(
      result.failures.some(
        ({ file, test, why }) =>
          file === 'test/b.test.ts' &&
          test === 'bad' &&
          why.startsWith('Timeout of 60000ms exceeded.'),
      ),
    );
  });

  it('gives no second try to what was found to be wrong', async () => {
    const wrong = once('a').replace(
      "new Error('Not within 40 s: it prints')",
      "new Error('2 runs, not 1')",
    );
    const { failed, unsteady } = await planted(
      { 'a.test.ts': wrong, 'b.test.ts': once('b') },
      true,
    );
    assert.deepEqual([failed, unsteady], [2, []]);
  });

  it('gives no second try where none is wanted', async () => {
    const result = await planted({ 'a.test.ts': once('a') }, false);
    assert.deepEqual(
      { failed: result.failed, unsteady: result.unsteady },
      { failed: 1, unsteady: [] },
    );
  });

  it('gives no second try to many files', async () => {
    const result = await planted(
      Object.fromEntries([1, 2, 3, 4].map((n) => [`${n}.test.ts`, once(String(n))])),
      true,
    );
    assert.equal(result.failed, 4);
  });

  it('fails when there is no test, and when the run ends badly', async () => {
    assert.equal((await planted({}, true)).failed, 1);
    assert.equal(
      (await planted({ 'a.test.ts': good, 'b.test.ts': 'process.kill(process.pid);' }, true))
        .failed,
      1,
    );
  });

  /** These files as a tier of a project of its own. */
  async function planted(
    files: Readonly<Record<string, string>>,
    hasSettings: boolean,
  ): Promise<TierResult> {
    const root = join(folder(), String(Math.random()));
    const scratch = join(root, 'scratch');
    for (const path of ['test', 'scratch', 'node_modules'])
      await mkdir(join(root, path), { recursive: true });
    await symlink(join(repositoryRoot, 'node_modules/mocha'), join(root, 'node_modules/mocha'));
    await writeFile(
      join(root, 'package.json'),
      JSON.stringify({ scripts: { 'test:it': 'mocha --config mocha.json' } }),
    );
    const reporter = join(repositoryRoot, 'test/setup/reporter.mjs');
    await writeFile(
      join(root, 'mocha.json'),
      JSON.stringify({ spec: ['test/*.test.ts'], reporter }),
    );
    for (const [name, source] of Object.entries(files))
      await writeFile(join(root, 'test', name), source);
    const tier = {
      script: 'test:it',
      limitMinutes: 1,
      isBeside: true,
      ...(hasSettings && { settings: 'mocha.json' }),
    } as const;
    return runTier(tier, { root, scratch, log: () => undefined });
  }
});
