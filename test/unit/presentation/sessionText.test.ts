import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Trigger } from '../../../src/sleep/trigger.ts';
import {
  needsUser,
  phaseText,
  sleepSpan,
  statusLine,
  endText,
  summaryText,
} from '../../../src/presentation/sessions/sessionText.ts';
import { sleepText } from '../../../src/agent/journal/factText.ts';
import { statusBarText } from '../../../src/vscode/sessions/statusBar.ts';
import { endedRun, runId, runsOf, runState, startMs, stateOf } from '../vscode/states.ts';
import { modeEffects } from '../../../src/presentation/sessions/permissionText.ts';
import { newSessionId } from '../../../src/base/ids.ts';
import type { SessionSummary } from '../../../src/agent/contract/sessions.ts';

const exit = (number: number): Trigger => ({
  type: 'process_exit',
  runId: runId(number),
  name: `gpu1:${number}`,
});
const hourMs = 3_600_000;
const sleepOf = (triggers: readonly Trigger[], deadlineMs?: number) => ({
  sleepId: 's',
  sinceMs: startMs,
  isCheckIn: false,
  request: {
    reason: 'a rest',
    logic: 'any' as const,
    triggers,
    ...(deadlineMs !== undefined && { deadlineMs }),
  },
});
const nowMs = startMs + 2 * hourMs + 600_000;

describe('session in words', () => {
  it('names runs, not pids, as what a sleep waits for', () => {
    const state = stateOf({ runs: runsOf(runState(7)) });
    assert.equal(sleepText(sleepOf([exit(7)]).request, state, nowMs), 'until run 7 ends');
    assert.equal(
      sleepText(sleepOf([exit(7), exit(8)]).request, state, nowMs),
      'until run 7 or gpu1:8 ends',
    );
    assert.equal(sleepText(sleepOf([], startMs + hourMs).request, state, nowMs), 'until 15:03');
    assert.equal(sleepText(sleepOf([]).request, state, nowMs), 'a rest');
    const many = [1, 2, 3, 4, 5].map(exit);
    assert.match(sleepText(sleepOf(many).request, state, nowMs), /or 2 more ends$/);
  });

  it('says how long a sleep lasts yet where that is known, else how long it has lasted', () => {
    assert.equal(sleepSpan(sleepOf([exit(1)]), nowMs), '2 h 10 min');
    assert.equal(sleepSpan(sleepOf([exit(1)], nowMs + 240_000), nowMs), '4 min');
  });

  it('puts a session on one line', () => {
    const state = stateOf({
      phase: 'thinking',
      turns: 12,
      usd: 1.2,
      runs: runsOf(endedRun(1, 1), runState(2)),
    });
    const metric = { name: 'loss', value: 0.83, trend: 'down', runNumber: 2 } as const;
    assert.equal(
      statusLine({ state, metric }, startMs + 2_520_000),
      'Working · turn 12 · 2 runs, 1 active · loss 0.83 ↓ · $1.20 of $5.00 · 42 min',
    );
  });

  it('counts no time for which a session was ended, before it was continued', () => {
    const dayMs = 24 * 3_600_000;
    const state = stateOf({ phase: 'ready', restMs: dayMs });
    assert.match(statusLine({ state }, startMs + dayMs + 2_520_000), / · 42 min$/);
  });

  it('says how a session ended, or that it has not', () => {
    assert.equal(endText('budget'), 'Budget used up');
    assert.equal(endText(undefined), 'Not ended');
  });

  it('puts a listed session on one line', () => {
    const summary: SessionSummary = {
      ...{ id: newSessionId(startMs), goal: 'g', phase: 'ended', endReason: 'budget' },
      ...{ startedMs: startMs, lastEventMs: startMs, runs: 2, going: 0, turns: 3 },
      ...{ usd: 1.5, hasUnknownCost: false, best: 'loss 0.3' },
    };
    assert.equal(summaryText(summary, startMs), 'Budget used up · loss 0.3 · 2 runs · $1.50 · now');
  });

  it('says the best once a session has ended, and that a cost is a lower bound', () => {
    const state = stateOf({
      phase: 'ended',
      hasUnknownCost: true,
      lastEventMs: startMs + 60_000,
      end: { reason: 'goal', summary: '', evidence: [] },
    });
    const metric = { name: 'loss', value: 2, trend: 'up', runNumber: 2 } as const;
    assert.equal(
      statusLine({ state, metric, best: 'loss 0.8' }, nowMs),
      'Goal met · turn 0 · loss 0.8 · at least $0.00 of $5.00 · 1 min',
    );
  });

  it('needs the user when an error paused it, not when they paused it themselves', () => {
    assert.equal(needsUser(stateOf({ phase: 'paused', pausedBy: 'user' })), false);
    const failed = stateOf({ phase: 'paused', pausedBy: 'The key was refused.' });
    assert.equal(needsUser(failed), true);
    assert.equal(phaseText(failed, nowMs), 'Paused: The key was refused.');
  });
});

describe('permission modes', () => {
  it('have an effect that a quick pick shows completely', () => {
    for (const effect of Object.values(modeEffects)) assert.ok(effect.length <= 80, effect);
  });
});

