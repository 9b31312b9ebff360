import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { experimentNews } from '../../../../src/agent/context/experimentNews.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';
import { runState } from '../../vscode/states.ts';

describe('notes about experiments', () => {
  /** An experiment whose run ends in a turn, and that is decided in this turn or the next. */
  const notesAfter = (turn: 'this' | 'next'): readonly string[] => {
    const { spec } = runState(1);
    const plan = { id: 'e1', number: 1, hypothesis: 'half is better', parents: [] };
    const journal = new JournalOf()
      .add({ type: 'experiment.planned', plan } as never)
      .add({ type: 'run.planned', callId: 'c', spec: { ...spec, experimentId: 'e1' } })
      .ask()
      .add({
        ...{ type: 'run.ended', runId: spec.id, verdict: { kind: 'ok' }, endedMs: 1, metrics: [] },
      })
      .reply([]);
    if (turn === 'next') journal.ask().reply([]);
    journal.add({
      ...{ type: 'experiment.decided', id: 'd', experimentId: 'e1', decision: 'keep', by: 'agent' },
      why: 'better',
    } as never);
    return [...experimentNews(journal.events).values()];
  };

  it('ask for a decision, also where it follows later', () =>
    assert.deepEqual(notesAfter('next'), [
      '[Experiment e1 (half is better) has ended and is not decided: call exp_decide.]',
    ]));

  it('ask for no decision that was made before the note was read', () =>
    assert.deepEqual(notesAfter('this'), []));
});
