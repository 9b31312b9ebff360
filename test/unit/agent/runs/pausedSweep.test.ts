import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const sleep = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', sweep: 's1' }] },
};
const sweep = (command: string, more: Record<string, unknown> = {}) => ({
  name: 'sweep',
  input: { command_template: command, params: { i: [1, 2, 3, 4, 5, 6] }, ...more },
});
const kill = (more: Record<string, unknown>) => ({
  name: 'kill_task',
  input: { run: 's1', ...more },
});
const failing = 'echo "NameError: name \'x{i}\' is not defined"; exit 1';

describe('a sweep whose first points fail alike', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    for (const one of bed?.engine.runs.all() ?? [])
      await until(() => one.liveness.kind === 'ended');
    await bed?.dispose();
    bed = undefined;
  });
  const verdicts = async (...replies: ScriptedReply[]) => {
    const model = new ScriptedModel(replies);
    bed = await testEngine(model);
    const session = await bed.start();
    await session.ended;
    return { session, model, rows: session.ledger.rows.map(({ number }) => number) };
  };

  it('is paused after three, wakes the agent, and is given up', async () => {
    const { session, model, rows } = await verdicts([sweep(failing)], [sleep], [kill({})], quit);
    assert.deepEqual(rows, [1, 2, 3]);
    // On a busy machine, the sweep is paused before the agent sleeps: nothing can wake it then.
    assert.match(eventsOf(session, 'sleep.ended')[0]?.why ?? '', /^(?:alarm|run_ended)$/);
    const read = JSON.stringify(model.requests[2]?.messages);
    assert.match(read, /Sweep s1 is paused: its first 3 points failed within a minute/);
    assert.match(read, /3 more wait.*kill_task.*CONT.*NameError: name 'x1'/);
    const [end] = eventsOf(session, 'sweep.ended');
    assert.deepEqual(
      [end?.why, /^Sweep s1 .* was stopped: 3 failed/.test(end?.text ?? '')],
      ['stopped', true],
    );
  });

  it('goes on when the agent says so, and is not paused again', async () => {
    const goOn = kill({ signal: 'CONT' });
    const { session, rows } = await verdicts([sweep(failing)], [sleep], [goOn, sleep], quit);
    assert.deepEqual(rows, [1, 2, 3, 4, 5, 6]);
    assert.equal(eventsOf(session, 'sweep.paused').length, 1);
    assert.equal(eventsOf(session, 'sweep.ended')[0]?.why, 'done');
  });

  it('goes on after errors of memory, other errors, and failures after a metric', async () => {
    for (const command of [
      ': {i}; echo "torch.OutOfMemoryError: CUDA out of memory"; exit 1',
      'echo $(echo {i} | tr 1-6 a-f) failed; exit 1',
      ': {i}; echo loss=1; sleep 0.2; echo "NameError: x"; exit 1',
    ]) {
      const { session, rows } = await verdicts([sweep(command)], [sleep], quit);
      assert.deepEqual([rows.length, eventsOf(session, 'sweep.paused').length], [6, 0], command);
      await bed?.dispose();
    }
  });
});
