import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const untilStop = 'while [ ! -e stop ]; do sleep 0.05; done; echo loss=0.5';
const launch = (command: string, more: Record<string, unknown> = {}) => ({
  name: 'remote_exec_background',
  input: { command, metric_names: ['loss'], ...more },
});
const sleep = (...conditions: Record<string, unknown>[]) => ({
  name: 'sleep',
  input: { reason: 'r', wake_conditions: conditions },
});

/** Texts of the last request, each block from the line after the one before, as providers join. */
const lastText = (model: ScriptedModel): string =>
  (model.requests.at(-1)?.messages ?? [])
    .flatMap(({ content }) => content.flatMap((one) => (one.type === 'text' ? [one.text] : [])))
    .join('');

describe('a sleep on runs', () => {
  let bed: TestEngine | undefined;
  const stop = () => writeFile(path.join(bed?.work ?? '', 'stop'), '');
  afterEach(async () => {
    if (bed !== undefined) await stop();
    for (const one of bed?.engine.runs.all() ?? [])
      await until(() => one.liveness.kind === 'ended');
    await bed?.dispose();
    bed = undefined;
  });

  it('right after launches waits for all of them, whose ids are not known yet', async () => {
    const call = sleep({ type: 'process_exit' });
    bed = await testEngine(new ScriptedModel([[launch(untilStop), launch('true'), call], quit]));
    const session = await bed.start();
    // The short run may be over before the session sleeps.
    const has = (type: 'run.ended' | 'sleep.started') => eventsOf(session, type).length === 1;
    await until(() => has('run.ended') && has('sleep.started'));
    assert.equal(session.state.phase, 'sleeping');
    await stop();
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'sleep.ended')[0]?.detail, 'every run has ended');
  });

  it('hears a metric that the run spells otherwise as it is printed, not at the end', async () => {
    const printed = `while [ ! -e go ]; do sleep 0.05; done; echo 'epoch 55 test rmse 0.0571'; ${untilStop}`;
    const call = sleep({
      ...{ type: 'metric', metric_name: 'test_rmse', direction: 'below', threshold: 0.0575 },
    });
    const metrics = { metric_names: ['test rmse'] };
    bed = await testEngine(new ScriptedModel([[launch(printed, metrics), call], quit]));
    const session = await bed.start();
    await until(() => eventsOf(session, 'sleep.started').length === 1);
    await writeFile(path.join(bed.work, 'go'), '');
    await until(() => eventsOf(session, 'sleep.ended').length === 1);
    assert.equal(eventsOf(session, 'sleep.ended')[0]?.detail, 'test_rmse < 0.0575');
    assert.equal(eventsOf(session, 'run.ended').length, 0);
  });

  it('does not begin when the launch before it failed, and says so in one line', async () => {
    const calls = [
      launch('true', { machine_id: 'gpu9' }),
      sleep({ type: 'process_exit', run: '1' }),
    ];
    bed = await testEngine(new ScriptedModel([calls, quit]));
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    const told = eventsOf(session, 'tool.finished').find(({ name }) => name === 'sleep');
    assert.equal(told?.text, 'Not put to sleep: nothing was launched in this reply.');
    assert.equal(eventsOf(session, 'sleep.started').length, 0);
  });

  it('tells at a wake what each run did, the best first, and shows at once why one crashed', async () => {
    const exits = ['1', '2', '4'].map((run) => ({ type: 'process_exit', run }));
    const calls = [
      launch('echo loss=0.7', { label: 'slow' }),
      launch('echo loss=0.2', { label: 'fast' }),
      launch(untilStop, { label: 'long' }),
      launch('echo loss=0.1; echo no such file >&2; exit 3', { label: 'broken' }),
      { name: 'sleep', input: { reason: 'r', wake_conditions: exits, logic: 'all' } },
    ];
    const model = new ScriptedModel([calls, quit]);
    bed = await testEngine(model);
    const session = await bed.start();
    assert.equal(await session.ended, 'blocked');
    const told = lastText(model);
    assert.match(told, /^- run 2 {2}loss 0\.20? +ended: ok after .* 1 point · fast$/m);
    const order = [...told.matchAll(/^- (run \d) /gm)].map(([, name]) => name);
    assert.deepEqual(order, ['run 2', 'run 1', 'run 3', 'run 4']);
    assert.match(told, /^- run 4 .*ended: failed \(exit code 3\) after/m);
    assert.match(told, /<untrusted from="output of run 4">[^<]*no such file/);
    assert.doesNotMatch(told, /\[Run \d.* ended: /, 'no end is told twice');
  });

  it('that the user ends tells what the runs do, too', async () => {
    const model = new ScriptedModel([
      [launch('echo loss=0.7; ' + untilStop, { label: 'long' }), sleep({ type: 'process_exit' })],
      quit,
    ]);
    bed = await testEngine(model);
    const session = await bed.start();
    await until(
      () =>
        session.state.phase === 'sleeping' &&
        bed?.engine.runs.all()[0]?.metrics.summaries()[0] !== undefined,
    );
    await session.say('what is it doing?');
    assert.equal(await session.ended, 'blocked');
    assert.match(lastText(model), /what is it doing\?/);
    assert.match(lastText(model), /^Woke after .*: the user wrote or answered\.$/m);
    assert.match(lastText(model), /^- run 1 {2}loss 0\.7.* running for .* long/m);
  });
});
