import assert from 'node:assert/strict';
import { utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { afterEach, describe, it } from 'mocha';
import { measuresOf, nothingSpent } from '../../../../src/agent/budget/measures.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { homeAt } from '../../../../src/storage/home.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { SleepyComputer } from '../../../fakes/sleepyComputer.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
} from '../../../fakes/testEngine.ts';

const minuteMs = 60_000;
const deadOwner = { token: 'dead', pid: 2 ** 22, processStart: '1', host: hostname() };

describe('the time between a crash and the resumption', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  /** Ends the process ten minutes after the start, and resumes the session two hours later. */
  async function resumedAfter(end: 'crash' | 'close', clock: ManualClock): Promise<Session> {
    bed = await testEngine(new ScriptedModel(['hang']), { clock });
    const first = await bed.start({ budget: { minutes: 60 } });
    await eventually(first, 'model.requested');
    bed = await bed.restart(new ScriptedModel(['hang']));
    if (end === 'crash') {
      const lease = homeAt(bed.home).leaseFile(first.id);
      await writeFile(lease, JSON.stringify(deadOwner));
      const seen = new Date(clock.now() + 10 * minuteMs);
      await utimes(lease, seen, seen);
    }
    clock.pass(130 * minuteMs);
    return await bed.engine.sessions.resume(first.id);
  }

  const minutesOf = ({ state }: Pick<Session, 'state'>, nowMs: number): number | undefined =>
    measuresOf({ state, today: nothingSpent, nowMs }).find(({ limit }) => limit === 'minutes')
      ?.used;

  it('does not count as minutes of the session', async () => {
    const clock = new ManualClock();
    const startMs = clock.now();
    const session = await resumedAfter('crash', clock);
    const [resumed] = eventsOf(session, 'session.resumed');
    assert.equal(resumed?.lastSeenAt, startMs + 10 * minuteMs);
    assert.equal(minutesOf(session, clock.now()), 10);
    assert.equal(session.state.end, undefined);
  });

  it('is not known after a close, and in journals of older versions', async () => {
    const clock = new ManualClock();
    const session = await resumedAfter('close', clock);
    const [resumed] = eventsOf(session, 'session.resumed');
    assert.equal(resumed?.lastSeenAt, undefined);
    assert.equal(minutesOf(session, clock.now()), 130);
  });

  it('is never negative, whatever the clocks say', async () => {
    const clock = new ManualClock();
    const session = await resumedAfter('crash', clock);
    const late = session
      .events()
      .map((event) =>
        event.type === 'session.resumed' ? { ...event, lastSeenAt: event.at + minuteMs } : event,
      );
    const state = foldSession(late);
    assert.ok(state);
    assert.equal(minutesOf({ state }, clock.now()), 130);
  });
});

describe('the time for which the computer slept', () => {
  it('is told to the model once, in the next request, and no minutes are used up by it', async () => {
    const clock = new ManualClock();
    const computer = new SleepyComputer(clock);
    const model = new ScriptedModel((_, index) => {
      if (index === 0) computer.sleep(8 * 60 * minuteMs);
      return index < 2 ? [{ name: 'memory_ls', input: {} }] : 'hang';
    });
    const bed = await testEngine(model, { clock, awakeTime: computer });
    try {
      const session = await bed.start({ budget: { minutes: 60 } });
      await until(() => model.requests.length === 3);
      assert.equal(session.state.restMs, 8 * 60 * minuteMs);
      const [first, second, third] = model.requests.map(
        ({ messages }) => JSON.stringify(messages).split('The computer slept').length - 1,
      );
      assert.deepEqual([first, second, third], [0, 1, 1]);
    } finally {
      await bed.dispose();
    }
  });
});
