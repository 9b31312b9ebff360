import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { EndReason } from '../../../src/agent/journal/events.ts';
import type { SessionState } from '../../../src/agent/journal/state.ts';
import { contextKeys } from '../../../src/vscode/ui/contributions.ts';
import { contextValues } from '../../../src/vscode/window/contextValues.ts';
import { runId, sessionId, stateOf } from './states.ts';

const runs = new Map([[runId(1), {} as never]]);
const ended = (reason: EndReason): Partial<SessionState> => ({
  phase: 'ended',
  end: { reason, summary: '', evidence: [] },
});

describe('the steps of the walkthrough', () => {
  const done = (state: Partial<SessionState>, isShown = false): string[] =>
    [...contextValues([stateOf(state)], (id) => isShown && id === sessionId)]
      .filter(([, value]) => value)
      .map(([key]) => key);

  it('are done by results: a demo that ended with runs, not one that failed', () => {
    const demo = { provider: 'demo', runs };
    assert.ok(done({ ...demo, ...ended('goal') }).includes(contextKeys.demoEnded));
    assert.ok(!done({ ...demo, ...ended('error') }).includes(contextKeys.demoEnded));
    assert.ok(!done({ ...demo, phase: 'thinking' }).includes(contextKeys.demoEnded));
    assert.ok(!done({ provider: 'demo', ...ended('goal') }).includes(contextKeys.demoEnded));
  });

  it('count goals of the user, not the demo', () => {
    assert.ok(done({ phase: 'thinking' }).includes(contextKeys.goalStarted));
    assert.ok(!done({ phase: 'thinking', provider: 'demo' }).includes(contextKeys.goalStarted));
    assert.ok(done({ runs, ...ended('budget') }).includes(contextKeys.goalEnded));
    assert.ok(!done({ ...ended('budget') }).includes(contextKeys.goalEnded));
  });

  it('count a panel only once it shows a run', () => {
    assert.ok(done({ runs }, true).includes(contextKeys.runShown));
    assert.ok(!done({}, true).includes(contextKeys.runShown));
    assert.ok(!done({ runs }).includes(contextKeys.runShown));
  });
});
