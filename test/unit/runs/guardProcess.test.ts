import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { supervisorScript } from '../../../src/runs/supervisorScript.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('the process that guards the time limit of a run', () => {
  const folder = scratchFolder();

  // As on a busy computer: the command has ended before the guard has run at all.
  const atOnce = supervisorScript.replace(
    'command_of_run() {',
    'command_of_run() { exit 3; }\nunused() {',
  );

  /** Resolves with the exit code of the supervisor; with its signal where it never ends. */
  async function codeOf(shell: readonly string[], name: string): Promise<number | string> {
    const run = join(folder(), 'runs', name);
    mkdirSync(run, { recursive: true });
    writeFileSync(join(run, 'terms'), '');
    writeFileSync(join(run, 'capsule.sh'), atOnce);
    const [program = '', ...argv] = [...shell, join(run, 'capsule.sh'), 'start'];
    const child = spawn(program, argv, {
      stdio: 'ignore',
      timeout: 100_000,
      killSignal: 'SIGKILL',
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return code ?? signal ?? '';
  }

  for (const shell of [['/bin/sh'], ['/bin/bash', '--posix']]) {
    it(`ends with a run that ends at once (${shell.join(' ')})`, async () => {
      const names = Array.from({ length: 40 }, (_, index) => `${shell.length}-${index}`);
      for (const name of names) assert.equal(await codeOf(shell, name), 3, name);
      const exit = readFileSync(join(folder(), 'runs', `${shell.length}-0`, 'exit'), 'utf8');
      assert.match(exit, /^code=3\n/);
    });
  }
});
