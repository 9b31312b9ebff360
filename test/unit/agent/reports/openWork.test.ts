import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { openWork } from '../../../../src/agent/reports/openWork.ts';
import { championChange } from '../../../../src/agent/reports/championChange.ts';
import type { Ledger } from '../../../../src/experiments/ledger.ts';
import type { Machines } from '../../../../src/machines/machine.ts';
import type { SessionState } from '../../../../src/agent/journal/state.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { ExperimentCodeStore } from '../../../../src/experiments/git/experimentCodeStore.ts';
import { Worktrees } from '../../../../src/experiments/git/worktrees.ts';
import { LocalMachine } from '../../../../src/machines/local/localMachine.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { sessionId } from '../../tools/machineTools.harness.ts';

describe('work in worktrees that is stored nowhere else', () => {
  const scratch = scratchFolder();

  it('names a branch with its experiments until its changes are committed or launched', async () => {
    const repo = GitRepo.create(join(scratch(), 'repo'), { 'train.py': 'lr = 1\n' });
    const runsFolder = join(scratch(), 'helios/runs');
    const machine = new LocalMachine({ runsFolder, workFolder: repo.folder });
    const worktrees = new Worktrees({ sessionId, clock: systemClock });
    const branch = async (name: string): Promise<GitRepo> =>
      new GitRepo((await worktrees.branch({ machine, folder: repo.folder, name })).path);
    const [clean, edited, launched] = [
      await branch('clean'),
      await branch('wide'),
      await branch('tall'),
    ];
    clean.write({ 'out.log': 'output of a run\n' });
    edited.write({ 'train.py': 'lr = 2\n', 'new.py': 'x\n' });
    launched.write({ 'train.py': 'lr = 3\n' });
    const store = new ExperimentCodeStore({ sessionId, clock: systemClock });
    const first = await store.capture(machine, launched.folder, 'e1');
    const older = await store.capture(machine, clean.folder, 'e2');
    assert.ok(first.kind === 'git' && older.kind === 'git');
    const plan = { machineId: 'local', command: 'python3 train.py' };
    const experiments = new Map(
      [
        { ...plan, id: 'e1', code: first },
        { ...plan, id: 'e2', code: { ...older, repo: edited.folder } },
      ].map((each) => [each.id, { plan: each }]),
    );
    const state = { id: sessionId, experiments } as unknown as SessionState;
    const machines = { list: () => [machine], get: () => machine };
    const found = () => openWork(state, { machines, clock: systemClock });
    const wide = { machineId: 'local', path: edited.folder, branch: 'wide', files: 2 };
    assert.deepEqual(await found(), [{ ...wide, experiments: ['e2'] }]);
    await worktrees.commit({ machine }, 'wide', 'wider');
    assert.deepEqual(await found(), []);
  });

  it('is counted for the champion, without outputs, and only where its machine can be asked', async () => {
    const repo = GitRepo.create(join(scratch(), 'repo'), { 'train.py': 'lr = 1\n' });
    const runsFolder = join(scratch(), 'helios/runs');
    const machine = new LocalMachine({ runsFolder, workFolder: repo.folder });
    repo.write({ 'train.py': 'lr = 2\n', 'model.py': 'a\nb\n', 'out0.log': 'epoch 1\n' });
    const store = new ExperimentCodeStore({ sessionId, clock: systemClock });
    const code = await store.capture(machine, repo.folder, 'e1');
    const plan = { id: 'e1', machineId: 'local', code };
    const row = { id: 'e1', isChampion: true, plan, runs: [{ command: 'python3 train.py' }] };
    const change = (
      machines: Pick<Machines, 'list' | 'get' | 'status'>,
      isChampion = true,
    ): Promise<string | undefined> =>
      championChange({ experiments: [{ ...row, isChampion }] } as unknown as Ledger, {
        machines: machines as Machines,
        clock: systemClock,
      });
    const machines = { list: () => [machine], get: () => machine };
    assert.equal(
      await change(machines),
      '2 files changed, 3 insertions(+), 1 deletion(-) against the checked-out commit',
    );
    repo.git('add', 'train.py', 'model.py');
    repo.git('commit', '-qm', 'taken over');
    assert.equal(await change(machines), 'no change against the checked-out commit');
    assert.equal(await change(machines, false), undefined);
    const away = Object.assign(Object.create(machine) as LocalMachine, { kind: 'ssh' });
    const status = () => ({ kind: 'unreachable' }) as never;
    assert.equal(await change({ list: () => [away], get: () => away, status }), undefined);
  });
});
