import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { applyEvent, initialState } from '../../../src/agent/journal/fold.ts';
import type { JournalEvent, SessionEvent } from '../../../src/agent/journal/events.ts';
import type { SessionState } from '../../../src/agent/journal/state.ts';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import { EventText } from '../../../src/cli/screen/eventText.ts';
import { bestRuns, liveBlock } from '../../../src/cli/screen/liveBlock.ts';
import { plainStyle } from '../../../src/cli/screen/style.ts';
import type { LedgerRow } from '../../../src/experiments/ledger.ts';
import type { MetricSummary } from '../../../src/metrics/metric.ts';
import { rowOf } from '../vscode/states.ts';

const startMs = Date.UTC(2026, 0, 1);
const sessionId = 's-000000001abc' as SessionId;
const runId = (number: number): RunId => `r-00000000${number}abc` as RunId;
const recorded = (event: SessionEvent, at = startMs): JournalEvent => ({
  ...event,
  v: 1,
  id: `e-${at}`,
  at,
});
const started = recorded({
  type: 'session.started',
  sessionId,
  goal: 'bring loss below 1',
  budget: { turns: 9 },
  provider: 'demo',
  model: 'scripted',
  workFolder: '/project',
  helios: '0',
}) as Extract<JournalEvent, { type: 'session.started' }>;

const loss = (last: number): MetricSummary => ({
  metric: 'loss',
  count: 3,
  last,
  lastStep: 3,
  min: 1,
  max: 3,
  mean: 2,
  best: 1,
  direction: 'lower',
});

function planned(number: number, label = `lr=${number}`): JournalEvent[] {
  const spec = {
    id: runId(number),
    sessionId,
    number,
    machineId: 'local',
    command: 'python3 train.py',
    cwd: '/project',
    env: {},
    metrics: {},
    label,
    plannedMs: startMs,
  };
  return [
    recorded({ type: 'run.planned', spec, callId: 'c' }),
    recorded({
      type: 'run.started',
      runId: spec.id,
      process: { pid: number, startTime: '1', bootId: 'b', startedMs: startMs },
    }),
  ];
}

const ended = (number: number): JournalEvent =>
  recorded({
    type: 'run.ended',
    runId: runId(number),
    verdict: { kind: 'ok' },
    endedMs: startMs + 4000,
    metrics: [loss(1)],
  });

const stateOf = (events: readonly JournalEvent[]): SessionState =>
  events.reduce(applyEvent, initialState(started));

const blockOf = (state: SessionState, width = 100, maxRuns = 8): string[] =>
  liveBlock({
    state,
    best: new Set([runId(1)]),
    values: {
      summaries: () => [loss(1.25)],
      series: () => ({
        steps: Float64Array.of(1, 2, 3),
        timesMs: Float64Array.of(1, 2, 3),
        values: Float64Array.of(3, 2, 1),
      }),
    },
    nowMs: startMs + 65_000,
    width,
    maxRuns,
    style: plainStyle,
  });

describe('the runs with a star', () => {
  const best = (...verdicts: readonly LedgerRow['verdict'][]) => ({
    ...({ metric: 'loss', rule: 'last', mean: 1, n: verdicts.length, best: 1 } as const),
    runs: verdicts.map((verdict, index) => {
      const { verdict: _, ...row } = rowOf(index + 1, {});
      return { ...row, ...(verdict && { verdict }) };
    }),
  });

  it('are those of the best setting that have ended', () => {
    assert.equal(bestRuns({}).size, 0);
    assert.equal(bestRuns({ best: best(undefined, undefined) }).size, 0);
    assert.equal(bestRuns({ best: best({ kind: 'ok' }, { kind: 'ok' }) }).size, 2);
  });
});