describe('status bar', () => {
  const working = stateOf({ phase: 'acting', usd: 1.2, runs: runsOf(runState(7)) });

  it('rests', () => {
    assert.deepEqual(
      { text: statusBarText([], 0, nowMs).text, isWarning: statusBarText([], 0, nowMs).isWarning },
      { text: '$(beaker) Helios', isWarning: false },
    );
  });

  it('shows the newest number, its run and the cost while working', () => {
    const metric = { name: 'loss', value: 0.83, trend: 'down', runNumber: 7 } as const;
    assert.equal(
      statusBarText([{ state: working, metric }], 0, nowMs).text,
      '$(sync~spin) Helios: loss 0.83 ↓ · run 7 · $1.20',
    );
    assert.equal(
      statusBarText([{ state: working }], 0, nowMs).text,
      '$(sync~spin) Helios: turn 0 · run 7 · $1.20',
    );
  });

  it('counts down to the next call of the model, and reads out only why', () => {
    const retry = { why: 'Anthropic is limiting requests', atMs: nowMs + 26_400 };
    const { text, spoken } = statusBarText([{ state: working, retry }], 0, nowMs);
    assert.equal(text, '$(watch) Helios: Anthropic is limiting requests; next try in 27 s');
    assert.equal(spoken, 'Helios: Anthropic is limiting requests');
  });

  it('says until when it sleeps', () => {
    const state = stateOf({
      phase: 'sleeping',
      sleep: sleepOf([exit(7)]),
      runs: runsOf(runState(7)),
    });
    assert.equal(
      statusBarText([{ state }], 0, nowMs).text,
      '$(clock) Helios: sleeping until run 7 ends · 2 h 10 min',
    );
    const allOf = sleepOf([exit(2), exit(3)]);
    const both = stateOf({
      phase: 'sleeping',
      sleep: { ...allOf, request: { ...allOf.request, logic: 'all' } },
      runs: runsOf(runState(2), runState(3)),
    });
    assert.match(
      statusBarText([{ state: both }], 0, nowMs).text,
      /^\$\(clock\) Helios: sleeping until runs 2 and 3 end · /,
    );
  });

  it('says that a question waits, beside what goes on', () => {
    const question = {
      ...{ id: 'q1', text: 'Which split?', options: [], fallback: 'val' },
      ...{ askedMs: startMs, deadlineMs: nowMs + hourMs },
    };
    const asking = stateOf({ phase: 'paused', questions: new Map([['q1', question]]) });
    const { text, spoken } = statusBarText([{ state: asking }], 0, nowMs);
    assert.match(text, /^\$\(debug-pause\) Helios has a question: paused · /);
    assert.match(spoken, /^Helios has a question: Paused/);
    assert.match(
      statusBarText([{ state: asking }, { state: asking }], 0, nowMs).text,
      / Helios has 2 questions: /,
    );
  });

  it('takes a colour only when the user is needed', () => {
    const asking = statusBarText([{ state: working }], 1, nowMs);
    assert.equal(asking.text, '$(shield) Helios needs your approval');
    assert.match(statusBarText([{ state: working }], 2, nowMs).text, /Helios needs 2 approvals$/);
    assert.equal(asking.isWarning, true);
    assert.equal(
      statusBarText([{ state: stateOf({ phase: 'paused', pausedBy: 'user' }) }], 0, nowMs)
        .isWarning,
      false,
    );
    assert.equal(
      statusBarText([{ state: stateOf({ phase: 'paused', pausedBy: 'no key' }) }], 0, nowMs)
        .isWarning,
      true,
    );
  });

  it('shows the session that needs the user, and counts the others', () => {
    const failed = stateOf({ phase: 'paused', pausedBy: 'no key' });
    assert.equal(
      statusBarText([{ state: working }, { state: failed }], 0, nowMs).text,
      '$(warning) Helios: paused · $0.00 · +1',
    );
  });

  it('shows an autonomous mode, of the session or of the next one, and what it allows', () => {
    const free = { state: working, permissions: { mode: 'allow' } } as const;
    const { text, tooltip, spoken, isWarning } = statusBarText([free], 0, nowMs, () => 'mandate');
    assert.equal(text, '$(sync~spin) Helios: turn 0 · run 7 · $1.20 · allow');
    assert.match(spoken, / · allow$/);
    assert.equal(isWarning, false);
    assert.match(
      tooltip,
      /Permission mode \*\*allow\*\*: .*without asking.*\(command:helios\.change/,
    );
    assert.equal(statusBarText([], 0, nowMs, () => 'mandate').text, '$(beaker) Helios · mandate');
    const asked = { state: working, permissions: { mode: 'ask' } } as const;
    assert.equal(statusBarText([asked], 0, nowMs, assert.fail).text.includes('a'), false);
  });

  it('leaves ended sessions out', () => {
    const ended = stateOf({ phase: 'ended', end: { reason: 'goal', summary: '', evidence: [] } });
    assert.equal(statusBarText([{ state: ended }], 0, nowMs).text, '$(beaker) Helios');
  });
});
