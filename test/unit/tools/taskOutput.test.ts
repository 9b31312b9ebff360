import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { systemClock } from '../../../src/base/clock.ts';
import { remoteExecBackground } from '../../../src/tools/runs/remoteExecBackground.ts';
import { taskOutput } from '../../../src/tools/runs/taskOutput.ts';
import { until } from '../../fakes/scratch.ts';
import { answer, call } from './machineTools.harness.ts';
import { noSweeps, useTasks } from './taskTools.harness.ts';

describe('task_output', () => {
  const { tasks } = useTasks();
  const launch = (command: string) =>
    answer(remoteExecBackground(tasks().launcher, noSweeps), { command });
  const tool = () => taskOutput({ ...tasks(), clock: systemClock });

  it('shows the last lines of a run while it goes on', async () => {
    const { task } = await launch('seq 1 100; sleep 60');
    await until(
      'output is there',
      async () => (await answer(tool(), { task_id: task, lines: 2 })).output === '99\n100',
    );
    const seen = await answer(tool(), { task_id: task, lines: 2 });
    assert.deepEqual([seen.running, seen.status, seen.log_bytes], [true, 'running', 292]);
    assert.match(String(seen.earlier_output), /larger lines/);
  });

  it('still knows a run that has ended, by every name', async () => {
    const { pid, run_id: runId, task } = await launch('echo Traceback; exit 3');
    await until('end', () => tasks().runs.find('run 1')?.liveness.kind === 'ended');
    for (const name of [
      { pid },
      { machine_id: 'local', pid },
      { run: 1 },
      { run_id: runId },
      { task_id: task },
    ]) {
      const seen = await answer(tool(), name);
      assert.deepEqual(
        [seen.running, seen.status, seen.output],
        [false, 'failed (exit code 3)', 'Traceback'],
      );
    }
  });

  it('names the runs there are when it does not know one', async () => {
    await assert.rejects(call(tool(), { run: 9 }), /run 9 is unknown. No run has been started/);
    const { task } = await launch('true');
    await assert.rejects(
      call(tool(), { pid: 1 }),
      new RegExp(`local:1.*\n- run 1 \\(${String(task)}\\)`),
    );
    await assert.rejects(call(tool(), {}), /No run is given/);
  });
});
