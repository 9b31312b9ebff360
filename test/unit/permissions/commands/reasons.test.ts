import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import { classify } from '../../../../src/permissions/commands/classify.ts';
import type { CommandPlace } from '../../../../src/permissions/commands/paths/place.ts';
import { reasonNotes } from '../../../../src/permissions/commands/verdicts/reasonNotes.ts';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';
import { loadShell } from '../../../../src/shell/grammar.ts';

describe('the reason why a command is asked about', () => {
  before(loadShell);
  const place: CommandPlace = {
    workFolder: '/work',
    home: '/home/ada',
    rules: usualPaths,
    realPath: (path) => path,
    exists: () => true,
    matches: () => [],
    keyFiles: () => [],
    oddFiles: () => [],
  };
  const reasonOf = (command: string): string => {
    const verdict = classify(command, place);
    return reasonNotes([{ kind: 'command', machineId: 'local', command, verdict }])[0] ?? '';
  };

  it('names the environment that an installer changes', () => {
    const active = 'the environment that is active there';
    const lines: Readonly<Record<string, string>> = {
      'pip install torch': active,
      'python3 -m pip install -U torch': active,
      '.venv/bin/pip install torch': 'the environment .venv',
      '.venv/bin/python -m pip install torch': 'the environment .venv',
      '/usr/bin/pip3 install torch': 'the system',
      'pip install --user torch': 'the user (--user)',
      'pip install --break-system-packages torch': 'the system',
      'pip install -t vendor torch': 'vendor',
      'uv pip install --python env/bin/python torch': 'env/bin/python',
      'conda install -n lab pytorch': 'the conda environment lab',
      'conda install pytorch': active,
      'mamba create -p ./env python=3.12': './env',
    };
    for (const [line, environment] of Object.entries(lines))
      assert.equal(reasonOf(line), `Reason: changes packages of ${environment}.`, line);
    assert.equal(reasonOf('pip download torch'), 'Reason: downloads or builds packages.');
    assert.equal(reasonOf('python3 train.py'), 'Reason: runs code.');
  });

  it('names what a call does, and the remote that a push reaches', () => {
    const lines: Readonly<Record<string, string>> = {
      'git push': 'sends commits to its remote',
      'git push -f origin main': 'sends commits to origin',
      'git push https://x.example/r.git main': 'sends commits to https://x.example/r.git',
      'git -C sub push origin': 'sends commits to origin',
      'git pull': 'contacts its remote',
      'git fetch upstream': 'contacts upstream',
      'git submodule update --init': 'contacts another host',
      'git -c a.b=c push origin': 'may change a repository or contact another host',
      'git commit -m x': 'changes the repository',
      'git reset --hard': 'changes files of the working tree or the branch',
      'git clean -fd': 'removes files of the working tree',
      'apt install gcc': 'changes packages',
      'npm run build': 'runs a script of the folder',
      'pip freeze': 'runs version control in the folders of editable packages',
      'uv pip list': 'runs the Python of the environment',
      'kubectl get pods': 'contacts a cluster',
      'sudo ls': 'runs as another user',
      env: 'shows the environment',
      'env ls': 'runs another command',
      'sed -i s/a/b/ f': 'changes its files (-i)',
    };
    for (const [line, reason] of Object.entries(lines))
      assert.equal(reasonOf(line).replace(/: git -C.*/, '.'), `Reason: ${reason}.`, line);
  });

  it('names the part of a list or pipeline that decides, and its position', () => {
    assert.equal(
      reasonOf('cd /work && ls; cat a.txt | python3 -c 1 | wc -l'),
      'Reason: runs code: python3 -c 1 (step 4 of 5).',
    );
    assert.equal(
      reasonOf('ls && .venv/bin/pip install torch'),
      'Reason: changes packages of the environment .venv: .venv/bin/pip install torch (step 2 of 2).',
    );
    assert.equal(reasonOf('rm a.txt > log'), 'Reason: writes files: rm a.txt.');
  });
});
