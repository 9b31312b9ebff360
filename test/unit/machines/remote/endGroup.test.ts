import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { endGroupScript } from '../../../../src/machines/remote/remoteCommand.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';

describe('the script that ends a process group', () => {
  const folder = scratchFolder();

  it('never gives a kill that is a program a group that it may take for an option', () => {
    const kill = join(folder(), 'kill');
    const calls = join(folder(), 'calls');
    writeFileSync(kill, `#!/bin/sh\necho "$*" >>'${calls}'; exit 1\n`);
    chmodSync(kill, 0o755);
    const script = `enable -n kill; PATH='${folder()}':$PATH\n${endGroupScript(4_100_000, 0)}`;
    execFileSync('bash', ['-c', script]);
    const lines = readFileSync(calls, 'utf8').trim().split('\n');
    assert.deepEqual(lines, ['-s TERM -- -4100000', '-s 0 -- -4100000', '-s KILL -- -4100000']);
  });
});
