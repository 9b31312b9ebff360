import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe } from 'mocha';
import { fileURLToPath } from 'node:url';
import { needs } from '../../../setup/needs.ts';

const script = fileURLToPath(new URL('../../../../src/machines/probes/say.sh', import.meta.url));

describe('answers of fragments that end at the same time', function () {
  this.timeout(60_000);
  for (const shell of ['bash', 'sh'])
    needs('posix')(`do not mix in ${shell}`, () => {
      const lines = [
        `say_word=word say_piece=3500 say_most=100000; . '${script}'`,
        'for n in 1 2 3 4 5 6 7 8 9 10; do',
        '  ( i=0; while [ "$i" -lt 20 ]; do say "$n" "$(printf \'a\\nb\\nc\')"; i=$((i+1)); done ) &',
        'done; wait',
      ];
      const text = execFileSync(shell, ['-c', lines.join('\n')], { encoding: 'utf8' });
      assert.equal(text.match(/\nword \d+\.\na\nb\nc(?=\nword|$)/g)?.length, 200);
    });
});
