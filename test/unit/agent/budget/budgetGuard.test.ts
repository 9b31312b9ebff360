import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { BudgetGuard, type PlannedCall } from '../../../../src/agent/budget/guard.ts';
import {
  nothingSpent,
  startOfDay,
  type DayLimits,
  type Measure,
} from '../../../../src/agent/budget/measures.ts';
import { dueNotices, graceTurns } from '../../../../src/agent/budget/notices.ts';
import type { Budget, JournalEvent } from '../../../../src/agent/journal/events.ts';
import { SessionLog } from '../../../../src/agent/journal/sessionLog.ts';
import type { ModelRequest } from '../../../../src/models/model.ts';
import type { PriceTable } from '../../../../src/models/prices.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { SleepyComputer, standstillsOf } from '../../../fakes/sleepyComputer.ts';
import { ScriptedModel } from '../../../fakes/scriptedModel.ts';
import { recorded, runState, started, startMs, stateOf } from '../../vscode/states.ts';

const prices: PriceTable = {
  'demo/priced': { input: 10, cacheRead: 1, cacheWrite: 12, output: 50 },
};
const request: ModelRequest = {
  model: 'unpriced',
  system: [],
  messages: [],
  tools: [],
  effort: 'medium',
  conversation: 's',
};

describe('the guard of the limits', () => {
  const folder = scratchFolder();
  const clock = new ManualClock();
  const computer = new SleepyComputer(clock);
  let log: SessionLog;
  let ends: string[] = [];
  let asked = 0;
  let journals = 0;
  afterEach(() => log.close());
  beforeEach(() => void ([ends, asked] = [[], 0]));

  interface World {
    readonly budget?: Budget;
    readonly dayLimits?: DayLimits;
    readonly today?: Partial<typeof nothingSpent>;
    readonly billing?: 'plan';
    readonly maxOutputTokens?: number;
  }
  const guardOf = async ({
    budget = {},
    dayLimits,
    today,
    billing,
    maxOutputTokens,
  }: World): Promise<BudgetGuard> => {
    const { v: _v, id: _id, at: _at, ...first } = started();
    const file = join(folder(), `journal-${(journals += 1)}.jsonl`);
    log = await SessionLog.open(file, clock, { ...first, budget, provider: 'demo' });
    const standstills = standstillsOf(log, clock, computer);
    const model = new ScriptedModel([]);
    if (billing !== undefined) Object.assign(model, { billing });
    const models = model
      .models()
      .map((one) => ({ ...one, maxOutputTokens: maxOutputTokens ?? one.maxOutputTokens }));
    return new BudgetGuard({
      ...{ log, clock, prices: () => prices, dayLimits: () => dayLimits, going: () => [] },
      look: () => standstills.look(),
      provider: () => Object.assign(model, { models: () => models }),
      children: () => Promise.resolve(nothingSpent),
      today() {
        asked += 1;
        return Promise.resolve({ ...nothingSpent, ...today });
      },
      end: (reason, summary) => Promise.resolve(void ends.push(`${reason}: ${summary}`)),
    });
  };
  const call: PlannedCall = { provider: 'demo', model: 'scripted-1', contextTokens: 1_000 };

  const replies: readonly (readonly [
    name: string,
    world: World,
    call: Partial<PlannedCall>,
    tokens: number,
  ])[] = [
    ['what its model can say', { maxOutputTokens: 8_000 }, {}, 8_000],
    ['32,000 tokens, though its model can say more', { maxOutputTokens: 128_000 }, {}, 32_000],
    ['32,000 tokens of a model that no list has', {}, { model: 'mystery' }, 32_000],
    ['what was asked for', { maxOutputTokens: 8_000 }, { maxOutputTokens: 100 }, 100],
  ];
  for (const [name, deps, planned, tokens] of replies)
    it(`takes for the longest reply ${name}`, async () => {
      const guard = await guardOf({ ...deps, budget: { tokens: 10_000_000 } });
      assert.deepEqual(await guard.affordable({ ...call, ...planned }), {
        kind: 'fits',
        maxOutputTokens: tokens,
      });
    });

  it('counts nothing of what a plan covers and has no price, and ends what is billed without one', async () => {
    const plan = await guardOf({ budget: { usd: 1 }, billing: 'plan' });
    assert.equal(await plan.affordable({ ...call, model: 'unpriced' }), undefined);
    assert.equal(await plan.fitted(request, 1_000), request);
    assert.equal((await plan.affordable({ ...call, model: 'priced' }))?.kind, 'fits');
    assert.deepEqual(ends, []);
    await log.close();
    const metered = await guardOf({ budget: { usd: 1 } });
    assert.equal((await metered.affordable({ ...call, model: 'unpriced' }))?.kind, 'unpriced');
    assert.equal(await metered.fitted(request, 1_000), undefined);
    assert.match(ends.join(), /^budget: Stopped: a money limit cannot be enforced\. /);
  });

  it('holds a plan without a price to the tokens', async () => {
    const guard = await guardOf({ budget: { usd: 1, tokens: 3_000 }, billing: 'plan' });
    assert.equal((await guard.affordable({ ...call, model: 'unpriced' }))?.kind, 'over');
  });

  it('does not count the minutes in which the computer slept, also right after it', async () => {
    const guard = await guardOf({ budget: { minutes: 10 } });
    computer.sleep(8 * 3_600_000);
    assert.equal(await guard.endsNow(), false);
    assert.deepEqual([ends, log.state.restMs], [[], 8 * 3_600_000]);
  });

  it('asks what a day has cost only where a day has limits', async () => {
    const today = { tokens: 900, usd: 2 };
    const free = await guardOf({ dayLimits: {}, today });
    assert.deepEqual([await free.measures(), asked], [[], 0]);
    await log.close();
    const limited = await guardOf({ dayLimits: { tokens: 1_000 }, today });
    assert.deepEqual(await limited.measures(), [
      { scope: 'day', limit: 'tokens', used: 900, of: 1_000 },
    ]);
    assert.equal(await limited.endsNow(), false);
    assert.deepEqual(
      log.events.map((event) => (event.type === 'budget.noticed' ? event.percent : event.type)),
      ['session.started', 80],
    );
  });

  it('ends when what is left pays for no reply, and has then told that all is used', async () => {
    const guard = await guardOf({ budget: { tokens: 5_000 } });
    assert.equal(await guard.fitted(request, 1_000), undefined);
    assert.match(
      ends.join(),
      /what is left of the tokens of the goal does not pay for another call/,
    );
    assert.equal(log.state.notices.has('goal tokens 100'), true);
    assert.equal(await guard.fitted(request, 1_000), undefined);
    assert.equal(log.events.filter(({ type }) => type === 'budget.noticed').length, 1);
  });

  it('gives an experiment that is over some turns more, and not one beyond', async () => {
    const guard = await guardOf({ budget: { experiment: { turns: 1 } } });
    const run = runState(1);
    await log.record({ type: 'run.planned', callId: 'c', spec: run.spec });
    await log.record({
      type: 'run.started',
      runId: run.spec.id,
      process: run.process ?? assert.fail(),
    });
    let turn = 0;
    const next = async (): Promise<boolean> => {
      await log.record({
        type: 'model.requested',
        turn: (turn += 1),
        provider: 'demo',
        model: 'm',
      });
      return guard.endsNow();
    };
    const isEnded: boolean[] = [];
    for (let count = 0; count <= graceTurns; count += 1) isEnded.push(await next());
    assert.deepEqual(isEnded, [...Array.from({ length: graceTurns }, () => false), true]);
    assert.match(ends.join(), /the turns of this experiment are used up/);
  });
});

