import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SweepState } from '../../../src/agent/journal/state.ts';
import type { Ledger } from '../../../src/experiments/ledger.ts';
import { experimentRows } from '../../../src/vscode/experiments/experimentRows.ts';
import type { TreeNode } from '../../../src/vscode/ui/treeNode.ts';
import { endedRun, rowOf, runState, runsOf, startMs, stateOf } from './states.ts';

const sweep = (more: Partial<SweepState> = {}): SweepState => ({
  plan: {
    id: 's1',
    params: ['lr', 'bs'],
    points: [1, 2, 3, 4].map((i) => ({ params: { lr: i }, command: `t ${i}`, label: `lr=${i}` })),
    machineIds: ['gpu1'],
    metrics: {},
  },
  callId: 'c',
  skipped: new Map(),
  ...more,
});
const pointOf = <Run extends { readonly spec: object }>(run: Run, index: number): Run => ({
  ...run,
  spec: { ...run.spec, sweep: { id: 's1', index } },
});
const ledger: Ledger = {
  ...{ experiments: [], imported: [] },
  rows: [rowOf(1), rowOf(2, { metrics: [] }), rowOf(3), rowOf(4, { verdict: undefined } as object)],
  decisive: { metric: 'loss', direction: 'lower', rule: 'last' as const },
};
const rowsOf = (state: SweepState): readonly TreeNode[] => {
  const runs = runsOf(
    endedRun(1, 1),
    pointOf(endedRun(2, 2, { kind: 'failed', code: 1 }), 0),
    pointOf(endedRun(3, 3), 1),
    pointOf(runState(4), 2),
  );
  const open = [{ state: stateOf({ runs, sweeps: new Map([['s1', state]]) }), ledger }];
  const [session] = experimentRows({
    open,
    listed: [],
    nowMs: startMs,
    read: () => Promise.reject(new Error('no')),
  });
  assert.ok(Array.isArray(session?.children));
  return session.children as readonly TreeNode[];
};

describe('rows of a sweep', () => {
  it('stand below it, newest first, beside runs of their own', () => {
    const [row, run] = rowsOf(sweep());
    assert.equal(run?.label, '1 · lr=1');
    assert.deepEqual(
      [row?.label, row?.description, row?.isExpanded],
      ['3 · lr × bs', 'sweep 1 · 2 of 4 · 1 running · 1 failed', true],
    );
    assert.deepEqual(
      (row?.children as readonly TreeNode[]).map(({ label }) => label),
      ['4 · lr=4', '3 · lr=3', 'lr=2'],
    );
  });

  it('says what was left out and not run', () => {
    const [row] = rowsOf(sweep({ end: 'stopped' }));
    assert.match(row?.description ?? '', /1 running · 1 not run/);
    const [other] = rowsOf(sweep({ skipped: new Map([[3, 'no such folder']]) }));
    assert.match(other?.description ?? '', /3 of 4 · 1 running · 2 failed/);
    assert.match(other?.tooltip ?? '', /lr=4 was skipped: no such folder/);
  });
});
