import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'mocha';
import { minOutputTokens } from '../../../../src/agent/budget/nextCall.ts';
import { graceTurns } from '../../../../src/agent/budget/notices.ts';
import type { DayLimits } from '../../../../src/agent/budget/measures.ts';
import type { Budget } from '../../../../src/agent/journal/events.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import type { ModelRequest } from '../../../../src/models/model.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { random } from '../../../fakes/random.ts';
import { ScriptedModel, type Script } from '../../../fakes/scriptedModel.ts';
import {
  eventsOf,
  eventually,
  testEngine,
  until,
  type TestEngine,
} from '../../../fakes/testEngine.ts';

/** 10 dollars for a million tokens of input, 50 for output. */
const prices = { 'demo/scripted-1': { input: 10, output: 50 } };
const refresh = { name: 'list_machines', input: {} };
const launch = { name: 'remote_exec_background', input: { command: 'echo loss=2' } };
const usageOf = (inputTokens: number, outputTokens: number) => ({
  usage: { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens },
});
/** Looks at the machines again and again; each call costs 10 cents and 6,000 tokens. */
const looking: Script = () => ({ calls: [refresh], reply: usageOf(5_000, 1_000) });
const tokensOf = ({ state }: Session): number => state.inputTokens + state.outputTokens;
const noticesOf = (session: Session): string[] =>
  eventsOf(session, 'budget.noticed').map(
    ({ scope, limit, percent }) => `${scope} ${limit} ${percent}`,
  );

