import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'mocha';
import { changedCode, changedCodeText } from '../../../src/compose/compareCode.ts';
import { environmentChanges } from '../../../src/compose/environmentChanges.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { UserFacing } from '../../../src/base/errors.ts';
import type { SessionId } from '../../../src/base/ids.ts';
import type { CodeState, ExperimentPlan } from '../../../src/experiments/experiment.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { GitRepo } from '../../fakes/gitRepo.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('the stored code of two experiments', () => {
  const folder = scratchFolder();

  function night() {
    const repo = GitRepo.create(folder(), {
      'train.py': 'lr = 1\n',
      'old.py': 'x = 1\n',
      'same.py': 'y = 1\n',
    });
    const first = repo.git('rev-parse', 'HEAD^{tree}');
    repo.write({ 'train.py': 'lr = 2\n# größer\n', "new $(x) 'file'.py": 'z = 1\n' });
    repo.git('rm', '-q', 'old.py');
    repo.git('add', '-A');
    repo.git('commit', '-qm', 'second');
    const second = repo.git('rev-parse', 'HEAD^{tree}');
    const planOf = (id: string, code: Partial<CodeState>): ExperimentPlan =>
      ({
        id,
        machineId: 'local',
        code: { kind: 'git', repo: folder(), ...code },
      }) as ExperimentPlan;
    const runsFolder = path.join(folder(), 'runs');
    const machine = new LocalMachine({ runsFolder, workFolder: folder() });
    return { planOf, first, second, machines: createMachines([machine]), clock: systemClock };
  }

  it('are compared file by file, with the text of both', async () => {
    const { planOf, first, second, ...deps } = night();
    const [baseline, experiment] = [planOf('e1', { tree: first }), planOf('e2', { tree: second })];
    const files = await changedCode({ ...deps, baseline, experiment });
    const texts = await Promise.all(
      files.map(async ({ path, before, after }) => [path, await before(), await after()]),
    );
    assert.deepEqual(texts, [
      ["new $(x) 'file'.py", '', 'z = 1\n'],
      ['old.py', 'x = 1\n', ''],
      ['train.py', 'lr = 1\n', 'lr = 2\n# größer\n'],
    ]);
    const text = await changedCodeText({ ...deps, baseline, experiment });
    assert.match(text ?? '', /old\.py, 1 line; train\.py, 2 lines/);
    assert.equal(await changedCodeText({ ...deps, baseline, experiment: baseline }), undefined);
  });

  it('are not compared where one of them was not stored, or is on another machine', async () => {
    const { planOf, first, second, ...deps } = night();
    const baseline = planOf('e1', { tree: first });
    const unknown = { id: 'e2', code: { kind: 'none', why: 'no repository' } } as ExperimentPlan;
    const away = { ...planOf('e3', { tree: second }), machineId: 'gpu1' };
    for (const experiment of [unknown, away]) {
      assert.equal(await changedCodeText({ ...deps, baseline, experiment }), undefined);
      await assert.rejects(changedCode({ ...deps, baseline, experiment }), UserFacing);
    }
    const removed = { ...planOf('e4', { tree: second }), machineId: 'gone' };
    const both = { baseline: { ...baseline, machineId: 'gone' }, experiment: removed };
    assert.equal(await changedCodeText({ ...deps, ...both }), undefined);
  });
});

describe('the recorded environments of two runs', () => {
  const folder = scratchFolder();

  it('differ in packages, without the state of the code', async () => {
    const id = 's-0mi7abcde123456' as SessionId;
    const snapshots = path.join(homeAt(folder()).sessionFolder(id), 'snapshots');
    await mkdir(snapshots, { recursive: true });
    const envOf = async (envId: string, ...packages: readonly string[]) => {
      const git = { head: envId, changed: [], untracked: [], remotes: [] };
      const environment = { packages, conda: [], gpus: [], git };
      await writeFile(path.join(snapshots, `${envId}.json`), JSON.stringify({ environment }));
      return { id: envId, machineId: 'local', repo: '/p', gist: '', file: `${envId}.json` };
    };
    const envs = [
      await envOf('env1', 'numpy==2.0', 'torch==2.3'),
      await envOf('env2', 'numpy==2.0', 'torch==2.4'),
      { ...(await envOf('env3')), file: 'gone.json' },
    ];
    const side = (envId: string | undefined) => ({ state: { id, envs }, envId });
    assert.deepEqual(await environmentChanges(folder(), [side('env1'), side('env2')]), [
      '+ package torch==2.4',
      '- package torch==2.3',
    ]);
    assert.deepEqual(await environmentChanges(folder(), [side('env1'), side('env1')]), []);
    for (const other of ['env3', 'env9', undefined])
      assert.equal(await environmentChanges(folder(), [side('env1'), side(other)]), undefined);
  });
});
