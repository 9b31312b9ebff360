import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { boundedLimit } from '../../../../src/runs/run.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const launch = (more: Record<string, unknown>) => ({
  name: 'remote_exec_background',
  input: { command: `echo ${Object.values(more).join('-')} loss=1`, ...more },
});

describe('the minutes of runs', () => {
  let bed: TestEngine | undefined;
  afterEach(() => bed?.dispose());

  it('bound each launch and each point, whatever the agent asks, and the model knows', async () => {
    const sweep = {
      name: 'sweep',
      input: { command_template: 'echo loss={i}', params: { i: [3] }, max_minutes: 90 },
    };
    const model = new ScriptedModel([
      [launch({}), launch({ max_minutes: 60 }), launch({ max_minutes: 2 }), sweep],
      quit,
    ]);
    bed = await testEngine(model, { settings: { runMinutes: 30 } });
    await writeFile(path.join(bed.work, 'helios.json'), '{"runMinutes": 5}');
    const session = await bed.start();
    await session.ended;
    assert.deepEqual(
      [...session.state.runs.values()].map(({ spec }) => spec.limit?.ms),
      [300_000, 300_000, 120_000, 300_000],
    );
    assert.match(
      JSON.stringify(model.requests[0]?.system),
      /every run and every point of a sweep to 5 minutes from its launch/,
    );
  });

  it('are those of the user where the project allows more', async () => {
    const model = new ScriptedModel([[launch({}), launch({ max_minutes: 60 })], quit]);
    bed = await testEngine(model, { settings: { runMinutes: 3 } });
    await writeFile(path.join(bed.work, 'helios.json'), '{"runMinutes": 30}');
    const session = await bed.start();
    await session.ended;
    assert.deepEqual(
      [...session.state.runs.values()].map(({ spec }) => spec.limit?.ms),
      [180_000, 180_000],
    );
  });

  it('bound a clock that starts later, too', () => {
    const later = { ms: 60_000, from: 'first_metric' } as const;
    assert.deepEqual(boundedLimit(later, 5), { ...later, maxMs: 300_000 });
    assert.deepEqual(boundedLimit(undefined, 5), { ms: 300_000, from: 'launch' });
    assert.deepEqual(boundedLimit(later, undefined), later);
  });
});
