import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Budget, JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import { applyEvent, foldSession, initialState } from '../../../../src/agent/journal/fold.ts';
import { envFor } from '../../../../src/agent/journal/runFold.ts';
import { growingFold } from '../../../../src/agent/journal/growingFold.ts';
import type { RunId, SessionId } from '../../../../src/base/ids.ts';
import type { RunSpec } from '../../../../src/runs/run.ts';
import type { SessionState } from '../../../../src/agent/journal/state.ts';
import type { Cost } from '../../../../src/models/prices.ts';
import { recorded, runId, runState, started as startedAt } from '../../vscode/states.ts';
import { assertInProportion } from '../../../fakes/proportion.ts';

/** A night of so many experiments, each with its run, a question now and then, and a note. */
function night(experiments: number): JournalEvent[] {
  const events: JournalEvent[] = [];
  const add = (event: SessionEvent): void => {
    events.push({ v: 1, id: `e${events.length}`, at: events.length, ...event });
  };
  add({
    type: 'session.started',
    sessionId: 's' as SessionId,
    goal: 'bring loss < 1',
    budget: {},
    provider: 'demo',
    model: 'm',
    workFolder: '/w',
    helios: '0',
  });
  for (let number = 1; number <= experiments; number += 1) {
    const id = `e${number}`;
    const runId = `r${number}` as RunId;
    const [place, code] = [
      { machineId: 'local', command: `lr=${number}`, cwd: '/w' },
      { kind: 'none', why: 'no git' },
    ] as const;
    add({ type: 'model.requested', turn: number, provider: 'demo', model: 'm' });
    add({
      type: 'experiment.planned',
      callId: id,
      plan: { id, number, hypothesis: id, fingerprint: id, code, ...place },
    });
    const spec: RunSpec = {
      ...{
        id: runId,
        sessionId: 's' as SessionId,
        number,
        env: {},
        metrics: {},
        label: id,
        plannedMs: 0,
        experimentId: id,
      },
      ...place,
    };
    add({ type: 'run.planned', spec, callId: id });
    add({
      type: 'run.started',
      runId,
      process: { pid: number, startTime: '1', bootId: 'b', startedMs: 0 },
    });
    add({
      type: 'run.alarmed',
      runId,
      kind: 'silence',
      detail: 'nothing was printed',
      action: 'warn',
    });
    add({ type: 'run.ended', runId, verdict: { kind: 'ok' }, endedMs: 1, metrics: [] });
    add({
      type: 'experiment.decided',
      experimentId: id,
      decision: 'keep',
      why: 'better',
      by: 'agent',
    });
    if (number % 7 === 0) add({ type: 'note.pinned', number, text: id });
    if (number % 5 === 0)
      add({
        type: 'question.asked',
        questionId: `q${number}`,
        text: id,
        options: [],
        fallback: 'no',
        deadlineMs: 9,
      });
    if (number % 10 === 0)
      add({ type: 'question.answered', questionId: `q${number}`, answer: 'yes', by: 'person' });
  }
  return events;
}

const started = (events: readonly JournalEvent[]) => {
  const [first] = events;
  assert.equal(first?.type, 'session.started');
  return initialState(first as Extract<JournalEvent, { type: 'session.started' }>);
};

describe('the fold of a journal', () => {
  it('gives the same at once as event by event', () => {
    const events = night(40);
    assert.deepEqual(foldSession(events), events.slice(1).reduce(applyEvent, started(events)));
  });

  it('leaves a state that was seen as it was', () => {
    const events = night(30);
    const states = [started(events)];
    for (const event of events.slice(1))
      states.push(applyEvent(states.at(-1) ?? started(events), event));
    for (const [index, state] of states.entries())
      assert.deepEqual(state, foldSession(events.slice(0, index + 1)));
  });

  it('goes on from a state, which it leaves as it was', () => {
    const events = night(30);
    const before = foldSession(events.slice(0, 100));
    const after = foldSession(events.slice(100), before);
    assert.deepEqual(after, foldSession(events));
    assert.deepEqual(before, foldSession(events.slice(0, 100)));
  });

  it('takes time in proportion to its length, also where it goes on', () => {
    const events = night(4_000);
    assertInProportion((share) => foldSession(events.slice(0, share * events.length)));
    const before = foldSession(events.slice(0, 10));
    assertInProportion((share) => foldSession(events.slice(10, share * events.length), before));
  });
});

