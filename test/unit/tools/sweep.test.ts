import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Confinement } from '../../../src/machines/confinement/policy.ts';
import { sweep, type SweepStarter } from '../../../src/tools/runs/sweep.ts';
import { answer, sessionId } from './machineTools.harness.ts';
import { useTasks } from './taskTools.harness.ts';

describe('sweep', () => {
  const { folder, tasks } = useTasks();

  it('warns once of a folder that its runs may not change, as a launch does', async () => {
    const { launcher, machines } = tasks();
    const confined = async (writable: string): Promise<unknown> => {
      const confinement: Confinement = { network: 'all', writable: [writable], sessionId };
      const starter: SweepStarter = {
        machines,
        async start({ plan }, context) {
          const launches = plan.points.map(({ command, label }) =>
            launcher.launch(
              { machineId: 'local', command, label, metrics: {}, experiment: {} },
              context,
            ),
          );
          const runs = (await Promise.all(launches)).flatMap(({ run }) =>
            // The run itself is not confined, because not every computer can.
            run === undefined ? [] : Object.assign(run, { spec: { ...run.spec, confinement } }),
          );
          return { id: 's1', experimentId: 'e1', notes: [], runs, waiting: 0, table: '' };
        },
      };
      const input = { command_template: 'echo loss={lr}', params: { lr: [1, 2] } };
      return (await answer(sweep(starter), input)).warnings;
    };
    const [warning, ...others] = (await confined('/elsewhere')) as string[];
    assert.match(
      warning ?? '',
      new RegExp(`^The run cannot write in ${folder()}, where it starts`),
    );
    assert.deepEqual(others, []);
    assert.equal(await confined(folder()), undefined);
  });
});