describe('notices of limits', () => {
  const measure = (used: number, more: Partial<Measure> = {}): Measure => ({
    ...{ scope: 'goal', limit: 'turns', used, of: 100, ...more },
  });
  const due = (
    measures: readonly Measure[],
    {
      notices = [],
      events = [],
    }: { notices?: readonly string[]; events?: readonly JournalEvent[] } = {},
  ): string[] =>
    dueNotices(measures, {
      state: stateOf({ notices: new Set(notices) }),
      events,
      nowMs: startMs,
    }).map(({ scope, limit, percent }) => `${scope} ${limit} ${percent}`);

  const edges = [
    [49.9, []],
    [50, ['goal turns 50']],
    [79.9, ['goal turns 50']],
    [80, ['goal turns 80']],
    [99.9, ['goal turns 80']],
    [100, ['goal turns 100']],
    [250, ['goal turns 100']],
  ] as const;
  for (const [used, told] of edges)
    it(`at ${used} %: ${told.join() || 'none'}`, () =>
      assert.deepEqual(due([measure(used)]), told));

  it('are not due for a share that was told, nor for a lower one', () => {
    assert.deepEqual(due([measure(97)], { notices: ['goal turns 80'] }), []);
    assert.deepEqual(
      due([measure(97)], { notices: ['goal turns 100'] }),
      [],
      'told when it was as good as reached',
    );
    assert.deepEqual(
      due([measure(97)], { notices: ['goal turns 50', 'goal usd 80', 'day turns 80'] }),
      ['goal turns 80'],
    );
    assert.deepEqual(due([measure(60), measure(90, { limit: 'usd' })]), [
      'goal turns 50',
      'goal usd 80',
    ]);
  });

  it('of a day are told once a day, and anew of another limit', () => {
    const day = measure(85, { scope: 'day' });
    const dayMs = startOfDay(startMs);
    const told = (at: number, more: Partial<Measure> = {}) =>
      recorded({ type: 'budget.noticed', ...day, ...more, percent: 80 }, at);
    assert.deepEqual(due([day], { notices: ['day turns 80'] }), ['day turns 80']);
    assert.deepEqual(due([day], { events: [told(dayMs)] }), []);
    assert.deepEqual(due([day], { events: [told(dayMs - 1)] }), ['day turns 80']);
    assert.deepEqual(due([day], { events: [told(dayMs, { of: 90 })] }), ['day turns 80']);
    assert.deepEqual(due([day], { events: [told(dayMs, { limit: 'usd' })] }), ['day turns 80']);
    assert.deepEqual(due([day], { events: [told(dayMs, { scope: 'goal' })] }), ['day turns 80']);
  });
});
