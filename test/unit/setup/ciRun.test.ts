/** Runs `.ci/run` over an `npm` that says what the test wants. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'mocha';
import { scratchFolder } from '../../fakes/scratch.ts';
import { repositoryRoot } from '../../setup/paths.ts';

describe('.ci/run', () => {
  const folder = scratchFolder();

  const cases: readonly (readonly [string, Project, readonly string[], number])[] = [
    [
      'counts the check as one more test',
      { test: ['7 passed, 0 failed'] },
      ['8 passed, 0 failed'],
      0,
    ],
    [
      'names what passed only in a second run, on the line before the last',
      { test: ['1 unsteady: a.test.ts › once', '7 passed, 0 failed'] },
      ['1 unsteady: a.test.ts › once', '8 passed, 0 failed'],
      0,
    ],
    [
      'fails with the tests',
      { test: ['6 passed, 1 failed'], status: 1 },
      ['7 passed, 1 failed'],
      1,
    ],
    ['fails without a summary', { test: ['all is well'] }, ['1 passed, 1 failed'], 1],
    [
      'fails with a bad end of good tests',
      { test: ['7 passed, 0 failed'], status: 1 },
      ['8 passed, 1 failed'],
      1,
    ],
    ['fails with the check', { test: ['7 passed, 0 failed'], check: 1 }, ['7 passed, 1 failed'], 1],
    [
      'fails without the packages',
      { test: ['7 passed, 0 failed'], install: 1 },
      ['0 passed, 1 failed'],
      1,
    ],
  ];
  for (const [what, project, lastLines, code] of cases) {
    it(what, () => {
      const { status, stdout } = run(project);
      assert.deepEqual(stdout.trimEnd().split('\n').slice(-lastLines.length), lastLines);
      assert.equal(status, code);
    });
  }

  interface Project {
    readonly test: readonly string[];
    readonly status?: number;
    readonly check?: number;
    readonly install?: number;
  }

  function run({ test, status = 0, check = 0, install = 0 }: Project) {
    const bin = join(folder(), 'bin');
    mkdirSync(bin);
    for (const path of ['node_modules/node/bin', 'test/setup'])
      mkdirSync(join(folder(), path), { recursive: true });
    symlinkSync('/bin/true', join(folder(), 'node_modules/node/bin/node'));
    cpSync(join(repositoryRoot, '.ci'), join(folder(), '.ci'), { recursive: true });
    const npm = `#!/bin/sh
      case $1 in
        ci) exit ${install} ;;
        run) echo "check of $2"; exit ${check} ;;
        test) printf '%s\\n' ${test.map((line) => `'${line}'`).join(' ')}; exit ${status} ;;
      esac`;
    writeFileSync(join(bin, 'npm'), npm);
    chmodSync(join(bin, 'npm'), 0o755);
    const env = { ...process.env, PATH: [bin, process.env['PATH']].join(delimiter) };
    return spawnSync('bash', ['.ci/run'], { cwd: folder(), env, encoding: 'utf8' });
  }
});
