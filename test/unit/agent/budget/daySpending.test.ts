import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { DaySpending } from '../../../../src/agent/budget/daySpending.ts';
import { startOfDay } from '../../../../src/agent/budget/measures.ts';
import type { JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import { newSessionId, type SessionId } from '../../../../src/base/ids.ts';
import type { Cost } from '../../../../src/models/prices.ts';
import { homeAt, type Home } from '../../../../src/storage/home.ts';
import { ManualClock } from '../../../fakes/manualClock.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { recorded } from '../../vscode/states.ts';

const usage = { inputTokens: 100, cacheReadTokens: 300, cacheWriteTokens: 50, outputTokens: 10 };
const consulted = (cost: Cost): SessionEvent => ({
  ...{
    type: 'model.consulted',
    purpose: 'consult',
    callId: 'c',
    provider: 'p',
    model: 'm',
    usage,
    cost,
  },
});
const replied = (cost: Cost): SessionEvent => ({
  ...{
    type: 'model.replied',
    turn: 1,
    provider: 'p',
    model: 'm',
    content: [],
    stop: 'stop',
    usage,
    cost,
  },
});

describe('what a day has cost', () => {
  const folder = scratchFolder();
  const clock = new ManualClock(new Date(2026, 0, 5, 12).getTime());
  const dayMs = startOfDay(clock.now());
  let home: Home;
  let spending: DaySpending;
  beforeEach(() => {
    home = homeAt(folder());
    spending = new DaySpending(home, clock);
  });

  const linesOf = (events: readonly JournalEvent[]): string =>
    events.map((event) => `${JSON.stringify(event)}\n`).join('');
  /** A journal, written to at `atMs` the last time. */
  const journal = (events: readonly JournalEvent[], atMs = clock.now()): SessionId => {
    const id = newSessionId(clock.now());
    const file = home.journalFile(id);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, linesOf(events));
    utimesSync(file, new Date(atMs), new Date(atMs));
    return id;
  };

  it('is that of turns, of second opinions and of searches, in all sessions', async () => {
    journal([recorded(replied({ usd: 1 }), dayMs), recorded(consulted({ usd: 0.5 }), dayMs + 1)]);
    journal([recorded({ ...consulted({ usd: 0.25 }), purpose: 'search' } as SessionEvent, dayMs)]);
    assert.deepEqual(await spending.spent(), { usd: 1.75, tokens: 3 * 460, hasUnknownCost: false });
  });

  it('is read of a journal that is longer than what is read at once, and on from within a line', async () => {
    const long = recorded(
      { type: 'message.added', origin: 'person', text: 'ü'.repeat(1_200_000) },
      dayMs,
    );
    const costs = [1, 2, 4, 8].map((usd) => recorded(replied({ usd }), dayMs));
    const lines = linesOf(costs.flatMap((cost) => [cost, long]));
    const id = journal([]);
    const bytes = Buffer.from(lines);
    for (const [end, usd] of [
      [bytes.indexOf('"usd":4'), 3],
      [bytes.length - 1, 15],
      [bytes.length, 15],
    ] as const) {
      writeFileSync(home.journalFile(id), bytes.subarray(0, end));
      const spent = await spending.spent();
      assert.equal('usd' in spent ? spent.usd : undefined, usd);
    }
  });

  it('is nothing of what was spent before midnight, and nothing of what only speaks of a cost', async () => {
    const text = '{"type":"model.replied","cost":{"usd":9}}';
    journal([
      recorded(replied({ usd: 1 }), dayMs - 1),
      recorded({ type: 'message.added', origin: 'person', text }, dayMs),
      recorded({ ...replied({ usd: 9 }), type: 'model.dreamt' } as unknown as SessionEvent, dayMs),
    ]);
    assert.deepEqual(await spending.spent(), { usd: 0, tokens: 0, hasUnknownCost: false });
  });

  it('is at least the rest where the price of a call is unknown', async () => {
    journal([
      recorded(consulted({ unknown: 'no price' }), dayMs),
      recorded(replied({ usd: 2 }), dayMs),
    ]);
    assert.deepEqual(await spending.spent(), { usd: 2, tokens: 2 * 460, hasUnknownCost: true });
  });

  it('is found in a journal that the clock of a file server calls an hour older, and in no older one', async () => {
    const events = [recorded(replied({ usd: 1 }), dayMs)];
    const late = journal(events, dayMs - 3_600_000);
    const before = journal(events, dayMs - 3_600_001);
    assert.equal((await spending.spent()).usd, 1);
    for (const id of [late, before]) appendFileSync(home.journalFile(id), linesOf(events));
    assert.equal((await spending.spent()).usd, 4, 'what is written to is read');
  });

  it('is read on from where it was: a session that is gone no longer counts, one that is new does', async () => {
    const id = journal([recorded(replied({ usd: 1 }), dayMs)]);
    journal([recorded(replied({ usd: 4 }), dayMs)]);
    assert.equal((await spending.spent()).usd, 5);
    rmSync(home.journalFile(id));
    assert.equal((await spending.spent()).usd, 4);
    journal([recorded(consulted({ usd: 8 }), dayMs)]);
    assert.deepEqual(
      (await Promise.all([spending.spent(), spending.spent()])).map(({ usd }) => usd),
      [12, 12],
    );
  });
});
