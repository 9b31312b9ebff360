/** The two forms of the tests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { repositoryRoot } from '../../setup/paths.ts';

const file = JSON.stringify(join(repositoryRoot, 'test/setup/needs.ts'));
const script = `const { amountOf, isLong } = await import(${file}); console.log(isLong, amountOf('HELIOS_KILLS', 2, 8))`;

function said(env: Readonly<Record<string, string>>): string {
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: repositoryRoot,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    windowsHide: true,
  });
  return stdout.trim();
}

describe('the form of the tests', () => {
  it('is short, and long where it is asked for', () => {
    assert.deepEqual([said({}), said({ HELIOS_LONG: '1' })], ['false 2', 'true 8']);
  });

  it('gives way to a variable', () => {
    assert.equal(said({ HELIOS_LONG: '1', HELIOS_KILLS: '3' }), 'true 3');
  });
});
