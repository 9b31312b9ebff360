import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { happeningsOf } from '../../../../src/agent/reports/reportHappenings.ts';
import type { Verdict } from '../../../../src/runs/run.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';
import { runState } from '../../vscode/states.ts';

describe('happenings of a brief', () => {
  it('merges consecutive events with the same text, with their number and the time of the last', () => {
    const journal = new JournalOf();
    const pause = (detail: string): JournalOf =>
      journal.add({ type: 'session.paused', by: 'error', detail });
    for (const detail of ['no key', 'no key', 'no key', 'no disk', 'no key']) pause(detail);
    const state = foldSession(journal.events);
    assert.ok(state);
    const happenings = happeningsOf(journal.events, state);
    assert.deepEqual(
      happenings.map(({ text }) => /\((\d+) times\)$/.exec(text)?.[1]),
      ['3', undefined, undefined],
    );
    assert.deepEqual(
      happenings.map(({ atMs }) => atMs),
      journal.events.slice(-3).map(({ at }) => at),
    );
  });

  it('say what the user wanted: the newest messages, and each change of the target', () => {
    const journal = new JournalOf();
    const target = readTarget('val_loss < 0.3')!;
    const other = readTarget('val_loss <= 0.5 × the baseline')!;
    journal.add({ type: 'session.target_changed', target, by: 'agent' });
    journal.add({ type: 'session.target_changed', target: other, by: 'person' });
    for (const text of ['one', 'two', 'The target is now: x.', 'three', 'four', 'five', 'six'])
      journal.add({ type: 'message.added', origin: 'person', text });
    journal.add({ type: 'note.pinned', number: 1, text: 'Mind the split' });
    const state = foldSession(journal.events);
    assert.ok(state);
    assert.deepEqual(
      happeningsOf(journal.events, state)
        .map(({ text }) => text)
        .slice(-8),
      [
        'Target changed by the agent: loss < 1 → val_loss < 0.3',
        'Target changed by you: val_loss < 0.3 → val_loss <= 0.5 × the baseline',
        ...['two', 'three', 'four', 'five', 'six'].map((text) => `You said: “${text}”`),
        'Sticky note 1 pinned · Mind the split',
      ],
    );
  });

  it('say what was refused', () => {
    const refused = { isAllowed: false, by: 'person', why: 'the user did not allow it' } as const;
    const journal = new JournalOf();
    journal.add({
      ...{ type: 'permission.decided', callId: 'c1', ...refused },
      accesses: [{ kind: 'command', machineId: 'local', command: 'git push' }],
    });
    journal.add({ type: 'permission.decided', callId: 'c2', ...refused });
    const state = foldSession(journal.events);
    assert.ok(state !== undefined);
    assert.deepEqual(
      happeningsOf(journal.events, state).map(({ text }) => text),
      ['Denied by you · git push', 'Denied by you'],
    );
  });

  it('say for how long Helios was gone after it was killed, and how many runs went on', () => {
    const atMs = new Date(2026, 10, 22, 8, 35).getTime();
    const minuteMs = 60_000;
    const journal = new JournalOf();
    for (const number of [1, 2, 3, 4]) {
      const { spec } = runState(number);
      const process = { pid: number, startTime: '1', bootId: 'b', startedMs: atMs - minuteMs };
      journal.add({ type: 'run.planned', callId: 'c', spec });
      journal.add({ type: 'run.started', runId: spec.id, process });
    }
    journal.add({ type: 'session.resumed', by: 'cli', lastSeenAt: atMs });
    const end = (number: number, verdict: Verdict, endedMs: number): JournalOf =>
      journal.add({
        ...{ type: 'run.ended', runId: runState(number).spec.id, verdict, endedMs, metrics: [] },
      });
    end(1, { kind: 'ok' }, atMs - 1_000);
    end(2, { kind: 'ok' }, atMs + minuteMs);
    end(3, { kind: 'lost', why: 'the computer was started again' }, atMs + minuteMs);
    const events = journal.events.map((event) => ({ ...event, at: atMs + 130 * minuteMs }));
    const state = foldSession(events);
    assert.ok(state);
    assert.deepEqual(
      happeningsOf(events, state).map(({ text }) => text),
      ['Session resumed · Helios was gone for 2 h 10 min (08:35:00–10:45:00); 2 runs went on.'],
    );
  });
});
