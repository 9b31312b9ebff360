import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rm, truncate, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { ScriptedModel, type Script } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const prices = { 'demo/scripted-1': { input: 10, output: 50 } };
const costing: Script = () => ({
  calls: [{ name: 'list_machines', input: {} }],
  reply: {
    usage: { inputTokens: 5_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1_000 },
  },
});
const hourMs = 3_600_000;

describe('spending of a day', () => {
  const beds: TestEngine[] = [];
  let folder: string | undefined;
  const begin = async (script: Script, clock: ManualClock, dayLimits = {}) => {
    folder ??= await mkdtemp(path.join(tmpdir(), 'helios-day-'));
    const model = new ScriptedModel(script);
    const bed = await testEngine(model, {
      clock,
      folder,
      settings: { idleTurns: 100, prices, dayLimits },
    });
    beds.push(bed);
    return { model, bed };
  };
  afterEach(async () => {
    for (const bed of beds.splice(0)) await bed.engine.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    folder = undefined;
  });
  const noon = (): ManualClock => new ManualClock(new Date(2026, 0, 5, 12).getTime());

  it('is that of all sessions, in every process', async () => {
    const clock = noon();
    const one = await begin(costing, clock, { usd: 3 });
    const other = await begin(costing, clock, { usd: 3 });
    const sessions = [await one.bed.start(), await other.bed.start()];
    for (const session of sessions) assert.equal(await session.ended, 'budget');
    const [first, second] = sessions.map(({ state }) => state.usd);
    const all = (first ?? 0) + (second ?? 0);
    assert.ok((first ?? 0) > 0 && (second ?? 0) > 0);
    // At worst both made a call at the same moment.
    assert.ok(all <= 3 + 0.1 && all > 2, `${all}`);
    const third = await begin(costing, clock, { usd: 3 });
    assert.equal(await (await third.bed.start()).ended, 'budget');
    assert.equal(third.model.requests.length, 0);
    assert.ok(Math.abs((await third.bed.engine.spentToday()).usd - all) < 1e-9);
  });

  it('begins anew at midnight, and is told anew', async () => {
    const clock = noon();
    const { bed } = await begin(costing, clock, { usd: 2 });
    const session = await bed.start();
    assert.equal(await session.ended, 'budget');
    await clock.advance(13 * hourMs);
    assert.deepEqual(await bed.engine.spentToday(), { usd: 0, tokens: 0, hasUnknownCost: false });
    const before = session.state.usd;
    await session.say('go on');
    assert.equal(await session.ended, 'budget');
    assert.ok(session.state.usd > before);
    const told = eventsOf(session, 'budget.noticed').map(
      ({ scope, percent }) => `${scope} ${percent}`,
    );
    assert.deepEqual(told, ['day 50', 'day 80', 'day 100', 'day 50', 'day 80', 'day 100']);
  });

  it('holds what was spent before, after a restart, with journals as they are found', async () => {
    const clock = noon();
    const { bed } = await begin(costing, clock);
    const session = await bed.start({ budget: { turns: 3 } });
    await session.ended;
    const journal = path.join(session.folder, 'journal.jsonl');
    await bed.engine.close();
    const next = await begin(costing, clock);
    const spent = await next.bed.engine.spentToday();
    assert.deepEqual([spent.usd.toFixed(2), spent.tokens], ['0.30', 18_000]);
    // A line that is being written counts once it is whole; a damaged one never; one that was taken
    // back no more.
    const line = JSON.stringify(eventsOf(session, 'model.replied')[0]);
    await appendFile(journal, line.slice(0, 80));
    assert.equal((await next.bed.engine.spentToday()).tokens, 18_000);
    await appendFile(journal, `${line.slice(80)}\n{"type":"model.replied","cost":\n`);
    assert.equal((await next.bed.engine.spentToday()).tokens, 24_000);
    await truncate(journal, 0);
    assert.equal((await next.bed.engine.spentToday()).tokens, 0);
    await appendFile(journal, `${line}\n`);
    assert.equal((await next.bed.engine.spentToday()).tokens, 6_000);
  });

  it('leaves journals alone that were last written to on an earlier day', async () => {
    const clock = noon();
    const { bed } = await begin(costing, clock);
    const session = await bed.start({ budget: { turns: 1 } });
    await session.ended;
    await bed.engine.close();
    const past = new Date(2026, 0, 4, 12);
    await utimes(path.join(session.folder, 'journal.jsonl'), past, past);
    const next = await begin(costing, clock);
    assert.equal((await next.bed.engine.spentToday()).tokens, 0);
  });

  it('makes no call that a journal which cannot be read may forbid, and says what to do about it', async () => {
    const { bed, model } = await begin(costing, noon(), { usd: 3 });
    await mkdir(path.join(bed.home, 'sessions/s-0mwqv6v30zzzzzz/journal.jsonl'), {
      recursive: true,
    });
    const session = await bed.start();
    assert.equal(await session.ended, 'error');
    assert.equal(model.requests.length, 0);
    assert.match(
      session.state.end?.summary ?? '',
      /^Spending cannot be read: EISDIR.*move the folder of its session out/,
    );
  });
});