describe('the state of a session', () => {
  const after = (...events: readonly SessionEvent[]): SessionState =>
    events.reduce((state, event) => applyEvent(state, recorded(event)), initialState(startedAt()));
  const asked = (turn = 1): SessionEvent => ({
    type: 'model.requested',
    turn,
    provider: 'p',
    model: 'm',
  });
  const usage = { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
  const replied = (cost: Cost = { usd: 1 }): SessionEvent => ({
    ...{
      type: 'model.replied',
      turn: 1,
      provider: 'p',
      model: 'm',
      content: [],
      stop: 'tools',
      usage,
      cost,
    },
  });
  const tool: SessionEvent = {
    type: 'tool.started',
    callId: 'c',
    name: 'sleep',
    effect: 'read',
    title: 't',
  };
  const asleep = (sleepId = 's1', callId = 'c'): SessionEvent => ({
    ...{
      type: 'sleep.started',
      sleepId,
      callId,
      request: { reason: 'r', logic: 'any', triggers: [] },
    },
  });
  const awake = (sleepId = 's1'): SessionEvent => ({
    type: 'sleep.ended',
    sleepId,
    why: 'trigger',
    detail: '',
  });
  const paused: SessionEvent = { type: 'session.paused', by: 'user' };
  const ended: SessionEvent = { type: 'session.ended', reason: 'user', summary: 's', evidence: [] };
  const said = (origin: 'person' | 'wake'): SessionEvent => ({
    type: 'message.added',
    origin,
    text: 'x',
  });
  const resumed = (budget?: Budget): SessionEvent => ({
    type: 'session.resumed',
    by: 'x',
    ...(budget && { budget }),
  });
  const monitor: SessionEvent = { type: 'monitor.started', goal: 'g', intervalMs: 1, callId: 'c' };

  const phases: readonly (readonly [
    name: string,
    events: readonly SessionEvent[],
    phase: SessionState['phase'],
  ])[] = [
    ['before anything', [], 'ready'],
    ['while the model is asked', [asked()], 'thinking'],
    ['after its reply', [asked(), replied()], 'ready'],
    ['during its calls', [asked(), replied(), tool], 'acting'],
    ['asleep', [asked(), replied(), tool, asleep()], 'sleeping'],
    ['asleep, a call beside the sleep', [asleep(), tool], 'sleeping'],
    ['awake again', [asleep(), awake()], 'ready'],
    ['told of the end of another sleep', [asleep('s2'), awake('s1')], 'sleeping'],
    ['told of the end of a sleep that was interrupted', [asleep(), paused, awake()], 'paused'],
    ['paused in a call, whose reply comes late', [asked(), paused, replied()], 'paused'],
    ['ended by a call beside others', [ended, tool], 'ended'],
    ['ended, and spoken to by the engine', [ended, said('wake')], 'ended'],
    ['ended, and spoken to by the user', [ended, said('person')], 'ready'],
    ['paused, and spoken to by the user', [paused, said('person')], 'ready'],
    ['asleep, and spoken to by the user', [asleep(), said('person')], 'sleeping'],
    ['taken up in the midst of a call to the model', [asked(), resumed()], 'ready'],
    ['taken up in the midst of its calls', [tool, resumed()], 'ready'],
    ['taken up asleep', [asleep(), resumed()], 'sleeping'],
    ['taken up paused', [paused, resumed()], 'paused'],
  ];
  for (const [name, events, phase] of phases)
    it(`${name} is ${phase}`, () => assert.equal(after(...events).phase, phase));

  it('has an end, a sleep, a monitor and a pause as long as they count', () => {
    const over = after(monitor, asleep(), ended);
    assert.deepEqual([over.end?.reason, over.sleep, over.monitor], ['user', undefined, undefined]);
    const again = after(monitor, paused, said('person'));
    assert.deepEqual([again.end, again.pausedBy, again.monitor?.goal], [undefined, undefined, 'g']);
    assert.equal(after(ended, said('person')).end, undefined);
    assert.deepEqual([after(asleep(), paused).sleep, after(paused).pausedBy], [undefined, 'user']);
    assert.deepEqual(
      [after(asleep('s', '')).sleep?.isCheckIn, after(asleep()).sleep?.isCheckIn],
      [true, false],
    );
  });

  it('counts what a plan covers, and what is not known, beside what is paid', () => {
    const { usd, planUsd, hasUnknownCost, spending } = after(
      replied({ usd: 1 }),
      replied({ usd: 2, isPlan: true }),
      replied({ unknown: 'no price' }),
    );
    assert.deepEqual([usd, planUsd, hasUnknownCost], [3, 2, true]);
    const [of] = spending.values();
    assert.deepEqual([of?.calls, of?.usd, of?.planUsd, of?.hasUnknownCost], [3, 3, 2, true]);
  });

  it('finds the newest environment of a folder, otherwise that of the machine', () => {
    const env = (id: string, machineId: string, repo: string) => ({
      id,
      machineId,
      repo,
      gist: '',
      file: '',
    });
    const envs = [
      env('e1', 'a', '/w'),
      env('e2', 'a', '/w'),
      env('e3', 'b', '/w'),
      env('e4', 'a', '/w/sub'),
      env('e5', 'a', '/other'),
    ];
    const found = (machineId: string, cwd: string): string | undefined =>
      envFor({ envs }, { machineId, cwd }).envId;
    assert.deepEqual(
      [found('a', '/w'), found('a', '/w/x'), found('b', '/w'), found('a', '/w/sub/x')],
      ['e2', 'e2', 'e3', 'e4'],
    );
    assert.deepEqual(
      [found('a', '/work'), found('a', '/worktrees/e5'), found('c', '/w')],
      ['e5', 'e5', undefined],
    );
  });

  const noticed = (
    scope: 'goal' | 'day' | 'experiment',
    limit: 'turns' | 'usd',
    percent: 50 | 80 | 100,
  ): SessionEvent => ({
    ...{ type: 'budget.noticed', scope, limit, percent, used: 1, of: 2 },
  });
  const launch = (number: number): SessionEvent[] => {
    const { spec, process } = runState(number);
    return [
      { type: 'run.planned', callId: 'c', spec },
      { type: 'run.started', runId: spec.id, process: process ?? assert.fail() },
    ];
  };
  const noticesOf = (...events: readonly SessionEvent[]): string[] => [...after(...events).notices];

  it('forgets what was told of an experiment with the next launch, and no other notice', () => {
    const told = [
      noticed('goal', 'turns', 50),
      noticed('experiment', 'usd', 80),
      noticed('day', 'usd', 50),
    ];
    assert.equal(noticesOf(asked(1), ...launch(1), ...told).length, 3);
    assert.deepEqual(noticesOf(asked(1), ...launch(1), ...told, asked(2), ...launch(2)), [
      'goal turns 50',
      'day usd 50',
    ]);
    assert.equal(
      noticesOf(asked(1), ...launch(1), ...told, ...launch(2)).length,
      3,
      'the same turn',
    );
  });

  it('forgets what was told of limits that are others now', () => {
    const before: Budget = { turns: 9, usd: 1, experiment: { turns: 3 } };
    const told = [
      ...[resumed(before), ...launch(1), noticed('goal', 'turns', 50), noticed('goal', 'usd', 80)],
      ...[noticed('experiment', 'turns', 100), noticed('day', 'usd', 50)],
    ];
    assert.deepEqual(noticesOf(...told, resumed({ ...before, turns: 10 })), [
      'goal usd 80',
      'experiment turns 100',
      'day usd 50',
    ]);
    assert.deepEqual(noticesOf(...told, resumed({ ...before, usd: 2 })), [
      'goal turns 50',
      'experiment turns 100',
      'day usd 50',
    ]);
    const more: Budget = { turns: 9, usd: 1, experiment: { turns: 4 } };
    assert.deepEqual(noticesOf(...told, resumed(more)), [
      'goal turns 50',
      'goal usd 80',
      'day usd 50',
    ]);
    const overAt = (...events: readonly SessionEvent[]): number | undefined =>
      after(asked(), ...events).allowances.at(-1)?.overAtTurns;
    assert.deepEqual([overAt(...told), overAt(...told, resumed({ ...before, turns: 10 }))], [0, 0]);
    assert.equal(overAt(...told, resumed(more)), undefined, 'its allowance is not over any more');
  });

  it('remembers when the allowance of an experiment was over first; a word of the user gives it time', () => {
    const over = [asked(1), ...launch(1), asked(2), noticed('experiment', 'turns', 100), asked(3)];
    const overAt = (...events: readonly SessionEvent[]): number | undefined =>
      after(...over, ...events).allowances.at(-1)?.overAtTurns;
    assert.equal(overAt(), 1);
    assert.equal(overAt(noticed('experiment', 'usd', 100)), 1);
    assert.equal(overAt(noticed('experiment', 'usd', 80)), 1);
    assert.equal(overAt(said('wake')), 1);
    assert.equal(overAt(said('person')), 2);
    assert.equal(
      after(asked(1), ...launch(1), said('person')).allowances.at(-1)?.overAtTurns,
      undefined,
    );
  });

  it('counts a run once for its experiment, however often its start is told', () => {
    const [, begun] = launch(1);
    const state = after(asked(1), ...launch(1), begun ?? assert.fail(), asked(2), ...launch(2));
    assert.deepEqual(
      state.allowances.map(({ runIds }) => runIds),
      [[], [runId(1)], [runId(2)]],
    );
  });
});

describe('a fold over a list that grows', () => {
  it('sees each item once, goes on where it was, and begins anew with another list or a shorter one', () => {
    let added = 0;
    const sumOf = growingFold<number, { sum: number }>(
      () => ({ sum: 0 }),
      (into, item) => {
        added += 1;
        into.sum += item;
      },
    );
    const items = [1, 2];
    assert.deepEqual([sumOf(items).sum, added], [3, 2]);
    items.push(3);
    assert.deepEqual([sumOf(items).sum, sumOf(items).sum, added], [6, 6, 3]);
    assert.deepEqual([sumOf([...items]).sum, added], [6, 6]);
    items.length = 1;
    assert.deepEqual([sumOf(items).sum, added], [1, 7]);
  });
});
