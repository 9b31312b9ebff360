import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const untilOver = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
};

describe('variables of launches and sweeps', () => {
  let bed: TestEngine | undefined;
  afterEach(() => bed?.dispose());

  it('reach each run and each point, and are part of the command that is recorded', async () => {
    const launch = {
      name: 'remote_exec_background',
      input: { command: 'echo loss=$LOSS', env: { LOSS: 7 } },
    };
    const sweep = {
      name: 'sweep',
      input: {
        command_template: 'echo loss=$LOSS',
        params: { i: [3, 4] },
        env: { LOSS: '{i}.5' },
      },
    };
    bed = await testEngine(new ScriptedModel([[launch, sweep], [untilOver], quit]));
    const session = await bed.start();
    await session.ended;
    const runs = [...session.state.runs.values()].map(({ spec }) => ({
      command: spec.command,
      loss: bed?.engine.runs
        .get(spec.id)
        ?.metrics.summaries()
        .find(({ metric }) => metric === 'loss')?.last,
    }));
    assert.deepEqual(runs, [
      { command: 'export LOSS=7; echo loss=$LOSS', loss: 7 },
      { command: 'export LOSS=3.5; echo loss=$LOSS', loss: 3.5 },
      { command: 'export LOSS=4.5; echo loss=$LOSS', loss: 4.5 },
    ]);
  });
});
