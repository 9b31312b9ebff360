import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { killTask } from '../../../src/tools/runs/killTask.ts';
import { remoteExecBackground } from '../../../src/tools/runs/remoteExecBackground.ts';
import { until } from '../../fakes/scratch.ts';
import { answer, call } from './machineTools.harness.ts';
import { noSweeps, useTasks } from './taskTools.harness.ts';

describe('kill_task', () => {
  const { tasks } = useTasks();
  const launch = (command: string) =>
    answer(remoteExecBackground(tasks().launcher, noSweeps), { command });
  const tool = () => killTask(tasks());

  it('ends a run with its children and says what was verified', async () => {
    const { pid } = await launch('sleep 60 & sleep 60');
    const seen = await answer(tool(), { machine_id: 'local', pid });
    assert.equal(seen.status, 'killed');
    assert.equal(seen.verdict, 'killed');
    assert.equal(seen.verified, true);
    assert.ok(Number(seen.processes_ended) >= 1);
    assert.equal(tasks().runs.find('run 1')?.liveness.kind, 'ended');
  });

  it('says of a run that is over how it ended', async () => {
    await launch('exit 3');
    await until('end', () => tasks().runs.find('run 1')?.liveness.kind === 'ended');
    const seen = await answer(tool(), { run: 1 });
    assert.deepEqual([seen.status, seen.verdict], ['already_exited', 'failed (exit code 3)']);
  });

  it('takes signals by name and number, and no others', async () => {
    await launch('echo ready; while :; do sleep 0.05; done');
    // Before its command, the process of a run is a shell of the supervisor.
    await until('output', () => tasks().runs.find('run 1')?.lastOutputMs !== undefined);
    assert.equal((await answer(tool(), { run: 1, signal: 'USR1' })).status, 'not_handled');
    assert.equal((await answer(tool(), { run: 1, signal: 'SIGSTOP' })).status, 'signalled');
    assert.equal((await answer(tool(), { run: 1, signal: 'cont' })).status, 'signalled');
    await assert.rejects(call(tool(), { run: 1, signal: 'TERM; rm -rf /' }), /expected one of/);
    const seen = await answer(tool(), { run: 1, signal: 9 });
    assert.deepEqual([seen.signal, seen.status], ['KILL', 'killed']);
  });

  it('sends USR1 and USR2 to a run that handles them, which goes on', async () => {
    await launch(
      "trap 'echo got usr1' USR1; trap 'echo got usr2' USR2; echo ready; while :; do sleep 0.05; done",
    );
    const { runs } = tasks();
    const run = runs.find('run 1');
    assert.ok(run);
    const shows = (text: string) => async (): Promise<boolean> =>
      (await runs.output(run, { lines: 9 })).text.includes(text);
    const waitFor = async (text: string): Promise<void> => {
      while (!(await shows(text)())) await new Promise(setImmediate);
    };
    await waitFor('ready');
    for (const [signal, name, text] of [
      ['SIGUSR1', 'USR1', 'got usr1'],
      [12, 'USR2', 'got usr2'],
    ] as const) {
      const seen = await answer(tool(), { run: 1, signal });
      assert.deepEqual([seen.signal, seen.status], [name, 'signalled']);
      await waitFor(text);
    }
    assert.equal(run.liveness.kind, 'running');
    assert.equal((await answer(tool(), { run: 1 })).status, 'killed');
  });
});
