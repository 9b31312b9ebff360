import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { happeningsOf } from '../../../../src/agent/reports/reportHappenings.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';

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
      [
        'Not allowed · the user did not allow it · git push',
        'Not allowed · the user did not allow it',
      ],
    );
  });
});
