import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { refuseBeyondLimits } from '../../../../src/agent/experiments/launchLimits.ts';
import { messageOf } from '../../../../src/base/errors.ts';
import { recorded, started } from '../../vscode/states.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { ScriptedModel, type ScriptedCall } from '../../../fakes/scriptedModel.ts';
import { eventsOf, eventually, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const goal = 'Bring loss below 0.3. Train on local only. At most 3 runs.';
const launch = (seeds: readonly number[]): ScriptedCall => ({
  name: 'remote_exec_background',
  input: {
    command: 'until [ -e asleep ]; do sleep 0.1; done; echo loss=0.2 {seed}; echo loss=0.2',
    ...{ seeds, machine_id: 'local', hypothesis: 'h' },
  },
});
const untilAllEnd: ScriptedCall = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit' }], deadline_minutes: 5 },
};
const finish = (outcome: string): ScriptedCall => ({
  name: 'finish',
  input: { outcome, summary: 's', evidence: [{ runs: 1, metric: 'loss' }] },
});

describe('the limits of a goal on launches', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const begin = async (...calls: readonly ScriptedCall[]) => {
    const model = new ScriptedModel([...calls, finish('blocked')].map((call) => [call]));
    bed = await testEngine(model);
    const session = await bed.start({ goal });
    await eventually(session, 'sleep.started');
    await writeFile(join(bed.work, 'asleep'), '');
    await session.ended;
    return { session, model };
  };
  const errors = (session: Session): string[] =>
    eventsOf(session, 'tool.finished').flatMap(({ isError, text }) => (isError ? [text] : []));

  it('are kept by refusing launches, and told in the digest and at the end', async () => {
    const { session, model } = await begin(
      launch([0, 1]),
      untilAllEnd,
      launch([2, 3]),
      launch([2]),
      untilAllEnd,
      finish('goal_met'),
    );
    const [first] = model.requests;
    assert.match(JSON.stringify(first), /Besides: at most 3 runs; runs on local only\./);
    assert.doesNotMatch(JSON.stringify(first), /Not checked by Helios/);
    const isEarly = (text: string): boolean => text.startsWith('No run goes on or waits');
    // The third run may have ended before the model sleeps.
    const refused = errors(session).filter((text) => !isEarly(text));
    assert.deepEqual(refused, [
      'Nothing was started: the goal allows at most 3 runs; 2 are used, and this would launch 2. Launch at most 1, or ask the user with ask_user how many runs there may be.',
    ]);
    assert.match(
      JSON.stringify(model.requests[2]),
      /Left of the limits: .*1 run \(2 of 3 runs used\)/,
    );
    const [end] = eventsOf(session, 'session.ended');
    assert.equal(end?.reason, 'goal');
    assert.deepEqual(end.checked?.slice(1), ['3 of at most 3 runs', 'all runs on local']);
    const text = (await bed?.engine.reports.brief(session.id)) ?? '';
    assert.match(text, /\*\*Met\*\*: 3 of at most 3 runs; all runs on local\n/);
    assert.doesNotMatch(text, /Not checked/);
  });

  const message = (text: string): JournalEvent =>
    recorded({ type: 'message.added', text, origin: 'person' } as SessionEvent);
  const refusal = (machineId: string, count: number, events: readonly JournalEvent[] = []) => {
    const requirements = { unchanged: [], checks: [], maxRuns: 3, machines: ['gpu1', 'gpu2'] };
    const state = foldSession([{ ...started(goal), requirements }, ...events]);
    assert.ok(state);
    try {
      refuseBeyondLimits(state, events, { count, machineIds: [machineId] });
      return '';
    } catch (error) {
      return messageOf(error);
    }
  };

  it('name the machines, until the user names another one or another number', () => {
    assert.equal(refusal('gpu1', 3), '');
    assert.equal(
      refusal('local', 3),
      'Nothing was started: the goal says to run on gpu1 and gpu2 only. Launch there, or ask the user with ask_user on which machine to run.',
    );
    assert.match(
      refusal('gpu2', 4),
      /^Nothing was started: the goal allows at most 3 runs; 0 are /,
    );
    assert.match(refusal('gpu2', 4, [message('run 2 looks good')]), /^Nothing was started/);
    assert.equal(refusal('local', 3, [message('local is free, too')]), '');
    assert.equal(refusal('gpu2', 4, [message('take 5 more runs')]), '');
  });
});
