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
  const audited: readonly (readonly [string, string, RegExp])[] = [
    [
      'prints what is known about the packages, and does not fail',
      'printf "found\\n2 unsteady: a\\n0 passed, 9 failed"; exit 1',
      /^npm audit: found\nnpm audit: 2 unsteady: a\nnpm audit: 0 passed, 9 failed\nnpm audit: exit code 1$/m,
    ],
    [
      'does not fail without a network',
      'echo "request failed" >&2; exit 1',
      /^npm audit: request failed\nnpm audit: exit code 1$/m,
    ],
    ['ends an audit that hangs', 'trap "" TERM; sleep 600', /^npm audit: exit code 1(?:24|37)$/m],
  ];
  for (const [what, audit, shown] of audited)
    it(what, () => {
      const { status, stdout } = run({
        test: ['1 unsteady: a.test.ts › once', '7 passed, 0 failed'],
        audit,
      });
      assert.match(stdout, shown);
      const lines = stdout.trimEnd().split('\n');
      assert.deepEqual(lines.slice(-2), ['1 unsteady: a.test.ts › once', '8 passed, 0 failed']);
      assert.ok(!stdout.includes('9 failed8'));
      assert.equal(status, 0);
    });

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
    /** Shell commands of `npm run audit`. */
    readonly audit?: string;
  }

  function run({ test, status = 0, check = 0, install = 0, audit = 'exit 0' }: Project) {
    const bin = join(folder(), 'bin');
    mkdirSync(bin);
    for (const path of ['node_modules/node/bin', 'test/setup'])
      mkdirSync(join(folder(), path), { recursive: true });
    symlinkSync('/bin/true', join(folder(), 'node_modules/node/bin/node'));
    cpSync(join(repositoryRoot, '.ci'), join(folder(), '.ci'), { recursive: true });
    const npm = `#!/bin/sh
      case "$*" in 'run --silent audit') ${audit} ;; esac
      case $1 in
        ci) exit ${install} ;;
        run) echo "check of $2"; exit ${check} ;;
        test) printf '%s\\n' ${test.map((line) => `'${line}'`).join(' ')}; exit ${status} ;;
      esac`;
    writeFileSync(join(bin, 'npm'), npm);
    chmodSync(join(bin, 'npm'), 0o755);
    const env = {
      ...process.env,
      PATH: [bin, process.env['PATH']].join(delimiter),
      HELIOS_AUDIT_SECONDS: '1',
    };
    return spawnSync('bash', ['.ci/run'], { cwd: folder(), env, encoding: 'utf8' });
  }
});
