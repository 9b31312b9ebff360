import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { JournalEvent, SessionEvent } from '../../../src/agent/journal/events.ts';
import { applyEvent, foldSession, initialState } from '../../../src/agent/journal/fold.ts';
import type { RunId, SessionId } from '../../../src/base/ids.ts';
import type { RunSpec } from '../../../src/runs/run.ts';
import { processorMs } from '../../fakes/pace.ts';

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
    add({ type: 'run.started', runId, process: { pid: number, startTime: '1', bootId: 'b', startedMs: 0 } });
    add({ type: 'run.alarmed', runId, kind: 'silence', detail: 'nothing was printed', action: 'warn' });
    add({ type: 'run.ended', runId, verdict: { kind: 'ok' }, endedMs: 1, metrics: [] });
    add({ type: 'experiment.decided', experimentId: id, decision: 'keep', why: 'better', by: 'agent' });
    if (number % 7 === 0) add({ type: 'note.pinned', number, text: id });
    if (number % 5 === 0)
      add({ type: 'question.asked', questionId: `q${number}`, text: id, options: [], fallback: 'no', deadlineMs: 9 });
    if (number % 10 === 0) add({ type: 'question.answered', questionId: `q${number}`, answer: 'yes', by: 'person' });
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
    for (const event of events.slice(1)) states.push(applyEvent(states.at(-1) ?? started(events), event));
    for (const [index, state] of states.entries()) assert.deepEqual(state, foldSession(events.slice(0, index + 1)));
  });

  it('takes time in proportion to its length', () => {
    const [short, long] = [night(500), night(4_000)];
    const best = (events: readonly JournalEvent[]): number =>
      Math.min(...Array.from({ length: 5 }, () => processorMs(() => foldSession(events))));
    best(long);
    assert.ok(best(long) < 32 * best(short) + 10, 'eight times as long must not take sixty-four times');
  }).timeout(20_000);
});
