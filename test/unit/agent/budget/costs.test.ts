import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  billText,
  costBefore,
  costLines,
  costsByRun,
  experimentCostLine,
  sessionBill,
} from '../../../../src/agent/budget/costs.ts';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { applyEvent, initialState } from '../../../../src/agent/journal/fold.ts';
import { ledgerOf } from '../../../../src/agent/runs/sessionLedger.ts';
import type { SessionState } from '../../../../src/agent/journal/state.ts';
import type { Cost } from '../../../../src/models/prices.ts';
import type { RunSpec } from '../../../../src/runs/run.ts';
import { random } from '../../../fakes/random.ts';
import { recorded, runState, started } from '../../vscode/states.ts';

const call = (cost: Cost, model = 'claude-opus-5-5'): SessionEvent => ({
  type: 'model.consulted',
  purpose: 'consult',
  callId: 'c',
  provider: 'claude',
  model,
  usage: { inputTokens: 100, cacheReadTokens: 300, cacheWriteTokens: 0, outputTokens: 100 },
  cost,
});
const turn = (number: number): SessionEvent => ({
  type: 'model.requested',
  turn: number,
  provider: 'claude',
  model: 'claude-opus-5-5',
});
const launch = (number: number, sweepId?: string): SessionEvent[] => {
  const { spec, process } = runState(number);
  const whole: RunSpec = {
    ...spec,
    ...(sweepId && { sweep: { id: sweepId, index: number, params: {} } }),
  } as RunSpec;
  assert.ok(process);
  return [
    { type: 'run.planned', spec: whole, callId: `call ${number}` },
    { type: 'run.started', runId: spec.id, process },
  ];
};
const after = (...events: readonly SessionEvent[]): SessionState =>
  events.reduce((state, event) => applyEvent(state, recorded(event)), initialState(started()));
const usdOfRuns = (state: SessionState): number[] =>
  ledgerOf(state, () => []).rows.map(({ cost }) => cost?.usd ?? Number.NaN);

describe('costs', () => {
  it('of an experiment are those from its launch to that of the next', () => {
    const state = after(
      turn(1),
      call({ usd: 1 }),
      ...launch(1),
      turn(2),
      call({ usd: 2 }),
      call({ usd: 4 }),
      turn(3),
      call({ usd: 8 }),
      ...launch(2),
      turn(4),
      call({ usd: 16 }),
    );
    assert.equal(costBefore(state).usd, 1);
    assert.deepEqual(usdOfRuns(state), [14, 16]);
    assert.deepEqual(
      state.allowances.map(({ key, turns }) => `${key}: ${turns}`),
      ['start: 1', 'turn 1: 2', 'turn 3: 1'],
    );
  });

  it('are shared by runs that were launched together, and by the points of a sweep, also later ones', () => {
    const together = after(turn(1), ...launch(1), ...launch(2), turn(2), call({ usd: 3 }));
    assert.deepEqual(usdOfRuns(together), [1.5, 1.5]);
    assert.match(experimentCostLine(together) ?? '', /^2 launches · \$1\.50 and /);
    const sweep = after(
      turn(1),
      ...launch(1, 'sw1'),
      turn(2),
      call({ usd: 3 }),
      ...launch(2, 'sw1'),
      turn(3),
      ...launch(3),
      turn(4),
      call({ usd: 5 }),
      ...launch(4, 'sw1'),
      call({ usd: 1 }),
    );
    assert.deepEqual(usdOfRuns(sweep), [1, 1, 6, 1]);
    assert.match(experimentCostLine(sweep) ?? '', /^2 launches · \$4\.50 and /);
  });

  it('add up to those of the session, whatever happens in whichever order', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const next = random(seed);
      let runs = 0;
      const events = Array.from({ length: 60 }, (_, index): SessionEvent[] => {
        if (runs < 9 && next() < 0.2)
          return launch((runs += 1), next() < 0.4 ? `sw${Math.ceil(next() * 2)}` : undefined);
        return next() < 0.5 ? [turn(index)] : [call({ usd: Math.ceil(next() * 100) / 64 })];
      });
      const state = after(...events.flat());
      const costs = [costBefore(state), ...costsByRun(state).values()];
      assert.equal(costsByRun(state).size, runs);
      const usd = costs.reduce((sum, cost) => sum + cost.usd, 0);
      assert.ok(Math.abs(usd - state.usd) < 1e-9, `seed ${seed}: ${usd} of ${state.usd}`);
      const tokens = costs.reduce((sum, cost) => sum + cost.tokens, 0);
      assert.ok(Math.abs(tokens - state.inputTokens - state.outputTokens) < 1e-6);
    }
  });

  it('say what is not known, what a plan covers, and what came from a cache', () => {
    const state = after(
      call({ usd: 1.2 }),
      call({ usd: 0.4, isPlan: true }, 'gpt-6'),
      ...launch(1),
      call({ unknown: 'no price' }, 'mystery'),
    );
    assert.deepEqual(costLines(state), [
      'claude/claude-opus-5-5: 1 call · 500 tokens, 75 % of the input from a cache · $1.20',
      'claude/gpt-6: 1 call · 500 tokens, 75 % of the input from a cache · $0.40 at list price, covered by your plan',
      'claude/mystery: 1 call · 500 tokens, 75 % of the input from a cache · at least $0.00',
      '1 launch · at least $0.00 and 500 tokens each on average · $1.60 before the first',
    ]);
    assert.equal(
      billText(state),
      'at least $1.60, of which $0.40 at list price is covered by your plan',
    );
    assert.equal(sessionBill(state), billText(state));
    assert.equal(sessionBill({ ...state, provider: 'demo' }), '$0.00 (no model is called)');
  });
});
