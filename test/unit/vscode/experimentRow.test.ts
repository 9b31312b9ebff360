import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import type { Decision, ExperimentPlan } from '../../../src/experiments/experiment.ts';
import type { LedgerRow, PlannedExperiment } from '../../../src/experiments/ledger.ts';
import { experimentRows } from '../../../src/vscode/experiments/experimentRows.ts';
import { ledgerTable } from '../../../src/vscode/experiments/ledgerTable.ts';
import { experimentOf, runIdOf } from '../../../src/vscode/ui/commandTarget.ts';
import type { TreeNode } from '../../../src/vscode/ui/treeNode.ts';
import {
  endedRun,
  rowOf,
  runId,
  runsOf,
  sessionId,
  startMs,
  stateOf,
  summaryOf,
} from './states.ts';

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

const read = (): Promise<never> => Promise.reject(new Error());

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
      read,
    };
    return experimentRows(view)[0]?.children as readonly TreeNode[];
  };

  it('stand newest first, with decision, value over repeats and champion, their runs below them', () => {
    assert.deepEqual(
      rows().map(({ label, icon, description }) => [label, icon?.id, description]),
      [
        ['idea 4', 'error', 'experiment 4 · crash'],
        ['0.2 · lr=5', 'pass', 'run 5 · now · experiment 3 · not decided'],
        ['0.1 · lr=4', 'circle-slash', 'run 4 · now · experiment 2 · discard'],
        ['0.850 ± 0.071 · idea 1', 'star-full', 'experiment 1 · champion · keep · 2 runs'],
        ['5 · lr=1', 'pass', 'run 1 · now'],
      ],
    );
    const [, , , first] = rows();
    assert.deepEqual(
      (first?.children as readonly TreeNode[]).map(({ label }) => label),
      ['0.9 · lr=3', '0.8 · lr=2'],
    );
    assert.ok(
      (first?.children as readonly TreeNode[]).every(({ icon }) => icon?.id !== 'star-full'),
      'no run of several is the champion',
    );
    assert.match(
      first?.tooltip ?? '',
      /Champion by the mean of the last value of loss of its 2 runs/,
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

  it('are one row where they have one run, with the commands and facts of both', () => {
    const [, undecided, discarded] = rows();
    assert.equal(undecided?.children, undefined);
    assert.equal(discarded?.context, 'experiment over run ended');
    assert.equal(experimentOf(discarded), 'e2');
    assert.equal(runIdOf(discarded), runId(4));
    assert.equal(discarded?.onClick, 'helios.showMetrics');
    assert.match(discarded?.tooltip ?? '', /idea 2[\s\S]*because[\s\S]*Run 4[\s\S]*gpu1/);
    assert.match(discarded?.spoken ?? '', /^Experiment 2, discard, loss 0\.1, idea 2\. Run 4, ok/);
  });

  it('stand below the one that they built on, after its runs, if wanted', () => {
    const built = (number: number, basedOn?: string): [string, PlannedExperiment] => {
      const record = recordOf(number);
      const plan = { ...record.plan, ...(basedOn !== undefined && { basedOn }) };
      return [plan.id, { ...record, plan }];
    };
    const ancestry = [built(1), built(2, 'e1'), built(3, 'e2'), built(4, 'e1')];
    const own = buildLedger(entries, { experiments: new Map(ancestry) });
    const view = { open: [{ state, ledger: own }], listed: [], nowMs: startMs, isTree: true, read };
    const shown = (nodes: readonly TreeNode[], indent = ''): string[] =>
      nodes.flatMap(({ label, children = [] }) => [
        `${indent}${label}`,
        ...shown(children as readonly TreeNode[], `${indent}  `),
      ]);
    const [session] = experimentRows(view);
    const tree = session?.children as readonly TreeNode[];
    assert.deepEqual(shown(tree), [
      '0.850 ± 0.071 · idea 1',
      '  0.9 · lr=3',
      '  0.8 · lr=2',
      '  idea 4',
      '  0.1 · lr=4',
      '    0.2 · lr=5',
      '5 · lr=1',
    ]);
    const [first] = tree;
    assert.match(first?.spoken ?? '', /, 2 built on it$/);
    assert.ok(first?.isExpanded === true && first.onClick === 'helios.showMetrics');
    const [, , , second] = first.children as readonly TreeNode[];
    assert.match(second?.tooltip ?? '', /built on e1/);
    const [listed] = experimentRows({ ...view, isTree: false });
    const ids = (nodes: readonly TreeNode[]): string[] => nodes.map(({ id }) => id);
    assert.ok(!ids(listed?.children as readonly TreeNode[]).includes(first.id), 'a row of its own');
  });

  it('are named by the label that their seeds share, if that tells what was varied', () => {
    const labelOf = (...labels: string[]): string | undefined => {
      const runs = labels.map((label, index) => entry(index + 1, 1, { label }));
      const built = buildLedger(runs, { experiments: new Map([['e1', recordOf(1)]]) });
      const open = [{ state, ledger: built }];
      const [session] = experimentRows({ ...{ open, listed: [], nowMs: startMs }, read });
      return (session?.children as readonly TreeNode[])[0]?.label.replace(/^.* · /, '');
    };
    assert.equal(labelOf('lr=0.05 seed=1', 'lr=0.05 seed=2'), 'lr=0.05');
    assert.equal(labelOf('lr=0.05 seed=1', 'lr=0.1 seed=2'), 'idea 1');
    assert.equal(labelOf('seed=1', 'seed=2'), 'idea 1');
    assert.equal(labelOf('train 1'), 'idea 1', 'a command says nothing of what was varied');
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