describe('live block', () => {
  const state = stateOf([...planned(1), ended(1), ...planned(2)]);

  it('shows each run with its state, time, values and curve, in columns', () => {
    assert.deepEqual(blockOf(state), [
      '* run 1 ok       4 s        lr=1  loss 1.25 (best 1)  █▅▁',
      '  run 2 running  1 min 5 s  lr=2  loss 1.25 (best 1)  █▅▁',
      'turn 0 · $0.00 (no model is called) · 2 runs, 1 active · * best run · Working',
    ]);
  });

  it('never writes a line that is wider than the terminal, nor more runs than fit', () => {
    const many = stateOf([1, 2, 3, 4].flatMap((number) => planned(number)));
    const lines = blockOf(many, 30, 2);
    assert.equal(lines.length, 4);
    assert.equal(lines[0], '… 2 earlier');
    // The best run is never hidden.
    assert.match(lines[1] ?? '', /^\* run 1 /);
    assert.ok(
      lines.every((line) => [...line].length <= 30),
      lines.join('\n'),
    );
  });

  it('keeps its columns and its width where labels are wide', () => {
    const state = stateOf(
      [1, 2].flatMap((number) => planned(number, number === 1 ? '学習率🧪' : 'lr=2')),
    );
    assert.deepEqual(blockOf(state, 60).slice(0, 2), [
      '* run 1 running  1 min 5 s  学習率🧪  loss 1.25 (best 1)  █…',
      '  run 2 running  1 min 5 s  lr=2      loss 1.25 (best 1)  █…',
    ]);
    const wide = stateOf(planned(1, '学習率'.repeat(30)));
    assert.equal(blockOf(wide, 32)[0], '* run 1 running  1 min 5 s  学…');
    assert.equal(blockOf(wide, 33)[0], '* run 1 running  1 min 5 s  学習…');
  });

  it('says why a watchdog ended a run, in place of its curve', () => {
    const alarm = {
      type: 'run.alarmed',
      runId: runId(1),
      kind: 'non_finite',
      detail: 'loss became NaN at step 3',
    } as const;
    const killed = [
      recorded({ ...alarm, action: 'kill' }),
      { ...ended(1), verdict: { kind: 'killed' } } as JournalEvent,
    ];
    assert.equal(
      blockOf(stateOf([...planned(1), ...killed]), 120)[0],
      '* run 1 killed  4 s  lr=1  loss 1.25 (best 1)  after the alarm: loss became NaN at step 3',
    );
    const [line = ''] = new EventText(plainStyle).linesOf(
      killed[1] as JournalEvent,
      stateOf([...planned(1), ...killed]),
    );
    assert.match(line, /^Run 1: killed after the alarm: loss became NaN at step 3 · lr=1 · 4 s/);
  });

  it('says what a sleep waits for', () => {
    const request = {
      reason: 'r',
      logic: 'all' as const,
      deadlineMs: startMs + 600_000,
      triggers: [{ type: 'process_exit' as const, runId: runId(2), name: 'run 2' }],
    };
    const asleep = applyEvent(
      state,
      recorded({ type: 'sleep.started', sleepId: 's', request, callId: 'c' }),
    );
    assert.match(blockOf(asleep).at(-1) ?? '', /Sleeping until run 2 ends$/);
  });
});

describe('transcript of the terminal', () => {
  const state = stateOf([...planned(1), ended(1)]);

  it('tells a tool by what it did', () => {
    const text = new EventText(plainStyle);
    const call = { callId: 'c', name: 'write_file' };
    assert.deepEqual(
      text.linesOf(
        recorded({ type: 'tool.started', ...call, effect: 'write', title: 'Wrote a.py' }),
        state,
      ),
      [],
    );
    const finished = { type: 'tool.finished' as const, ...call, text: 'x', durationMs: 1 };
    assert.deepEqual(
      text.linesOf(recorded({ ...finished, isError: false, summary: '3 lines' }), state),
      ['  Wrote a.py · 3 lines'],
    );
    assert.deepEqual(
      text.linesOf(recorded({ ...finished, isError: true, text: 'no\nspace' }), state),
      ['  × Write a.py: no space'],
    );
  });

  it('names at the start the variables that runs get', () => {
    const event = { ...started, runVariables: ['WANDB_API_KEY', 'HF_TOKEN'] };
    const lines = new EventText(plainStyle).linesOf(event, initialState(started));
    assert.equal(lines[2], 'Runs get WANDB_API_KEY, HF_TOKEN');
  });

  it('tells the end of a run with its values', () => {
    assert.deepEqual(new EventText(plainStyle).linesOf(ended(1), state), [
      'Run 1: ok · lr=1 · 4 s · loss 1',
    ]);
  });

  it('lets no control character of the outside reach the terminal', () => {
    const line = new EventText(plainStyle).linesOf(
      recorded({ type: 'message.added', origin: 'person', text: 'hi\u001b[2Jthere\u0007' }),
      state,
    );
    assert.deepEqual(line, ['You: hithere']);
  });

  it('keeps each line of an event on one line', () => {
    const odd = { ...started, workFolder: '/a\nb' } as typeof started;
    const lines = new EventText(plainStyle).linesOf(odd, state);
    assert.ok(lines.every((line) => !line.includes('\n')));
    assert.match(lines[1] ?? '', / · \/a b$/);
  });

  it('shows nothing for an event of a newer version', () => {
    const unknown = { ...started, type: 'session.dreamt' } as unknown as JournalEvent;
    assert.deepEqual(new EventText(plainStyle).linesOf(unknown, state), []);
  });
});
