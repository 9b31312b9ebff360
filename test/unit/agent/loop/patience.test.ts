import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type Script, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, until, type TestEngine } from '../../../fakes/testEngine.ts';

const quit = [{ name: 'finish', input: { outcome: 'blocked', summary: 'ok' } }];
const endless = {
  name: 'remote_exec_background',
  input: { command: 'while [ ! -e stop ]; do sleep 0.1; done' },
};
const nap = (minutes: number) => [
  { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'timer', minutes }] } },
];

describe('patience', () => {
  let bed: TestEngine | undefined;
  const clock = new ManualClock();
  const begin = async (script: Script | readonly ScriptedReply[], more: object = {}) => {
    const model = new ScriptedModel(script);
    bed = await testEngine(model, { clock, settings: { idleTurns: 1 } });
    return { model, session: await bed.start(more) };
  };
  afterEach(async () => {
    if (bed !== undefined) await writeFile(path.join(bed.work, 'stop'), '');
    for (const run of bed?.engine.runs.all() ?? [])
      await until(() => run.liveness.kind === 'ended');
    await bed?.dispose();
    bed = undefined;
  });
  /** Lets time pass while the session sleeps, until it has been asked `count` times or is over. */
  const pass = async (session: Session, model: ScriptedModel, count: number): Promise<void> => {
    while (model.requests.length < count && session.state.phase !== 'ended') {
      if (session.state.phase === 'sleeping') await clock.advance(60_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };

  it('lasts through a night of check-ins while a run goes on', async () => {
    const monitor = { name: 'start_monitor', input: { goal: 'watch', interval_minutes: 5 } };
    const { model, session } = await begin((_request, index) =>
      index === 0 ? [endless, monitor] : 'Nothing new.',
    );
    await pass(session, model, 5);
    assert.equal(session.state.end, undefined);
  });

  it('lasts through many sleeps while a run goes on', async () => {
    const { model, session } = await begin((_request, index) => (index === 0 ? [endless] : nap(2)));
    await pass(session, model, 12);
    assert.equal(session.state.end, undefined);
  });

  it('ends when nothing goes on that is worth waiting for', async () => {
    const { model, session } = await begin(() => nap(2));
    await pass(session, model, 60);
    assert.equal(session.state.end?.reason, 'no_progress');
  });

  it('ends when a run is only looked at, again and again', async () => {
    const { model, session } = await begin((_request, index) =>
      index === 0 ? [endless] : [{ name: 'show_metrics', input: {} }],
    );
    await pass(session, model, 60);
    assert.equal(session.state.end?.reason, 'no_progress');
  });

  it('ends with the minutes of the budget, also while asleep, without another request', async () => {
    const { model, session } = await begin((_request, index) => (index === 0 ? nap(600) : quit), {
      budget: { minutes: 90 },
    });
    await until(() => session.state.phase === 'sleeping' && clock.pendingTimers > 2);
    await clock.advance(89 * 60_000);
    assert.equal(session.state.end, undefined);
    // The alarm may be set only now, on a busy machine: it rings at the next move of the clock.
    while (session.state.end === undefined) {
      await clock.advance(2 * 60_000);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.equal(await session.ended, 'budget');
    assert.equal(model.requests.length, 1);
    // The deadline of a sleep is never after the end of the minutes.
    assert.match(
      eventsOf(session, 'sleep.ended')[0]?.detail ?? '',
      /^(?:deadline|the minutes of the budget are used up)$/,
    );
  });

  it('ends with the money of the budget before the call that would break it', async () => {
    const model = new ScriptedModel(() => ({
      calls: [{ name: 'list_machines', input: {} }],
      reply: {
        usage: {
          inputTokens: 100_000,
          cacheReadTokens: 0,
          cacheWriteTokens: 0,
          outputTokens: 1_000,
        },
      },
    }));
    Object.assign(model, { id: 'claude', defaultModel: 'claude-opus-4-6' });
    bed = await testEngine(model, { clock });
    const session = await bed.start({ budget: { usd: 1 } });
    assert.equal(await session.ended, 'budget');
    assert.equal(session.state.usd, 0.525);
    assert.match(
      session.state.end?.summary ?? '',
      /\$0\.53 of \$1\.00 are used, and what is left .* can take \$0\.7/,
    );
  });

  it('sleeps no longer than a moment on a run that has ended already', async () => {
    const { session } = await begin((_request, index) => {
      if (index === 0) return [{ name: 'remote_exec_background', input: { command: 'true' } }];
      if (index < 3)
        return [
          {
            name: 'sleep',
            input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }] },
          },
        ];
      return quit;
    });
    assert.equal(await session.ended, 'blocked');
    assert.equal(eventsOf(session, 'sleep.started').length, 2);
  });
});
