import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { GrowingLedger, ledgerOf } from '../../../../src/agent/runs/sessionLedger.ts';
import type { RunState } from '../../../../src/agent/journal/state.ts';
import { runsOf, runState, stateOf, summaryOf } from '../../vscode/states.ts';

describe('the ledger of a session that goes on', () => {
  it('is built again when the state or the metrics of a run have changed, and only then', () => {
    const ledger = new GrowingLedger();
    const runs = runsOf(runState(1), runState(2));
    const state = stateOf({ runs });
    let loss = [summaryOf('loss', 0.5)];
    const values = ({ spec }: RunState) => (spec.number === 1 ? loss : none);
    const none: readonly ReturnType<typeof summaryOf>[] = [];
    const first = ledger.of(state, values);
    assert.deepEqual(first, ledgerOf(state, values));
    assert.equal(ledger.of(state, values), first);
    loss = [summaryOf('loss', 0.25)];
    const second = ledger.of(state, values);
    assert.equal(second.rows[0]?.metrics[0]?.last, 0.25);
    const other = stateOf({ runs: runsOf(runState(1)) });
    assert.equal(ledger.of(other, values).rows.length, 1);
    assert.deepEqual(ledger.of(state, values), second);
  });
});
