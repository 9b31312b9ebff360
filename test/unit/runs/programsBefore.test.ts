import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'mocha';
import { supervisorScript } from '../../../src/runs/supervisorScript.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { needs } from '../../setup/needs.ts';

/** Each writes its name before the program runs. */
const spied =
  'awk cat cut date find getconf grep head ln ls mkdir mkfifo mv nproc ps rm sed setsid sort tail touch tr uname wc';

describe('the programs that a run waits for', () => {
  const folder = scratchFolder();

  /** Returns the programs that the supervisor starts before the command. */
  function programsBefore(terms: string): string[] {
    const run = join(folder(), 'runs', 'r-1');
    const log = join(folder(), 'programs');
    mkdirSync(run, { recursive: true });
    const bin = join(folder(), 'bin');
    mkdirSync(bin);
    for (const name of spied.split(' '))
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\necho ${name} >>'${log}'\nPATH=/usr/bin:/bin exec ${name} "$@"\n`,
        { mode: 0o755 },
      );
    const script = supervisorScript
      .replace('\n', `\necho shell >>'${log}'\n`)
      .replace('PATH=/usr/bin:', `PATH=${bin}:/usr/bin:`);
    writeFileSync(join(run, 'capsule.sh'), script);
    writeFileSync(join(run, 'terms'), terms);
    writeFileSync(join(run, 'command.sh'), `echo command >>'${log}'\n`);
    const { status } = spawnSync('/bin/sh', [join(run, 'capsule.sh'), 'start'], {
      stdio: 'ignore',
      timeout: 100_000,
    });
    assert.equal(status, 0);
    const programs = readFileSync(log, 'utf8').trim().split('\n');
    return programs.slice(0, programs.indexOf('command'));
  }

  needs('linux')('are one shell, one for the time, and one for its session', () => {
    assert.deepEqual(programsBefore(''), ['shell', 'date', 'setsid']);
  });
});