describe('budget', () => {
  let bed: TestEngine | undefined;
  const clock = new ManualClock();
  const begin = async (
    script: Script,
    more: { budget?: Budget; dayLimits?: DayLimits; plan?: true } = {},
  ) => {
    const model = new ScriptedModel(script);
    if (more.plan) Object.assign(model, { billing: 'plan' });
    const { dayLimits } = more;
    // Runs that print nothing for a while are what these tests launch.
    const settings = { idleTurns: 100, prices, watchdogs: { silence: 'off' } };
    bed = await testEngine(model, {
      clock,
      settings: { ...settings, ...(dayLimits && { dayLimits }) },
    });
    return { model, bed, session: await bed.start({ budget: more.budget ?? {} }) };
  };
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  it('cuts a model call that hangs when the minutes are used up, and ends', async () => {
    const { model, session } = await begin(() => 'hang', { budget: { minutes: 10 } });
    await until(() => model.requests.length === 1);
    await clock.advance(10 * 60_000);
    assert.notEqual(session.state.phase, 'ended');
    await clock.advance(30_000);
    assert.equal(await session.ended, 'budget');
    assert.equal(model.requests.length, 1);
    assert.match(session.state.end?.summary ?? '', /minutes/);
  });

  const hard: [name: string, more: { budget?: Budget; dayLimits?: DayLimits }, summary: RegExp][] =
    [
      [
        'money of a goal',
        { budget: { usd: 2 } },
        /of \$2\.00 are used, and what is left of the money of the goal/,
      ],
      [
        'tokens of a goal',
        { budget: { tokens: 60_000 } },
        /of 60k tokens are used, and what is left of the tokens/,
      ],
      [
        'turns of a goal',
        { budget: { turns: 7 } },
        /the turns of the goal are used up, 7 of 7 turns/,
      ],
      [
        'money of a day',
        { dayLimits: { usd: 2 } },
        /what is left of the money of the day .* wait until tomorrow/,
      ],
      [
        'tokens of a day',
        { dayLimits: { tokens: 60_000 } },
        /what is left of the tokens of the day/,
      ],
    ];
  for (const [name, more, summary] of hard) {
    it(`ends before the ${name} are passed, and says so`, async () => {
      const { model, session } = await begin(looking, more);
      assert.equal(await session.ended, 'budget');
      assert.match(session.state.end?.summary ?? '', summary);
      assert.ok(
        session.state.usd <= 2 && tokensOf(session) <= 60_000 * (more.budget?.turns ? 2 : 4),
      );
      assert.ok(tokensOf(session) <= (more.budget?.tokens ?? more.dayLimits?.tokens ?? Infinity));
      assert.ok(model.requests.length >= 5, `${model.requests.length}`);
      assert.match(noticesOf(session).at(-1) ?? '', / 100$/);
    });
  }

  it('ends with the minutes, before the next call', async () => {
    const { model, session } = await begin(
      async (request, index) => {
        await clock.advance(60_000);
        return looking(request, index);
      },
      { budget: { minutes: 6 } },
    );
    assert.equal(await session.ended, 'budget');
    assert.equal(model.requests.length, 6);
    assert.deepEqual(noticesOf(session), [
      'goal minutes 50',
      'goal minutes 80',
      'goal minutes 100',
    ]);
  });

  it('counts the minutes of work and sleep, and not those between an end and the next message', async () => {
    const quit = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
    const nap = {
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'timer', minutes: 3 }] },
    };
    const script = [[nap], [quit], [nap], [refresh]];
    const { model, session } = await begin(
      async (_request, index) => {
        await clock.advance(60_000);
        return script[index] ?? 'nothing left';
      },
      { budget: { minutes: 10 } },
    );
    const sleepThrough = async (requests: number): Promise<void> => {
      await until(() => session.state.phase === 'sleeping');
      await clock.advance(3 * 60_000);
      while (model.requests.length < requests) await clock.advance(0);
    };
    // One minute of work, three of sleep, one of work.
    await sleepThrough(2);
    assert.equal(await session.ended, 'blocked');
    await clock.advance(10 * 3_600_000);
    await session.say('go on');
    await sleepThrough(4);
    assert.equal(await session.ended, 'budget');
    assert.equal(model.requests.length, 4);
    assert.deepEqual(noticesOf(session), [
      'goal minutes 50',
      'goal minutes 80',
      'goal minutes 100',
    ]);
  });

  it('asks for shorter replies once the longest could not be paid for, and never for useless ones', async () => {
    const { model, session } = await begin(looking, { budget: { usd: 1.5 } });
    assert.equal(await session.ended, 'budget');
    const asked = model.requests.map(({ maxOutputTokens = 0 }) => maxOutputTokens);
    assert.equal(asked[0], 8_000);
    assert.ok(asked.some((tokens) => tokens < 8_000));
    assert.ok(asked.every((tokens) => tokens >= minOutputTokens));
  });

  it('asks for nothing where nothing is limited', async () => {
    const { model } = await begin((_request, index) => (index < 3 ? [refresh] : 'hang'));
    await until(() => model.requests.length === 4);
    assert.deepEqual(
      model.requests.map(({ maxOutputTokens }) => maxOutputTokens),
      [undefined, undefined, undefined, undefined],
    );
  });

  it('never spends more than the limit, whatever the calls turn out to use within what was asked', async () => {
    for (const seed of [1, 2, 3, 4]) {
      const next = random(seed);
      const spend = ({ maxOutputTokens = 0 }: ModelRequest) => ({
        calls: [refresh],
        reply: usageOf(
          Math.floor(2_000 * next()),
          Math.floor((maxOutputTokens + 1) * (next() < 0.2 ? 1 : next())),
        ),
      });
      const { session } = await begin(spend, { budget: { usd: 2.5, tokens: 90_000 } });
      assert.equal(await session.ended, 'budget');
      assert.ok(session.state.usd <= 2.5 + 1e-9, `seed ${seed}: ${session.state.usd}`);
      assert.ok(tokensOf(session) <= 90_000, `seed ${seed}: ${tokensOf(session)}`);
      await bed?.dispose();
    }
  });

  it('tells each share once, to the model too, however often it is taken up', async () => {
    let held = await begin((_request, index) => (index < 2 ? [refresh] : 'hang'), {
      budget: { turns: 63 },
    });
    for (let restart = 0; restart < 20; restart += 1) {
      await until(() => held.model.requests.length === 3);
      const model = new ScriptedModel((_request, index) => (index < 2 ? [refresh] : 'hang'));
      bed = await held.bed.restart(model);
      held = { model, bed, session: await bed.engine.sessions.resume(held.session.id) };
    }
    await until(() => held.model.requests.length === 3);
    assert.equal(held.session.state.turns, 63);
    assert.deepEqual(noticesOf(held.session), ['goal turns 50', 'goal turns 80']);
    const told = JSON.stringify(held.model.requests.at(-1)?.messages);
    assert.equal(told.split('80 % of the turns of the goal are used: 51 of 63 turns').length, 2);
  });

  it('goes on with a higher limit, and tells of that one anew', async () => {
    const { model, bed, session } = await begin(looking, { budget: { usd: 2 } });
    assert.equal(await session.ended, 'budget');
    const before = model.requests.length;
    await session.say('go on');
    assert.equal(await session.ended, 'budget');
    assert.equal(model.requests.length, before, 'no call with what is left');
    await bed.engine.sessions.resume(session.id, { budget: { usd: 4 } });
    await session.say('go on');
    assert.equal(await session.ended, 'budget');
    assert.ok(session.state.usd > 2 && session.state.usd <= 4);
    const told = noticesOf(session).filter((notice) => notice === 'goal usd 80');
    assert.equal(told.length, 2);
    assert.match(JSON.stringify(model.requests.at(-1)?.messages), /The limits are now: \$4/);
  });

  it('pays for the model that was asked, whatever the reply calls it', async () => {
    const { session } = await begin(
      () => ({
        calls: [refresh],
        reply: { ...usageOf(5_000, 1_000), model: 'as-it-calls-itself' },
      }),
      { budget: { turns: 2 } },
    );
    assert.equal(await session.ended, 'budget');
    assert.deepEqual([session.state.usd.toFixed(2), session.state.hasUnknownCost], ['0.20', false]);
  });

  it('counts what a plan covers at list price, and says that it is covered', async () => {
    const { session } = await begin(looking, { budget: { usd: 2 }, plan: true });
    assert.equal(await session.ended, 'budget');
    assert.equal(session.state.planUsd, session.state.usd);
    assert.match(
      session.state.end?.summary ?? '',
      /covered by your plan: it is counted at list price/,
    );
  });

  it('tells once that the allowance of an experiment is over, and goes on with the next', async () => {
    const next = (index: number) => ({ ...launch, input: { command: `echo loss=${index}` } });
    const script: Script = (_request, index) => (index % 5 === 1 ? [next(index)] : [refresh]);
    const { session } = await begin(script, { budget: { turns: 16, experiment: { turns: 4 } } });
    assert.equal(await session.ended, 'budget');
    assert.match(session.state.end?.summary ?? '', /the turns of the goal are used up/);
    const over = noticesOf(session).filter((notice) => notice === 'experiment turns 100');
    assert.equal(over.length, session.state.allowances.length - 1);
    assert.equal(session.state.allowances.length, 4);
  });

  it('ends when no next experiment follows one whose allowance is over; a word of the user gives it time', async () => {
    const { model, session } = await begin(
      (_request, index) => (index === 0 ? [launch] : [refresh]),
      {
        budget: { experiment: { turns: 2 } },
      },
    );
    assert.equal(await session.ended, 'budget');
    assert.equal(model.requests.length, 1 + 2 + graceTurns);
    assert.match(session.state.end?.summary ?? '', /the turns of this experiment are used up/);
    const told = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(told, /This experiment is over\. Launch the next experiment/);
    await session.say('think a little longer');
    assert.equal(await session.ended, 'budget');
    assert.equal(model.requests.length, 1 + 2 + 2 * graceTurns);
  });

  it('wakes once for the minutes of an experiment, and lets its run go on', async () => {
    const nap = {
      name: 'sleep',
      input: { reason: 'r', wake_conditions: [{ type: 'timer', minutes: 600 }] },
    };
    const endless = { name: 'remote_exec_background', input: { command: 'sleep 60' } };
    const { model, bed, session } = await begin(
      (_request, index) => (index === 0 ? [endless] : [nap]),
      {
        budget: { experiment: { minutes: 20 } },
      },
    );
    await until(() => session.state.phase === 'sleeping' && model.requests.length === 2);
    while (model.requests.length < 3) await clock.advance(60_000);
    await until(() => session.state.phase === 'sleeping');
    assert.equal(
      eventsOf(session, 'sleep.ended')[0]?.detail,
      'the minutes of this experiment are used up',
    );
    assert.deepEqual(noticesOf(session), ['experiment minutes 100']);
    await clock.advance(30 * 60_000);
    assert.equal(model.requests.length, 3);
    for (const run of bed.engine.runs.all()) await bed.engine.runs.kill(run, { graceMs: 100 });
  });

  it('lets runs go on at the end, and names them', async () => {
    const endless = { name: 'remote_exec_background', input: { command: 'sleep 60' } };
    const { bed, session } = await begin(
      (_request, index) => (index === 0 ? [endless] : [refresh]),
      {
        budget: { turns: 3 },
      },
    );
    assert.equal(await session.ended, 'budget');
    assert.match(session.state.end?.summary ?? '', /run 1 continues/);
    const [run] = bed.engine.runs.all();
    assert.ok(run !== undefined && run.liveness.kind !== 'ended');
    await bed.engine.runs.kill(run, { graceMs: 100 });
    await eventually(session, 'run.ended');
  });

  it('refuses a limit of money with a model whose price is unknown, for experiments and days too', async () => {
    const model = new ScriptedModel(looking);
    Object.assign(model, { id: 'claude', defaultModel: 'mystery-9' });
    const settings = { idleTurns: 3, dayLimits: { usd: 5 } };
    bed = await testEngine(model, { clock, settings });
    await assert.rejects(bed.start(), /A money limit cannot be enforced with mystery-9/);
    await bed.dispose();
    bed = await testEngine(model, { clock });
    await assert.rejects(
      bed.start({ budget: { experiment: { usd: 1 } } }),
      /A money limit cannot be enforced/,
    );
    const session = await bed.start({ budget: { turns: 1 } });
    assert.equal(await session.ended, 'budget');
    await assert.rejects(
      bed.engine.sessions.resume(session.id, { budget: { usd: 1 } }),
      /A money limit cannot be enforced/,
    );
    assert.deepEqual(session.state.budget, { turns: 1 });
  });
});
