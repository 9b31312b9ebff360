import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import {
  reproduce,
  type ReproductionDeps,
} from '../../../../src/agent/experiments/reproduction.ts';
import { reproductionText } from '../../../../src/presentation/experiments/reproductionText.ts';
import { createMachines } from '../../../../src/machines/list/machineList.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { UserFacing } from '../../../../src/base/errors.ts';
import { homeAt } from '../../../../src/storage/home.ts';
import { GitRepo } from '../../../fakes/gitRepo.ts';
import {
  ScriptedModel,
  type ScriptedCall,
  type ScriptedReply,
} from '../../../fakes/scriptedModel.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const run = (command: string, more: Readonly<Record<string, unknown>> = {}): ScriptedCall => ({
  name: 'remote_exec_background',
  input: { command, metric_names: ['loss'], ...more },
});
const until = (number: number): ScriptedCall => ({
  name: 'sleep',
  input: {
    reason: 'r',
    wake_conditions: [{ type: 'process_exit', run: number }],
    deadline_minutes: 5,
  },
});
const quit: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
const inTurns = (...calls: readonly ScriptedCall[]): ScriptedReply[] =>
  [...calls, quit].map((call) => [call]);

describe('experiments, again', () => {
  let folder: string;
  let repo: GitRepo;
  const beds: TestEngine[] = [];
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-again-'));
    repo = GitRepo.create(path.join(folder, 'one', 'work'), {
      'train.sh': 'echo loss=0.5 in=$(basename $PWD)\n',
    });
  });
  afterEach(async () => {
    for (const bed of beds.splice(0)) await bed.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  const open = async (model: ScriptedModel, name = 'one'): Promise<TestEngine> => {
    const bed = await testEngine(model, { folder: path.join(folder, name) });
    beds.push(bed);
    return bed;
  };
  const night = async (...calls: readonly ScriptedCall[]): Promise<Session> => {
    const session = await (await open(new ScriptedModel(inTurns(...calls)))).start();
    assert.equal(await session.ended, 'blocked');
    return session;
  };

  it('runs the kept code in a fresh worktree, and claims nothing of one run', async () => {
    repo.write({ 'train.sh': 'echo loss=0.25\n', '.env': 'TOKEN=x' });
    const session = await night(run('sh train.sh'), until(1));
    repo.write({ 'train.sh': 'echo loss=9\n' });
    const made = await session.reproduce({ experimentId: 'e1' });
    const again = [...session.state.runs.values()].at(-1);
    assert.deepEqual(
      [again?.spec.label, again?.spec.experimentId, again?.spec.number],
      ['reproduction', 'e1', 2],
    );
    assert.ok(again && again.spec.cwd !== repo.folder);
    assert.deepEqual(made.verdict, { kind: 'ok' });
    assert.deepEqual(made.metrics, [
      { metric: 'loss', run: 1, before: 0.25, n: 1, now: 0.25, delta: 0, judgement: 'identical' },
    ]);
    const text = reproductionText(made);
    assert.match(text, /^Experiment e1 ran again as run 2: ok\.$/m);
    assert.match(text, /^loss: 0\.25, identical to run 1$/m);
    assert.match(text, /Not stored with its code: \.env/);
    assert.match(text, /environment of the first run was not recorded/);
    assert.ok(!/reproduced/i.test(text));
    const [row] = session.ledger.experiments;
    assert.deepEqual(
      [row?.result?.n, row?.runs.length, row?.reproductions?.map(({ number }) => number)],
      [1, 1, [2]],
      'listed beside the runs of the experiment',
    );
    assert.deepEqual(
      session.state.allowances.map(({ runIds }) => runIds.length),
      [0, 1],
      'no launch of the session',
    );
    const events = eventsOf(session, 'message.added').map(({ text: told }) => told);
    assert.ok(!events.some((told) => told.includes('more runs than its provisional keep')));
    assert.equal(repo.git('show', ':train.sh'), 'echo loss=0.5 in=$(basename $PWD)');
  });

  it('records from which experiment the code of each one started', async () => {
    const write = (rate: string, steps = '10', decay = ''): ScriptedCall => ({
      name: 'write_file',
      input: {
        path: 'train.sh',
        content: `lr=${rate}\nsteps=${steps}\n${decay}echo loss=$lr in=$(basename $PWD)\n`,
      },
    });
    const decide = (experiment: string, decision: string): ScriptedCall => ({
      name: 'exp_decide',
      input: { experiment, decision, why: 'measured' },
    });
    const session = await night(
      ...[write('1'), run('sh train.sh'), until(1), decide('e1', 'keep')],
      ...[write('1', '99', 'decay=cosine\nwarmup=5\n'), run('sh train.sh'), until(2)],
      // What e2 tried is undone.
      ...[write('0.5'), run('sh train.sh'), until(3)],
      // The same code with another option.
      ...[run('sh train.sh --momentum 0.9'), until(4)],
    );
    assert.deepEqual(
      [...session.state.experiments.values()].map(({ plan }) => plan.basedOn),
      [undefined, 'e1', 'e1', 'e3'],
    );
  });

  it('compares with the run of the same seed, whatever was reproduced before', async () => {
    repo.write({ 'train.sh': 'echo loss=$(cat "$HELIOS_TEST_LOSS")\n' });
    const file = path.join(folder, 'loss');
    writeFileSync(file, '0.5');
    const command = `HELIOS_TEST_LOSS=${file} sh train.sh --seed`;
    const more = { experiment: 'e1' };
    const session = await night(run(`${command} 0`), until(1), run(`${command} 1`, more), until(2));
    writeFileSync(file, '0.503');
    const near = await session.reproduce({ experimentId: 'e1', tolerance: 0.01 });
    assert.deepEqual([near.metrics[0]?.run, near.metrics[0]?.judgement], [1, 'within_tolerance']);
    assert.match(
      reproductionText(near),
      /^Seed 0 \(1 of 2 seeds\) of experiment e1 ran again as run 3: ok\.$/m,
    );
    assert.match(
      reproductionText({
        ...near,
        differences: ['No code (<untrusted from="git">no repository</untrusted>).'],
      }),
      /^No code \(no repository\)\.$/m,
    );
    const { seed: _seed, ...unnamed } = near;
    assert.match(reproductionText(unnamed), /^One of 2 runs of experiment e1 ran again/);
    assert.match(
      reproductionText(near),
      /^loss: 0\.503, run 1 measured 0\.5, Δ \+0\.003; within the/m,
    );
    const far = await session.reproduce({ experimentId: 'e1' });
    assert.deepEqual([far.metrics[0]?.n, far.metrics[0]?.judgement], [2, 'outside_spread']);
  });

  it('compares the environment with that of the first run', async () => {
    const python =
      '#!/bin/sh\ncase "$*" in *freeze*) cat "${0%/bin/python}/packages" ;; *) echo "3.12.1 $0" ;; esac\n';
    const packages = (...lines: readonly string[]) =>
      repo.write({
        '.venv/.gitignore': '*\n',
        '.venv/bin/python': python,
        '.venv/packages': lines.join('\n'),
      });
    packages('numpy==2.1.0', 'torch==2.4.0');
    chmodSync(path.join(repo.folder, '.venv/bin/python'), 0o755);
    const session = await night({ name: 'env_snapshot', input: {} }, run('sh train.sh'), until(1));
    const differencesNow = async (): Promise<string> =>
      (await session.reproduce({ experimentId: 'e1' })).differences.join('\n');
    repo.write({ 'train.sh': 'echo loss=9\n' });
    assert.equal(await differencesNow(), 'The environment is that of the first run (env1).');
    packages('numpy==2.1.0', 'torch==2.5.1');
    assert.equal(
      await differencesNow(),
      'The environment differs from that of the first run (env1): + package torch==2.5.1; - package torch==2.4.0.',
    );
    rmSync(
      path.join(homeAt(path.join(folder, 'one', 'home')).sessionFolder(session.id), 'snapshots'),
      {
        recursive: true,
      },
    );
    assert.match(
      await differencesNow(),
      /was not compared \(its file is gone\); that of the first run is env1/,
    );
  });

  it('says what cannot be run again', async () => {
    const session = await night(run('exit 3'), until(1));
    const fails = (experimentId: string, said: RegExp) =>
      assert.rejects(
        session.reproduce({ experimentId }),
        (error) => error instanceof UserFacing && said.test(error.message),
      );
    await fails('e1', /No run of e1 succeeded/);
    await fails('e7', /There is no experiment e7/);
    assert.equal(session.state.runs.size, 1);
  });

  it('says that its machine, or its kept code, is gone, and starts nothing', async () => {
    const session = await night(run('sh train.sh'), until(1));
    const gone = {
      log: { state: session.state },
      sessionRuns: { ledger: () => session.ledger, find: () => ({}) },
      machines: createMachines([]),
      clock: systemClock,
      folder,
    };
    const asked = reproduce(gone as unknown as ReproductionDeps, { experimentId: 'e1' });
    await assert.rejects(
      asked,
      (error) =>
        error instanceof UserFacing &&
        /e1 ran on local, which is no longer in the list/.test(error.message),
    );
    for (const ref of repo.git('for-each-ref', '--format=%(refname)', 'refs/helios').split('\n'))
      repo.git('update-ref', '-d', ref);
    repo.git('gc', '--quiet', '--prune=now');
    await assert.rejects(
      session.reproduce({ experimentId: 'e1' }),
      (error) =>
        error instanceof UserFacing && /The code of e1 could not be restored/.test(error.message),
    );
    assert.equal(session.state.runs.size, 1);
  });

  it('makes results of before known, apart from what is measured', async () => {
    const session = await night(run('sh train.sh'), until(1));
    const tsv =
      'commit\tloss\tmemory_gb\tstatus\tdescription\nabc1234\t0.100000\t1.0\tkeep\twarm up\n';
    assert.equal(await session.importResults(tsv, 'results.tsv'), 1);
    assert.equal(session.ledger.imported[0]?.description, 'warm up');
    assert.equal(
      session.ledger.champion?.number,
      1,
      'a number that was not measured is no champion',
    );
    assert.equal(session.ledger.experiments.length, 1);
    await assert.rejects(
      session.importResults(`${tsv}?`, 'other.tsv'),
      /other\.tsv was not imported\. Line 3/,
    );
    assert.equal(session.state.imported.length, 1);
    const model = new ScriptedModel(inTurns());
    const bed = await (beds.shift() as TestEngine).restart(model);
    beds.push(bed);
    const again = await bed.engine.sessions.resume(session.id);
    await again.say('go on');
    await again.ended;
    assert.match(
      JSON.stringify(model.requests.at(-1)?.messages),
      /imported 1 earlier results.*keep: warm up · loss 0\.1 · abc1234/,
    );
  });

  /**
   * What is on the disk at a moment is all that a kill leaves: it is copied then, and taken up from
   * the copy.
   */
  for (const type of ['experiment.planned', 'run.planned', 'run.ended'] as const)
    it(`doubles and loses nothing when Helios is killed right after ${type}`, async () => {
      const calls = [run('sh train.sh'), until(1)];
      const bed = await open(new ScriptedModel(inTurns(...calls)));
      const left = path.join(folder, 'two');
      const starting = bed.start();
      const session = await starting;
      await eventually(session, type);
      cpSync(path.join(folder, 'one', 'home'), path.join(left, 'home'), { recursive: true });
      rmSync(homeAt(path.join(left, 'home')).leaseFile(session.id), { force: true });
      cpSync(repo.folder, path.join(left, 'work'), { recursive: true });
      const second = await open(
        new ScriptedModel((_request, index) => inTurns(until(1))[index] ?? [quit]),
        'two',
      );
      const again = await second.engine.sessions.resume(session.id);
      assert.equal(await again.ended, 'blocked');
      await session.ended;
      const planned = eventsOf(again, 'experiment.planned').map(({ plan }) => plan.id);
      const runs = eventsOf(again, 'run.planned').map(({ spec }) => spec.experimentId);
      assert.deepEqual([planned, runs], [['e1'], ['e1']]);
      assert.deepEqual(
        again.ledger.experiments.map(({ id, verdicts, result }) => [id, verdicts, result?.mean]),
        [['e1', '1 ok', 0.5]],
      );
    });
});
