/**
 * What goes wrong in a tier as it is configured: its counts must never look better than the run
 * was.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { scratchFolder } from '../../fakes/scratch.ts';
import { repositoryRoot } from '../../setup/paths.ts';
import type { Counts } from '../../setup/reporter.ts';

const twoGood = "describe('good', () => { it('one', () => {}); it('two', () => {}); });";

/** As many, but over only when the worker of the other file is gone. */
const twoPatient = `import { existsSync, readFileSync } from 'node:fs';
  describe('good', () => {
    it('one', () => {});
    it('two', async () => { while (!gone()) await new Promise((resolve) => setTimeout(resolve, 5)); });
  });
  function gone() {
    try {
      return existsSync('worker') && process.kill(Number(readFileSync('worker', 'utf8')), 0) !== true;
    } catch (error) {
      return error.code === 'ESRCH';
    }
  }`;

interface Planted {
  readonly what: string;
  readonly source: string;
  /** The good file, where it must be another. */
  readonly beside?: string;
  /** Beside the two of the good file. */
  readonly passed: number;
  readonly failed: number;
  readonly printed: RegExp;
}

const troubles: readonly Planted[] = [
  {
    what: 'a suite that breaks before its tests',
    source:
      "describe('s', () => { before(() => { throw new Error('too early'); }); it('a', () => {}); it('b', () => {}); });",
    passed: 0,
    failed: 1,
    printed: /"before all" hook for "a"[^]*too early/,
  },
  {
    what: 'a suite that breaks after its tests',
    source:
      "describe('s', () => { after(() => { throw new Error('too late'); }); it('a', () => {}); });",
    passed: 1,
    failed: 1,
    printed: /"after all" hook for "a"[^]*too late/,
  },
  {
    what: 'a file that cannot be loaded',
    source: "import './nowhere.ts';",
    passed: 0,
    failed: 1,
    printed: /planted\.test\.ts did not run to its end[^]*nowhere/,
  },
  {
    what: 'a worker that dies in the middle',
    source:
      "describe('s', () => { it('a', () => {}); it('b', () => { process.kill(process.pid, 'SIGKILL'); }); });",
    passed: 0,
    failed: 1,
    printed: /planted\.test\.ts did not run to its end[^]*SIGKILL/,
  },
  {
    what: 'a test that ends the process as if all were well',
    source: "describe('s', () => { it('a', () => {}); it('b', () => { process.exit(0); }); });",
    passed: 0,
    failed: 1,
    printed: /planted\.test\.ts did not run to its end/,
  },
  {
    what: 'something thrown after its file was over',
    beside: twoPatient,
    source: `import { renameSync, writeFileSync } from 'node:fs';
      describe('s', () => {
        it('a', () => {
          writeFileSync('worker.part', String(process.pid));
          renameSync('worker.part', 'worker');
          setTimeout(() => { throw new Error('long after'); }, 100);
        });
      });`,
    passed: 1,
    failed: 1,
    printed: /long after[^]*The run broke off before its end/,
  },
  {
    what: 'one test alone',
    source: "describe('s', () => { it.only('a', () => {}); it('b', () => {}); });",
    passed: 0,
    failed: 1,
    printed: /planted\.test\.ts did not run to its end[^]*\.only/,
  },
  {
    what: 'a test that is left out',
    source: "describe('s', () => { it.skip('a', () => {}); it('b', () => {}); });",
    passed: 1,
    failed: 1,
    printed: /Pending test forbidden/,
  },
  {
    what: 'what cannot be sent from a worker',
    source: `describe('s', () => {
      it('a', () => { const ring = { big: 1n, say() {} }; ring.self = ring; throw Object.assign(new Error('round'), { ring, actual: 2n }); });
      it('b', () => {});
    });`,
    passed: 0,
    failed: 1,
    printed: /planted\.test\.ts did not run to its end[^]*BigInt/,
  },
];

describe('the counts of the unit tier', () => {
  const folder = scratchFolder();

  it('are those of all files', async () => {
    const { code, counts } = await tierOf({ 'good.test.ts': twoGood, 'planted.test.ts': twoGood });
    assert.deepEqual(
      { code, counts },
      {
        code: 0,
        counts: {
          passed: 4,
          failed: 0,
          pending: 0,
          notRunHere: 0,
          failures: [],
          passedIn: { 'test/unit/good.test.ts': 2, 'test/unit/planted.test.ts': 2 },
        },
      },
    );
  });

  it('count apart what needs another system', async () => {
    const { code, counts } = await tierOf({
      'good.test.ts': twoGood,
      'planted.test.ts': `describe('s', () => { it('x [not run here: needs linux]', () => {}); });`,
    });
    assert.deepEqual([code, counts?.passed, counts?.failed, counts?.notRunHere], [0, 2, 0, 1]);
  });

  it('come with what failed and why, and whether it only waited in vain', async () => {
    const { counts } = await tierOf({
      'planted.test.ts': `describe('s', () => {
        it('slow', function () { this.timeout(20); return new Promise(() => {}); });
        it('hidden', () => { throw new Error('locator.click: Timeout 60000ms exceeded.\\nCall log:'); });
        it('doubled', () => { throw new Error('2 runs, not 1'); });
      });`,
      'good.test.ts': twoGood,
    });
    const file = 'test/unit/planted.test.ts';
    const [slow, ...others] = counts?.failures ?? [];
    assert.match(slow?.why ?? '', /^Timeout of 20ms exceeded/);
    assert.deepEqual(
      [{ ...slow, why: '' }, ...others],
      [
        { file, test: 's slow', why: '', isLate: true },
        {
          file,
          test: 's hidden',
          why: 'locator.click: Timeout 60000ms exceeded. Call log:',
          isLate: true,
        },
        { file, test: 's doubled', why: '2 runs, not 1' },
      ],
    );
  });

  for (const { what, source, beside = twoGood, passed, failed, printed } of troubles) {
    it(`tell of ${what}`, async () => {
      const { code, counts, output } = await tierOf({
        'good.test.ts': beside,
        'planted.test.ts': source,
      });
      assert.match(output, printed);
      assert.deepEqual(
        { passed: counts?.passed, failed: counts?.failed },
        { passed: passed + 2, failed },
      );
      assert.equal(counts?.failures.length, failed);
      assert.notEqual(code, 0);
    });
  }

  /** These files as the unit tier runs its own, in a folder that looks like the repository. */
  async function tierOf(
    files: Readonly<Record<string, string>>,
  ): Promise<{ code: number | null; counts?: Counts; output: string }> {
    mkdirSync(join(folder(), 'test/unit'), { recursive: true });
    symlinkSync(join(repositoryRoot, 'test/setup'), join(folder(), 'test/setup'));
    for (const [name, source] of Object.entries(files))
      writeFileSync(join(folder(), 'test/unit', name), source);
    const countsFile = join(folder(), 'counts.json');
    const mocha = join(repositoryRoot, 'node_modules/mocha/bin/mocha.js');
    const child = spawn(
      process.execPath,
      [mocha, '--config', join(repositoryRoot, 'test/unit/.mocharc.json')],
      {
        cwd: folder(),
        env: { PATH: process.env['PATH'], HELIOS_TEST_COUNTS: countsFile },
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return {
      code,
      output,
      ...(existsSync(countsFile) && {
        counts: JSON.parse(readFileSync(countsFile, 'utf8')) as Counts,
      }),
    };
  }
});
