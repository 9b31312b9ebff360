import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { JournalEvent } from '../../../../src/agent/journal/events.ts';
import { endedSinceWake } from '../../../../src/agent/loop/endedSinceWake.ts';

const event = (fields: object): JournalEvent => fields as JournalEvent;
const slept = (sleepId: string) => event({ type: 'sleep.started', sleepId });
const woke = (why: string) => event({ type: 'sleep.ended', why });
const digest = event({ type: 'message.added', origin: 'wake', text: '' });
const ended = (runId: string) => event({ type: 'run.ended', runId });

describe('the runs that ended since the last digest', () => {
  it('leave out those that the digest of a wake by the user told', () => {
    const events = [slept('a'), ended('r1'), woke('person'), digest, slept('b'), ended('r2')];
    assert.deepEqual([...endedSinceWake('b', events)], ['r2']);
  });

  it('include those that ended before a wake by the user without a digest', () => {
    const events = [slept('a'), ended('r1'), woke('person'), slept('b'), ended('r2')];
    assert.deepEqual([...endedSinceWake('b', events)], ['r1', 'r2']);
  });
});
