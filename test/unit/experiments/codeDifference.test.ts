import assert from 'node:assert/strict';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { namedFiles, sameCode } from '../../../src/experiments/codeDifference.ts';
import { fingerprintOf, TriedRuns } from '../../../src/experiments/duplicates.ts';
import { systemClock } from '../../../src/base/clock.ts';
import type { RunId } from '../../../src/base/ids.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { GitRepo } from '../../fakes/gitRepo.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const code = `import sys
# how fast
rate = 1
def f():
    return rate
`;

describe('difference of code', () => {
  const folder = scratchFolder();
  let repo: GitRepo;
  let machine: LocalMachine;
  beforeEach(() => {
    repo = GitRepo.create(path.join(folder(), 'repo'), {
      'train.py': code,
      'data.txt': 'a\n',
      'run.log': 'x',
    });
    machine = new LocalMachine({
      runsFolder: path.join(folder(), 'runs'),
      workFolder: repo.folder,
    });
  });

  const treeOf = (files: Readonly<Record<string, string | Uint8Array>>): string => {
    repo.write(files);
    repo.git('add', '-A', '-f');
    return repo.git('write-tree');
  };
  const isSame = async (
    files: Readonly<Record<string, string | Uint8Array>>,
    command = 'python train.py',
  ): Promise<boolean> => {
    const before = repo.git('rev-parse', 'HEAD^{tree}');
    const tree = treeOf(files);
    assert.notEqual(tree, before);
    const found = await sameCode(machine, {
      repo: repo.folder,
      tree,
      others: [before],
      commands: [command],
      clock: systemClock,
    });
    assert.ok(found === undefined || found === before);
    return found !== undefined;
  };

  const same: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
    'another comment': { 'train.py': code.replace('how fast', 'speed of learning') },
    'an empty line': { 'train.py': `${code}\n\n` },
    'spaces at the end of a line': { 'train.py': code.replace('rate = 1', 'rate = 1  ') },
    'a README': { 'README.md': 'about' },
    'a log that grew': { 'run.log': 'xy' },
    'output in a folder': { 'out/log': 'loss=1', 'wandb/run/x.json.gz': 'z' },
    'a checkpoint': { 'model.pt': new Uint8Array([0, 1, 2]) },
    'a new table of results': { 'measured.csv': 'a,b' },
  };
  for (const [what, files] of Object.entries(same))
    it(`is none with ${what}`, async () => assert.equal(await isSame(files), true));

  const other: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
    'another value': { 'train.py': code.replace('rate = 1', 'rate = 2') },
    'another indentation': { 'train.py': code.replace('    return', '  return') },
    'other data': { 'data.txt': 'b\n' },
    'a new module': { 'model.py': 'x = 1' },
    'new settings': { 'config.yaml': 'lr: 1' },
    'a directive of the scheduler': { 'job.sh': '#SBATCH --gpus 2\n' },
    'a line of code beside a comment': {
      'train.py': code.replace('# how fast', '# speed\nrate = 3'),
    },
    'a name with a quote': { 'a"b.py': 'x' },
  };
  for (const [what, files] of Object.entries(other))
    it(`is one with ${what}`, async () => assert.equal(await isSame(files), false));

  it('counts what the command reads, and not what it writes', async () => {
    assert.equal(await isSame({ 'extra.csv': '1' }, 'python train.py --data extra.csv'), false);
    assert.deepEqual([...namedFiles(['python train.py --data=d/extra.csv > out/log'])].sort(), [
      '--data',
      'extra.csv',
      'python',
      'train.py',
    ]);
  });

  it('finds the one it is like among others, and none where nothing can be asked', async () => {
    const first = repo.git('rev-parse', 'HEAD^{tree}');
    const second = treeOf({ 'train.py': code.replace('rate = 1', 'rate = 2') });
    const third = treeOf({ 'train.py': `${code.replace('rate = 1', 'rate = 2')}\n# end\n` });
    const ask = (others: string[], folder = repo.folder) =>
      sameCode(machine, { repo: folder, tree: third, others, commands: [], clock: systemClock });
    assert.equal(await ask([first, second]), second);
    assert.equal(await ask([]), undefined);
    assert.equal(await ask(['0'.repeat(40)]), undefined);
    assert.equal(await ask([second], '/does/not/exist'), undefined);
    assert.equal(await ask(['; touch pwned']), undefined);
  });
});

describe('what was tried', () => {
  const at = (command: string, tree = 't1', cwd = '/repo') => ({
    command,
    cwd,
    code: { kind: 'git' as const, repo: '/repo', tree, isDirty: false, leftOut: [] },
  });
  const id = (number: number) => ({ runId: `r-${number}` as RunId, experimentId: `e${number}` });

  it('is found by code and arguments, the same before what has another seed', () => {
    const tried = new TriedRuns();
    tried.add(at('t --lr 1 --seed 1'), id(1));
    tried.add(at('t --lr 1 --seed 2'), id(2));
    tried.add(at('t --lr 1 --seed 1', 't2'), id(3));
    tried.add(at('t --lr 1 --seed 1', 't1', '/repo/sub'), id(4));
    const found = tried.like(at('t --seed=1 --lr 1.0'));
    assert.deepEqual(
      found.map(({ experimentId, likeness }) => [experimentId, likeness]),
      [
        ['e1', 'same'],
        ['e2', 'seed'],
      ],
    );
    assert.deepEqual(tried.like(at('t --lr 2')), []);
  });

  it('is found with the newest first, of what is the same and of what has another seed', () => {
    const tried = new TriedRuns();
    for (const [index, seed] of [1, 2, 3, 1, 2, 1].entries())
      tried.add(at(`t --lr 1 --seed ${seed}`), id(index));
    assert.deepEqual(
      tried
        .like(at('t --lr 1 --seed 1'))
        .map(({ experimentId, likeness }) => `${experimentId} ${likeness}`),
      ['e5 same', 'e3 same', 'e0 same', 'e4 seed', 'e2 seed', 'e1 seed'],
    );
  });

  it('is the same in another worktree, and where the command goes to its folder itself', () => {
    const tried = new TriedRuns();
    tried.add(at('t', 't1', '/repo/sub'), id(1));
    const elsewhere = { command: 't', cwd: '/w/sub', code: { ...at('t').code, repo: '/w' } };
    assert.equal(tried.like(elsewhere).length, 1);
    assert.equal(tried.like(at('cd sub && t')).length, 1);
  });

  it('has a fingerprint that depends on neither order nor repetition of its commands', () => {
    const one = fingerprintOf([at('t --lr 1'), at('t --lr 2')]);
    assert.equal(one, fingerprintOf([at('t --lr 2.0'), at('t --lr 1'), at('t --lr 1.0')]));
    assert.notEqual(one, fingerprintOf([at('t --lr 1')]));
    assert.notEqual(one, fingerprintOf([at('t --lr 1', 't2'), at('t --lr 2', 't2')]));
    assert.equal(
      one,
      fingerprintOf(
        [at('t --lr 1'), at('t --lr 2')].map((each) => ({
          ...each,
          code: { ...each.code, tree: 't9' },
          sameCodeAs: 't1',
        })),
      ),
    );
  });
});
