import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, it } from 'mocha';
import { scratchFolder } from '../../fakes/scratch.ts';
import { programFile } from '../../setup/paths.ts';

describe('the output of helios', () => {
  const folder = scratchFolder();
  const main = programFile('cli');

  for (const words of [['sessions'], ['--help']])
    it(`is not said to be written where the disk is full: ${words.join(' ')}`, function () {
      if (!existsSync('/dev/full')) this.skip();
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, [main, ...words], {
        env: { ...process.env, HELIOS_HOME: folder() },
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
      closeSync(full);
      assert.equal(status, 1);
      assert.match(stderr, /^helios: The output cannot be written: ENOSPC.*\.$/m);
    });
});
