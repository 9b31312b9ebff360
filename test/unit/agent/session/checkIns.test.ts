import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const untilStop = 'while [ ! -e stop ]; do sleep 0.05; done; echo loss=0.5';
const launch = {
  name: 'remote_exec_background',
  input: { command: untilStop, metric_names: ['loss'] },
};
const monitor = {
  name: 'start_monitor',
  input: { goal: 'rising loss', interval_minutes: 0.5 },
};
const runEnds = { reason: 'training', wake_conditions: [{ type: 'process_exit', run: 1 }] };
const sleep = { name: 'sleep', input: { ...runEnds, deadline_minutes: 60 } };
const intervalMs = 30_000;

describe('a monitor while the session sleeps', () => {
  let bed: TestEngine | undefined;
  let clock: ManualClock;
  const stop = () => writeFile(path.join(bed?.work ?? '', 'stop'), '');
  afterEach(async () => {
    if (bed !== undefined) await stop();
    for (const one of bed?.engine.runs.all() ?? [])
      await until(() => one.liveness.kind === 'ended');
    await bed?.dispose();
    bed = undefined;
  });

  const asleep = (session: Session, sleeps: number): Promise<void> =>
    until(
      () =>
        session.state.phase === 'sleeping' &&
        eventsOf(session, 'sleep.started').length === sleeps &&
        // The sleep is recorded before its timers are set.
        clock.hasTimer(intervalMs),
    );
  const begin = async (model: ScriptedModel): Promise<Session> => {
    clock = new ManualClock();
    bed = await testEngine(model, { clock });
    const session = await bed.start();
    await until(() => eventsOf(session, 'run.started').length === 1);
    await asleep(session, 1);
    return session;
  };
  const digests = (session: Session): string[] =>
    eventsOf(session, 'message.added').flatMap(({ origin, text }) =>
      origin === 'monitor' ? [text] : [],
    );
  const ends = (session: Session): string[] =>
    eventsOf(session, 'sleep.ended').map(({ why }) => why);

  it('gives a digest at each interval, and the sleep goes on as it was, also after a restart', async () => {
    const first = await begin(
      new ScriptedModel([[launch], [monitor, sleep], 'Nothing new.', 'hang']),
    );
    const asked = first.state.sleep?.request;
    await clock.advance(intervalMs - 1);
    assert.deepEqual(digests(first), []);
    await clock.advance(1);
    await asleep(first, 2);
    assert.match(digests(first)[0] ?? '', /^Check-in, every 30 s.*Watching: rising loss/);
    assert.match(
      digests(first)[0] ?? '',
      /^Still waiting for: run 1 ends; at the latest until \d\d:\d\d:\d\d UTC/m,
    );
    assert.match(digests(first)[0] ?? '', /run 1 .*local:/);
    assert.deepEqual(first.state.sleep?.request, asked);
    const model = new ScriptedModel(['Nothing new.', quit]);
    bed = await bed?.restart(model);
    const second = await bed?.engine.sessions.resume(first.id);
    assert.ok(second);
    assert.deepEqual(second.state.sleep?.request, asked);
    await until(() => clock.hasTimer(intervalMs));
    await clock.advance(intervalMs);
    await asleep(second, 3);
    assert.equal(model.requests.length, 1);
    await stop();
    await second.ended;
    assert.deepEqual(ends(second), ['check_in', 'check_in', 'trigger']);
  });

  it('is followed by another sleep where the model sleeps anew', async () => {
    const anew = { name: 'sleep', input: { reason: 'later', deadline_minutes: 5 } };
    const session = await begin(new ScriptedModel([[launch], [monitor, sleep], [anew], 'hang']));
    await clock.advance(intervalMs);
    await asleep(session, 2);
    assert.equal(session.state.sleep?.request.reason, 'later');
    await session.stop();
  });

  it('does not end the session for lack of progress', async () => {
    const quiet = Array.from({ length: 40 }, () => 'Nothing new.');
    const session = await begin(new ScriptedModel([[launch], [monitor, sleep], ...quiet]));
    for (let index = 0; index < 30; index += 1) {
      await clock.advance(intervalMs);
      await asleep(session, index + 2);
    }
    assert.equal(session.state.phase, 'sleeping');
    await session.stop();
  });
});
