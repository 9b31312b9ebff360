import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { nothingSpent } from '../../../src/agent/budget/measures.ts';
import { applyEvent } from '../../../src/agent/journal/fold.ts';
import type { SessionState } from '../../../src/agent/journal/state.ts';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import { costPart } from '../../../src/vscode/sessions/costTable.ts';
import { ledgerTable } from '../../../src/vscode/experiments/ledgerTable.ts';
import { statusBarText } from '../../../src/vscode/sessions/statusBar.ts';
import { Transcript } from '../../../src/vscode/sessions/transcript.ts';
import { recorded, rowOf, startMs, stateOf } from './states.ts';

const called = (state: SessionState, model: string, usd: number, isPlan = false): SessionState =>
  applyEvent(
    state,
    recorded({
      type: 'model.consulted',
      purpose: 'consult',
      callId: 'c',
      provider: 'claude',
      model,
      usage: { inputTokens: 1_000, cacheReadTokens: 3_000, cacheWriteTokens: 0, outputTokens: 500 },
      cost: { usd, ...(isPlan && { isPlan: true }) },
    }),
  );
const spent = called(called(stateOf(), 'claude-opus-5-5', 1.2), 'claude-sonnet-5-5', 0.3, true);

describe('what a session cost, in the window', () => {
  it('is a table by model, and what is left of each limit', () => {
    const today = { ...nothingSpent, usd: 15 };
    const part = costPart({ state: spent, today, dayLimits: { usd: 20 }, nowMs: startMs });
    assert.match(part, /\| claude\/claude-opus-5-5 \| 1 \| 4\.5k \| 75 % \| \$1\.20 \|/);
    assert.match(
      part,
      /\| claude\/claude-sonnet-5-5 \| 1 \| 4\.5k \| 75 % \| \$0\.30 at list price, covered by your plan \|/,
    );
    assert.match(part, /- \$1\.50 of \$5\.00 of the goal · 30 % used, \$3\.50 left/);
    assert.match(part, /- \$15\.00 of \$20\.00 of the day · 75 % used, \$5\.00 left/);
    const free = costPart({ state: stateOf({ budget: {} }), today, nowMs: startMs });
    assert.equal(free, 'No limits.');
  });

  it('stands in the tooltip of the status bar', () => {
    const { tooltip } = statusBarText([{ state: spent }], 0, startMs);
    assert.match(tooltip, /claude\/claude-opus-5-5: 1 call · 4\.5k tokens/);
    assert.match(tooltip, /\$1\.50 of \$5\.00 of the goal · 30 % used/);
  });

  it('stands in the ledger, run by run', () => {
    const { isChampion: _, ...row } = rowOf(1, {
      cost: { usd: 0.25, tokens: 9, hasUnknownCost: true },
    });
    const table = ledgerTable(buildLedger([row]));
    assert.match(table, /\| Thinking \|\n/);
    assert.match(table, /at least \$0\.25 \|$/);
  });

  it('is told in the chat when a share of a limit is passed', () => {
    const notice = recorded({
      ...{ type: 'budget.noticed', scope: 'day', limit: 'usd', percent: 80, used: 16.1, of: 20 },
    } as const);
    const [part] = new Transcript().event(notice, applyEvent(spent, notice));
    assert.deepEqual(part, {
      kind: 'line',
      icon: 'credit-card',
      markdown: 'Budget · at least 80 % of the money of the day is used: $16.10 of $20.00',
    });
  });
});
