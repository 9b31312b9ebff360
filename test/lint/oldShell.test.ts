/**
 * Scripts for machines parse in the shell of a Mac. The command substitution of bash 3.2 ends at the
 * first `)` without its `(`, also at that of `${x##*) }` and of `case`. So does that of posh.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'mocha';
import {
  eventFilesScript,
  filesScript,
  processesScript,
  watchedCommandScript,
} from '../../src/machines/probes/fragments.ts';
import { endGroupScript } from '../../src/machines/remote/remoteCommand.ts';
import { realPathScript } from '../../src/machines/realPath.ts';
import { diskScript, gpuScript, hostScript } from '../../src/machines/resources/sampleScript.ts';
import { environmentScript } from '../../src/tools/runs/environment.ts';
import { installOldTools } from '../setup/oldTools.ts';
import { repositoryRoot } from '../setup/paths.ts';

const shell = '/usr/bin/posh';

function problemOf(script: string): string {
  const { stderr } = spawnSync(shell, ['-n', '-c', script], { encoding: 'utf8' });
  return stderr.trim();
}

const fragments: Readonly<Record<string, string>> = {
  files: filesScript(["it's (a)", 'b']),
  'event files': eventFilesScript('/logs (1)'),
  processes: processesScript([1], ['a.*(b|c)']),
  'a command': watchedCommandScript('case $x in a) echo "(" ;; esac', '/work (1)'),
  host: hostScript,
  gpus: gpuScript,
  'a real path': realPathScript,
  disks: diskScript(['/a (b', '/c']),
};

const scripts: Readonly<Record<string, string>> = {
  'the end of a group': endGroupScript(7, 500),
  'the environment of a run': environmentScript({
    repo: '/r',
    python: 'py',
    git: 'git',
    mark: 'm',
  }),
};

describe('the shell of a Mac', () => {
  before(async () => {
    if (!existsSync(shell)) await installOldTools();
  });

  it('is like this one: a command substitution ends at the first ")" without its "("', () => {
    assert.match(problemOf('x=$(echo ${l##*) })'), /unexpected/);
    assert.match(problemOf('x=$(case a in a) echo ;; esac)'), /unexpected/);
    assert.equal(problemOf('x=$(echo ${l##*"$end"}; (true))'), '');
    assert.equal(
      execFileSync(shell, ['-c', 'x=$(echo "(a"); echo "$x"'], { encoding: 'utf8' }),
      '(a\n',
    );
  });

  for (const [name, script] of Object.entries(fragments))
    it(`reads the fragment of ${name} in a command substitution`, () =>
      assert.equal(problemOf(`x=$(${script}\n)`), ''));

  for (const [name, script] of Object.entries(scripts))
    it(`reads ${name}`, () => assert.equal(problemOf(script), ''));

  for (const file of globSync('src/**/*.sh', { cwd: repositoryRoot }))
    it(`reads ${file}`, () =>
      assert.equal(problemOf(readFileSync(join(repositoryRoot, file), 'utf8')), ''));
});
