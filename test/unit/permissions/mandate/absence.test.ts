import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { asks } from '../../../../src/permissions/commands/verdicts/verdict.ts';
import { createGate, type Answer, type GateCall } from '../../../../src/permissions/gate.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';

const minuteMs = 60_000;
const never = new AbortController().signal;
const call = (number: number, repairs: readonly string[] = []): GateCall => ({
  ...{ callId: `c${number}`, tool: 'remote_exec', title: '', effect: 'execute' as const },
  ...{ accesses: [], isOwnData: false, detail: `command: run ${number}`, repairs },
});

describe('mode ask with nobody there', () => {
  const night = (answer?: Answer) => {
    const clock = new ManualClock();
    const asked: string[] = [];
    const waiting: string[] = [];
    let act = (): void => undefined;
    const gate = createGate({
      mode: () => 'ask',
      clock,
      judge: () => Promise.resolve(asks('runs code', '')),
      ask({ detail }) {
        asked.push(detail);
        return answer === undefined ? new Promise(() => undefined) : Promise.resolve(answer);
      },
      onUserActed: (listener) => void (act = listener),
      refused: {
        answerTo: () => undefined,
        add: ({ detail }) => Promise.resolve(waiting.push(detail) > 0),
      },
    });
    /** Decides on a call, and lets time pass as long as it needs. */
    const decide = async (given: GateCall) => {
      let isDone = false;
      const deciding = gate.decide(given, never).finally(() => (isDone = true));
      await clock.advance(0);
      while (!isDone) await clock.advance(minuteMs / 2);
      return deciding;
    };
    return { clock, asked, waiting, decide, act: () => act() };
  };

  it('delays twenty calls once, and puts each into the inbox', async () => {
    const { clock, asked, waiting, decide } = night();
    const startMs = clock.now();
    for (let number = 1; number <= 20; number += 1) {
      const { isAllowed, isQueued } = await decide(
        call(number, number % 3 === 0 ? ['quotes'] : []),
      );
      assert.deepEqual([isAllowed, isQueued], [false, true]);
    }
    assert.ok(clock.now() - startMs <= 11 * minuteMs, `${(clock.now() - startMs) / minuteMs} min`);
    assert.equal(asked.length, 1);
    assert.equal(waiting.length, 20);
  });

  it('waits no longer in all for calls that are asked about for a shorter time', async () => {
    const { clock, decide } = night();
    const startMs = clock.now();
    for (let number = 1; number <= 20; number += 1) await decide(call(number, ['quotes']));
    assert.ok(clock.now() - startMs <= 11 * minuteMs);
  });

  it('asks again once the user has done something', async () => {
    const { clock, asked, decide, act } = night();
    await decide(call(1));
    await decide(call(2));
    assert.equal(asked.length, 1);
    act();
    const startMs = clock.now();
    await decide(call(3));
    assert.equal(asked.length, 2);
    assert.equal(clock.now() - startMs, 10 * minuteMs);
  });

  it('puts no call into the inbox that the user refused', async () => {
    const { waiting, decide } = night('deny');
    assert.equal((await decide(call(1))).isQueued, undefined);
    assert.deepEqual(waiting, []);
  });
});
