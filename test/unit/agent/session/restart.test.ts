import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
} from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const run = (command: string) => ({
  name: 'remote_exec_background',
  input: { command, metric_names: ['loss'] },
});
const untilStop = 'while [ ! -e stop ]; do sleep 0.05; done; echo loss=0.5';
const textOf = (model: ScriptedModel, index: number): string =>
  JSON.stringify(model.requests[index]);

describe('restart', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    if (bed !== undefined) await writeFile(path.join(bed.work, 'stop'), '');
    for (const one of bed?.engine.runs.all() ?? [])
      await until(() => one.liveness.kind === 'ended');
    await bed?.dispose();
    bed = undefined;
  });

  it('keeps run, monitor, check-in, sticky and note', async () => {
    const clock = new ManualClock();
    const monitor = {
      name: 'start_monitor',
      input: { goal: 'watch for NaN', interval_minutes: 5 },
    };
    const note = { name: 'memory_write', input: { path: '/best', gist: 'lr 0.1 is best' } };
    bed = await testEngine(new ScriptedModel([[run(untilStop), monitor, note], 'I wait.']), {
      clock,
    });
    const first = await bed.start();
    await first.pin('never touch data/');
    await eventually(first, 'sleep.started');
    await until(() => first.state.phase === 'sleeping');
    const model = new ScriptedModel(['hang']);
    bed = await bed.restart(model);
    const second = await bed.engine.sessions.resume(first.id);
    assert.equal(second.state.phase, 'sleeping');
    assert.equal(second.state.monitor?.goal, 'watch for NaN');
    assert.equal(second.state.sleep?.isCheckIn, true);
    assert.deepEqual([...second.state.stickies], [[1, 'never touch data/']]);
    assert.equal(bed.engine.runs.all()[0]?.liveness.kind, 'running');
    await clock.advance(5 * 60_000 + 1);
    await until(() => {
      void clock.advance(0);
      return model.requests.length === 1;
    });
    assert.match(textOf(model, 0), /Watching: watch for NaN/);
    assert.match(textOf(model, 0), /run 1 .*local:\d+/);
    assert.match(textOf(model, 0), /\/best.*lr 0\.1 is best/);
    assert.match(textOf(model, 0), /never touch data/);
    await second.stop();
  });

  it('hears what was said to a sleeping session just before it crashed', async () => {
    bed = await testEngine(
      new ScriptedModel([
        [{ name: 'sleep', input: { reason: 'r', deadline_minutes: 60 } }],
        'hang',
      ]),
    );
    const first = await bed.start();
    await eventually(first, 'sleep.started');
    await bed.engine.close();
    const journal = path.join(first.folder, 'journal.jsonl');
    const line = {
      v: 1,
      id: 'e-said',
      at: Date.now(),
      type: 'message.added',
      origin: 'person',
      text: 'wake up',
    };
    await writeFile(journal, `${JSON.stringify(line)}\n`, { flag: 'a' });
    const model = new ScriptedModel([quit]);
    bed = await bed.restart(model);
    const second = await bed.engine.sessions.resume(first.id);
    assert.equal(await second.ended, 'blocked');
    assert.match(textOf(model, 0), /wake up/);
  });

  it('learns the verdict and the last output of a run that failed, while it works and while it sleeps', async () => {
    const fail = run('echo loss=3; echo "CUDA out of memory" >&2; exit 3');
    const model = new ScriptedModel([
      [fail],
      [
        {
          name: 'sleep',
          input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }] },
        },
      ],
      [{ name: 'task_output', input: { run: 1 } }],
      quit,
    ]);
    bed = await testEngine(model);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    const [ended] = eventsOf(session, 'run.ended');
    assert.deepEqual(ended?.verdict, { kind: 'failed', code: 3 });
    const messages = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(messages, /- run 1 .*? ended: failed \(exit code 3\) after/);
    assert.match(messages, /CUDA out of memory/);
    const [output] = eventsOf(session, 'tool.finished').filter(
      (event) => event.name === 'task_output',
    );
    assert.equal(output?.isError, false);
    assert.match(output.text, /CUDA out of memory/);
    assert.equal(session.ledger.champion, undefined);
  });

  it('still records the end of a run whose session has ended', async () => {
    bed = await testEngine(new ScriptedModel([[run(untilStop)], quit]));
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'run.ended').length, 0);
    await writeFile(path.join(bed.work, 'stop'), '');
    const ended = await eventually(session, 'run.ended');
    assert.equal(ended.verdict.kind, 'ok');
    assert.equal(session.state.phase, 'ended');
    assert.equal(session.ledger.champion?.number, 1);
  });
});
