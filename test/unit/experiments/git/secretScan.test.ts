import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { secretPatterns } from '../../../../src/experiments/git/leaveOut.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

/** Processor time of children is told in hundredths of a second. */
const tickMs = 50;

describe('the search for secrets', () => {
  const folder = scratchFolder();

  /** With the grep of Alpine, which tries a pattern anew at each place of a line. */
  function processorMs(kilobytes: number): number {
    const file = join(folder(), 'line');
    writeFileSync(file, `${'a'.repeat(kilobytes * 1000)}\n`);
    const search = 'busybox grep -q -E -e "$0" "$1"; times';
    const text = execFileSync('bash', ['-c', search, secretPatterns.join('\n'), file], {
      encoding: 'utf8',
    });
    const [, minutes, seconds] = /\n(\d+)m([\d.]+)s /.exec(text) ?? [];
    return (Number(minutes) * 60 + Number(seconds)) * 1000;
  }

  it('takes time in proportion to the length of a line', () => {
    const some = Math.min(processorMs(10), processorMs(10));
    const all = processorMs(80);
    assert.ok(all < 32 * some + tickMs, `${all} ms, and ${some} ms for an eighth of it`);
  });
});
