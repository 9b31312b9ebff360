import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import { approvalNotification, notificationOf } from '../../../../src/agent/user/notifications.ts';
import type { SessionState } from '../../../../src/agent/journal/state.ts';

type Part<T> = { readonly [Key in keyof T]?: unknown };

const state = (other: Part<SessionState> = {}): SessionState =>
  ({
    id: 's-1',
    goal: 'loss < 1',
    runs: new Map(),
    sweeps: new Map(),
    ...other,
  }) as unknown as SessionState;
const run = (number: number, other: object = {}, spec: object = {}) => ({
  spec: { id: `r-${number}`, number, machineId: 'gpu1', label: 'lr=1', ...spec },
  process: { pid: 4521, startedMs: 0 },
  metrics: [],
  ...other,
});
const runs = (...all: ReturnType<typeof run>[]) => new Map(all.map((one) => [one.spec.id, one]));
const event = (fields: object): JournalEvent =>
  ({ v: 1, id: 'e-1', at: 5, ...fields }) as unknown as JournalEvent;
const ok = { kind: 'ok' };

const sleeping = (type: string) => state({ sleep: { request: { triggers: [{ type }] } } });

describe('what people are told', () => {
  const cases: readonly (readonly [
    string,
    object,
    Part<SessionState>,
    readonly string[] | undefined,
    RegExp?,
  ])[] = [
    [
      'a goal that is met',
      {
        type: 'session.ended',
        reason: 'goal',
        summary: 'ok',
        evidence: [{ run: 'run 1', metric: 'loss', last: 0.5 }],
      },
      {},
      ['goal_met', 'session_ended'],
      /Goal met\|ok\nloss 0\.5 \(run 1\)/,
    ],
    [
      'an error',
      { type: 'session.ended', reason: 'error', summary: 'x', evidence: [] },
      {},
      ['error', 'session_ended'],
    ],
    [
      'an end for want of money',
      { type: 'session.ended', reason: 'budget', summary: 'x', evidence: [] },
      {},
      ['session_ended'],
      /Budget used up/,
    ],
    [
      'an end by the user',
      { type: 'session.ended', reason: 'user', summary: '', evidence: [] },
      {},
      undefined,
    ],
    [
      'a pause by an error',
      { type: 'session.paused', by: 'error', detail: 'no key' },
      {},
      ['error'],
      /no key/,
    ],
    ['a pause by the user', { type: 'session.paused', by: 'user' }, {}, undefined],
    ['a session taken up', { type: 'session.resumed', by: 'process 1' }, {}, ['resumed']],
    [
      'a question',
      {
        type: 'question.asked',
        questionId: 'q1',
        text: 'Both?',
        options: ['yes', 'no'],
        fallback: 'no',
      },
      {},
      ['question'],
      /Question q1\|Both\?\nAnswers: yes, no\nDefault: no/,
    ],
    [
      'most of a budget',
      { type: 'budget.noticed', scope: 'goal', limit: 'usd', percent: 80, used: 4, of: 5 },
      {},
      ['budget'],
      /80 % of the/,
    ],
    [
      'half of a budget',
      { type: 'budget.noticed', scope: 'goal', limit: 'usd', percent: 50, used: 2, of: 5 },
      {},
      undefined,
    ],
    [
      'the allowance of an experiment',
      { type: 'budget.noticed', scope: 'experiment', limit: 'usd', percent: 80, used: 4, of: 5 },
      {},
      undefined,
    ],
    [
      'an alarm',
      {
        type: 'run.alarmed',
        runId: 'r-1',
        kind: 'non_finite',
        detail: 'loss is NaN',
        action: 'kill',
      },
      { runs: runs(run(1)) },
      ['alarm'],
      /Run 1: loss is NaN\|It is being stopped/,
    ],
    [
      'a run of its own',
      { type: 'run.ended', runId: 'r-1', endedMs: 60_000, metrics: [], verdict: ok },
      { runs: runs(run(1, { verdict: ok })) },
      ['experiment_complete', 'task_complete'],
      /Run 1: ok\|lr=1/,
    ],
    [
      'a run of a sweep',
      { type: 'run.ended', runId: 'r-1', endedMs: 60_000, metrics: [], verdict: ok },
      { runs: runs(run(1, { verdict: ok }, { sweep: { id: 's1', index: 0 } })) },
      ['task_complete'],
    ],
    [
      'a run of an experiment that goes on',
      { type: 'run.ended', runId: 'r-1', endedMs: 60_000, metrics: [], verdict: ok },
      {
        runs: runs(
          run(1, { verdict: ok }, { experimentId: 'e1' }),
          run(2, {}, { experimentId: 'e1' }),
        ),
      },
      ['task_complete'],
    ],
    [
      'the last run of an experiment',
      { type: 'run.ended', runId: 'r-1', endedMs: 60_000, metrics: [], verdict: ok },
      {
        runs: runs(
          run(1, { verdict: ok }, { experimentId: 'e1' }),
          run(2, { notStarted: 'x' }, { experimentId: 'e1' }),
        ),
      },
      ['experiment_complete', 'task_complete'],
    ],
    [
      'a run out of memory',
      {
        type: 'run.ended',
        runId: 'r-1',
        endedMs: 60_000,
        metrics: [],
        verdict: { kind: 'out_of_memory' },
      },
      { runs: runs(run(1, { verdict: ok }, { sweep: { id: 's1', index: 0 } })) },
      ['task_failed'],
      /Run 1: out of memory/,
    ],
    [
      'a run that was killed',
      {
        type: 'run.ended',
        runId: 'r-1',
        endedMs: 60_000,
        metrics: [],
        verdict: { kind: 'killed' },
      },
      { runs: runs(run(1)) },
      undefined,
    ],
    [
      'a run that never began',
      { type: 'run.not_started', runId: 'r-1', why: 'no slot' },
      { runs: runs(run(1)) },
      ['task_failed'],
      /Run 1 did not start\|no slot/,
    ],
    [
      'a sweep',
      { type: 'sweep.ended', sweepId: 's1', text: 's1: 4 of 4\nrows' },
      {},
      ['experiment_complete'],
      /Sweep s1 ended\|s1: 4 of 4$/,
    ],
    [
      'a sleep while nothing runs',
      { type: 'sleep.started', request: { reason: 'later', triggers: [] } },
      {},
      ['agent_idle'],
      /later/,
    ],
    [
      'a sleep while a run goes on',
      { type: 'sleep.started', request: { reason: 'later', triggers: [] } },
      { runs: runs(run(1)) },
      undefined,
    ],
    ['a word of the model', { type: 'message.added', origin: 'person', text: 'x' }, {}, undefined],
  ];
  for (const [name, fields, after, events, text] of cases)
    it(`of ${name}`, () => {
      const told = notificationOf(event(fields), state(), state(after));
      assert.deepEqual(told?.events, events);
      if (text !== undefined) assert.match(`${told?.title}|${told?.body}`, text);
      if (told !== undefined)
        assert.deepEqual([told.sessionId, told.goal, told.atMs], ['s-1', 'loss < 1', 5]);
    });

  it('names a session by its title', () => {
    const ended = event({ type: 'session.ended', reason: 'error', summary: 's', evidence: [] });
    assert.equal(notificationOf(ended, state(), state({ title: 'Night 1' }))?.goal, 'Night 1');
  });

  for (const [type, events] of [
    ['tracked_metric', ['metric_threshold']],
    ['timer', undefined],
  ] as const)
    it(`of a wake by ${type}`, () => {
      const woken = event({ type: 'sleep.ended', why: 'trigger', detail: 'loss < 1' });
      assert.deepEqual(notificationOf(woken, sleeping(type), state())?.events, events);
    });

  it('of a question of the gate', () => {
    const told = approvalNotification({ title: 'Run', detail: 'rm  -r\nx' }, state(), 7);
    assert.deepEqual([told.events, told.body, told.atMs], [['approval'], 'Run\nrm -r x', 7]);
  });

  it('of a question of the gate says, before the call, that only its start is shown', () => {
    const detail = `command: ${'ls; '.repeat(200)}\nmachine_id: m`;
    const { body } = approvalNotification({ title: 'Run', detail }, state(), 7);
    const [title, sentence, start = ''] = body.split('\n');
    assert.equal(title, 'Run');
    assert.equal(
      sentence,
      'Not the whole call (823 characters, 2 lines); it is shown where you approve it:',
    );
    assert.ok(start.length <= 400 && start.endsWith('…'), start);
  });
});
