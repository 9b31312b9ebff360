import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import type { Decision, ExperimentPlan } from '../../../src/experiments/experiment.ts';
import type { LedgerRow, PlannedExperiment } from '../../../src/experiments/ledger.ts';
import { experimentRows } from '../../../src/vscode/experiments/experimentRows.ts';
import { ledgerTable } from '../../../src/vscode/experiments/ledgerTable.ts';
import type { TreeNode } from '../../../src/vscode/ui/treeNode.ts';
import { endedRun, rowOf, runsOf, sessionId, startMs, stateOf, summaryOf } from './states.ts';

const recordOf = (
  number: number,
  decision?: Decision,
  hypothesis = `idea ${number}`,
): PlannedExperiment => {
  const plan: ExperimentPlan = {
    ...{
      id: `e${number}`,
      number,
      hypothesis,
      machineId: 'gpu1',
      command: `train ${number}`,
      cwd: '/p',
      fingerprint: 'f',
    },
    code: {
      kind: 'git',
      repo: '/p',
      head: 'a'.repeat(40),
      tree: 't',
      isDirty: true,
      commit: 'b'.repeat(40),
      leftOut: [],
    },
  };
  const decisions =
    decision === undefined
      ? []
      : [{ decision, why: 'because', by: 'agent' as const, atMs: startMs }];
  return { plan, plannedMs: startMs, decisions };
};
const entry = (
  number: number,
  experiment: number | undefined,
  changes: Partial<LedgerRow> = {},
) => {
  const { isChampion: _, ...row } = rowOf(number, changes);
  return experiment === undefined ? row : { ...row, experimentId: `e${experiment}` };
};

describe('experiments as rows', () => {
  const records = new Map(
    [recordOf(1, 'keep'), recordOf(2, 'discard'), recordOf(3), recordOf(4, 'crash')].map((one) => [
      one.plan.id,
      one,
    ]),
  );
  const repeats = [2, 3].map((number) =>
    entry(number, 1, {
      command: `train --seed ${number}`,
      metrics: [summaryOf('loss', number === 2 ? 0.8 : 0.9)],
    }),
  );
  const entries = [
    ...[entry(1, undefined, { metrics: [summaryOf('loss', 5)] }), ...repeats],
    ...[
      entry(4, 2, { metrics: [summaryOf('loss', 0.1)] }),
      entry(5, 3, { metrics: [summaryOf('loss', 0.2)] }),
    ],
  ];
  const ledger = buildLedger(entries, { experiments: records });
  const state = stateOf({ runs: runsOf(endedRun(1, 5), endedRun(2, 0.8)) });
  const rows = (): readonly TreeNode[] => {
    const view = {
      open: [{ state, ledger }],
      listed: [],
      nowMs: startMs,
      read: () => Promise.reject(new Error()),
    };
    return experimentRows(view)[0]?.children as readonly TreeNode[];
  };

  it('stand newest first, with decision, value over repeats and champion, their runs below them', () => {
    assert.deepEqual(
      rows().map(({ label, icon, description }) => [label, icon?.id, description]),
      [
        ['Experiment 4', 'error', 'idea 4 · crash'],
        ['Experiment 3', 'question', 'loss 0.2 · idea 3 · not decided'],
        ['Experiment 2', 'circle-slash', 'loss 0.1 · idea 2 · discard'],
        ['Experiment 1', 'star-full', 'champion · loss 0.85 ± 0.0707 over 2 runs · idea 1 · keep'],
        ['Run 1', 'pass', rows()[4]?.description],
      ],
    );
    const [, , , first] = rows();
    assert.deepEqual(
      (first?.children as readonly TreeNode[]).map(({ label }) => label),
      ['Run 3', 'Run 2'],
    );
    assert.deepEqual(first?.target, { kind: 'experiment', experimentId: 'e1', sessionId });
    assert.equal(first?.context, 'experiment over');
    assert.match(
      first?.tooltip ?? '',
      /keep: because[\s\S]*Code bbbbbbb, with uncommitted changes/,
    );
    assert.equal(
      first?.spoken,
      'Experiment 1, keep, champion, loss 0.85 ± 0.0707 over 2 runs, idea 1',
    );
  });

  it('stand in the ledger as a table of their own', () => {
    const [table = '', runs = ''] = ledgerTable(ledger).split('\n\n');
    assert.match(table, /^\| Experiment \| Hypothesis \|/);
    assert.match(
      table,
      /\| e1 \(champion\) \| idea 1 \| .*0\.85.* \| 2 ok \| 2, 3 \| keep: because \|/,
    );
    assert.equal(table.split('\n').length, 2 + 4);
    assert.match(runs, /^\| Run \| What/);
    assert.equal(ledgerTable(buildLedger([])), '');
  });
});
