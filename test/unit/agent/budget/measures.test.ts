import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { billText } from '../../../../src/agent/budget/costs.ts';
import {
  budgetAlarm,
  budgetEndMs,
  isUsedUp,
  limitsMoney,
  measuresOf,
  nothingSpent,
  startOfDay,
} from '../../../../src/agent/budget/measures.ts';
import { begun } from '../../../../src/agent/journal/allowanceFold.ts';
import { applyEvent } from '../../../../src/agent/journal/fold.ts';
import type { Budget } from '../../../../src/agent/journal/events.ts';
import type { Allowance, SessionState } from '../../../../src/agent/journal/state.ts';
import { runId, startMs, stateOf } from '../../vscode/states.ts';

const minuteMs = 60_000;
/** An experiment that was launched ten minutes after the start. */
const launched = (changes: Partial<Allowance> = {}): Allowance => ({
  ...begun('turn 1', startMs + 10 * minuteMs, [runId(1)]),
  ...changes,
});
const limited = (
  budget: Budget,
  allowances: readonly Allowance[] = [begun('start', startMs)],
): SessionState => stateOf({ budget, allowances });

describe('measures', () => {
  const used = (state: SessionState, minutes = 0): string[] =>
    measuresOf({ state, today: nothingSpent, nowMs: startMs + minutes * minuteMs }).map(
      (measure) => `${measure.scope} ${measure.limit} ${measure.used} of ${measure.of}`,
    );

  it('leave out the time for which the session was ended', () => {
    const end = {
      reason: 'user',
      summary: '',
      evidence: [],
      atMs: startMs + 10 * minuteMs,
    } as const;
    const over = { ...limited({ minutes: 30 }), phase: 'ended', end } as const;
    assert.deepEqual(used(over, 500), ['goal minutes 10 of 30']);
    const event = { v: 1, id: 'e-1', at: startMs + 500 * minuteMs, type: 'message.added' } as const;
    const again = applyEvent(over, { ...event, origin: 'person', text: 'go on' });
    assert.deepEqual(used(again, 505), ['goal minutes 15 of 30']);
    assert.equal(budgetEndMs(again), startMs + 520 * minuteMs);
  });

  it('of an experiment begin with the first launch', () => {
    const budget: Budget = { experiment: { usd: 1, minutes: 20 } };
    assert.deepEqual(used(limited(budget), 15), []);
    assert.deepEqual(used(limited(budget, [launched({ usd: 0.5 })]), 15), [
      'experiment usd 0.5 of 1',
      'experiment minutes 5 of 20',
    ]);
  });

  it('of a goal begin with its start, and count what was read and written', () => {
    const state = {
      ...limited({ tokens: 9, minutes: 30, turns: 4 }),
      inputTokens: 3,
      outputTokens: 4,
      turns: 2,
    };
    assert.deepEqual(used(state, 15), [
      'goal tokens 7 of 9',
      'goal minutes 15 of 30',
      'goal turns 2 of 4',
    ]);
  });

  it('are used up at the very limit', () =>
    assert.deepEqual(
      [9.99, 10, 11].map((spent) => isUsedUp({ scope: 'goal', limit: 'usd', used: spent, of: 10 })),
      [false, true, true],
    ));

  const atMinute = (state: SessionState): readonly [minute: number, what: string] | undefined => {
    const alarm = budgetAlarm(state);
    return alarm && [(alarm.atMs - startMs) / minuteMs, alarm.what];
  };
  const goalOver = 'the minutes of the budget are used up';
  const experimentOver = 'the minutes of this experiment are used up';
  const alarms: readonly (readonly [
    string,
    SessionState,
    readonly [number, string] | undefined,
  ])[] = [
    ['never without minutes', limited({ usd: 1 }, [launched()]), undefined],
    ['with the minutes of the goal', limited({ minutes: 30 }, [launched()]), [30, goalOver]],
    [
      'with those of the experiment',
      limited({ minutes: 30, experiment: { minutes: 5 } }, [launched()]),
      [15, experimentOver],
    ],
    [
      'with the goal where both are over',
      limited({ minutes: 15, experiment: { minutes: 5 } }, [launched()]),
      [15, goalOver],
    ],
    ['never for an experiment before a launch', limited({ experiment: { minutes: 5 } }), undefined],
    [
      'once for an experiment',
      limited({ experiment: { minutes: 5 } }, [launched({ overAtTurns: 3 })]),
      undefined,
    ],
  ];
  for (const [name, state, expected] of alarms)
    it(`end a sleep ${name}`, () => assert.deepEqual(atMinute(state), expected));

  it('need prices wherever money is limited', () => {
    const needs = [
      limitsMoney({ usd: 1 }),
      limitsMoney({ experiment: { usd: 1 } }),
      limitsMoney({}, { usd: 1 }),
    ];
    assert.deepEqual(needs, [true, true, true]);
    assert.equal(limitsMoney({ tokens: 1, experiment: { turns: 1 } }, { tokens: 1 }), false);
  });

  it('of a day begin at midnight of this computer', () => {
    const midnight = new Date(2026, 2, 1).getTime();
    assert.deepEqual([midnight, midnight + 1, midnight + 86_399_999].map(startOfDay), [
      midnight,
      midnight,
      midnight,
    ]);
    assert.equal(startOfDay(midnight - 1), new Date(2026, 1, 28).getTime());
  });
});

describe('bills', () => {
  it('name the share of a plan, and that all of it is one', () => {
    const bill = (usd: number, planUsd: number): string =>
      billText({ usd, planUsd, hasUnknownCost: false });
    assert.equal(bill(2, 0), '$2.00');
    assert.equal(bill(2, 2), '$2.00 at list price, covered by your plan');
    assert.equal(bill(2, 0.5), '$2.00, of which $0.50 at list price is covered by your plan');
  });
});
