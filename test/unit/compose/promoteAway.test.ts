import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { UserFacing } from '../../../src/base/errors.ts';
import {
  branchText,
  promoteAsBranch,
  type Promotable,
  type PromoteDeps,
} from '../../../src/compose/promoteExperiment.ts';
import { ExperimentCodeStore } from '../../../src/experiments/git/experimentCodeStore.ts';
import type { ExperimentRow } from '../../../src/experiments/ledger.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { SshConnection } from '../../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../../src/machines/ssh/sshMachine.ts';
import { differences, GitRepo, pictureOf } from '../../fakes/gitRepo.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { scriptedPrompts, TestSshd } from '../../fakes/sshd.ts';
import { sessionId } from '../tools/machineTools.harness.ts';

const branch = 'helios/wider-e5';
const hypothesis = `Wider hidden layers learn the seasons, which the narrow ones ${'so far '.repeat(5)}cannot.`;
const advice = { patch: 'add --patch FILE', name: 'add --branch NAME' };

describe('a branch of an experiment on another machine', () => {
  const scratch = scratchFolder();
  let sshd: TestSshd;
  let connection: SshConnection;
  let machine: SshMachine;
  let user: GitRepo;
  before(async () => {
    sshd = await TestSshd.start();
    connection = new SshConnection(sshd.target(), scriptedPrompts());
  });
  after(async () => {
    connection.dispose();
    await sshd.dispose();
  });
  afterEach(() => machine.dispose());

  /** The repository `remote` of gpu1 with a change that was measured there. */
  const measured = async (
    remote: GitRepo,
    workFolder: string,
  ): Promise<{ deps: PromoteDeps; from: Promotable }> => {
    machine = new SshMachine({
      ...{ id: 'gpu1', connection, homeFolder: scratch(), workFolder: remote.folder },
    });
    remote.write({ 'forecast.py': 'hidden = 64\n', 'new.bin': '\0\u0001' });
    const store = new ExperimentCodeStore({ sessionId, clock: systemClock });
    const code = await store.capture(machine, remote.folder, 'e5');
    const command = 'python forecast.py';
    const row = { id: 'e5', hypothesis, command, runs: [] } as unknown as ExperimentRow;
    const local = new LocalMachine({ runsFolder: join(scratch(), 'h/runs'), workFolder });
    const machines = createMachines([local, machine]);
    return {
      deps: { machines, clock: systemClock, workFolder },
      from: { row, machineId: 'gpu1', code },
    };
  };
  const userRepo = (): void => {
    user = GitRepo.create(join(scratch(), 'proj'), { 'forecast.py': 'hidden = 8\n' });
    mkdirSync(join(user.folder, 'sub'));
  };
  const cloned = (): GitRepo => {
    userRepo();
    const remote = new GitRepo(join(scratch(), 'remote'));
    user.git('clone', '-q', '.', remote.folder);
    for (const [key, value] of Object.entries({ name: 'Bo', email: 'bo@example.org' }))
      remote.git('config', `user.${key}`, value);
    return remote;
  };

  it('is made in the repository of the session, with what that lacks', async () => {
    const remote = cloned();
    remote.write({ 'data.py': 'x\n' });
    remote.git('add', '-A');
    remote.git('commit', '-qm', 'only there');
    const { deps, from } = await measured(remote, join(user.folder, 'sub'));
    const head = user.git('rev-parse', 'HEAD');
    const made = await promoteAsBranch(deps, from, branch);
    assert.equal(
      branchText(from, made, advice),
      `Created branch ${branch} from e5 of gpu1 in ${user.folder} (2 files changed, 1 insertion(+), 1 deletion(-) against the checked-out commit).`,
    );
    assert.equal(user.git('rev-parse', branch), made.commit);
    assert.deepEqual(user.git('log', '-1', '--format=%B', branch).trim().split('\n'), [
      ...['Wider hidden layers learn the seasons, which the narrow ones so far so …', ''],
      ...[hypothesis, '', 'Command: python forecast.py', 'Experiment e5 of Helios'],
    ]);
    assert.equal(user.git('show', `${branch}:forecast.py`), 'hidden = 64');
    assert.equal(user.git('rev-parse', `${branch}~2`), head);
    assert.equal(user.git('rev-parse', 'HEAD'), head);
    assert.equal(user.git('status', '--porcelain'), '');
    assert.match(user.git('fsck', '--strict', '--no-dangling'), /^$/);
    assert.equal(remote.git('branch', '--list', 'helios/*'), '');
    const again = await promoteAsBranch(deps, from, branch);
    assert.deepEqual(again, { ...made, isOld: true });
    assert.equal(
      branchText(from, again, advice),
      `Branch ${branch} in ${user.folder} already holds the code of e5 (commit ${made.commit.slice(0, 10)}; ${made.change}). For another branch, add --branch NAME.`,
    );
    user.git('branch', '-f', branch, 'HEAD');
    await assert.rejects(promoteAsBranch(deps, from, branch), /already exists/);
  });

  it('is never made over a branch of the user, nor under a name that git refuses', async () => {
    const { deps, from } = await measured(cloned(), user.folder);
    const before = pictureOf(user.folder);
    for (const name of ['main', 'main/x', 'a..b', ''])
      await assert.rejects(promoteAsBranch(deps, from, name), UserFacing, name);
    assert.deepEqual(differences(before, pictureOf(user.folder)), []);
  });

  const elsewhere = async (workFolder: string, why: string): Promise<void> => {
    const files = { 'forecast.py': 'hidden = 4\n' };
    const remote = GitRepo.create(join(scratch(), 'remote'), files);
    const { deps, from } = await measured(remote, workFolder);
    const made = await promoteAsBranch(deps, from, branch);
    assert.equal(
      branchText(from, made, advice),
      `Created branch ${branch} from e5 in ${remote.folder} on gpu1 (${made.change}), not on this computer: ${why} For the code here, add --patch FILE.`,
    );
    assert.equal(remote.git('rev-parse', branch), made.commit);
  };

  it('is made there where the histories do not connect, which is said', async () => {
    userRepo();
    const before = pictureOf(user.folder);
    await elsewhere(user.folder, `no commit of it is in ${user.folder}.`);
    assert.deepEqual(differences(before, pictureOf(user.folder)), []);
  });

  it('is made there where the session works in no repository', async () => {
    const folder = join(scratch(), 'plain');
    mkdirSync(folder);
    await elsewhere(folder, `${folder} is not in a Git repository.`);
  });
});
