import assert from 'node:assert/strict';
import { before, describe, it } from 'mocha';
import type { LedgerRow } from '../../../src/experiments/ledger.ts';
import { comparisonDocument } from '../../../src/presentation/runs/comparison.ts';
import {
  groupComparisonDocument,
  groupsTitle,
} from '../../../src/presentation/runs/groupComparison.ts';
import { groupDifference } from '../../../src/presentation/runs/noiseText.ts';
import type { RunGroup } from '../../../src/presentation/runs/runGroups.ts';
import { loadShell } from '../../../src/shell/grammar.ts';
import { lossOf } from '../../fakes/nights.ts';
import { rowOf } from '../vscode/states.ts';

describe('the comparison of two groups', () => {
  before(() => loadShell());

  const group = (first: number, lr: number, ...losses: readonly number[]): RunGroup => ({
    number: first,
    rows: losses.map((loss, index): LedgerRow => ({
      ...rowOf(first + index),
      command: `train --lr ${lr} --seed ${index}`,
      metrics: [
        lossOf(1 - loss, { metric: 'acc', direction: 'higher', last: 1 - loss }),
        lossOf(loss, { last: loss }),
      ],
    })),
  });
  const [high, low] = [group(1, 0.1, 0.9, 0.92, 0.94), group(4, 0.2, 0.6, 0.62, 0.64)];

  it('says the difference in units and in σ, and whether it is more than noise', () => {
    assert.equal(
      groupDifference([high, low], 'loss', 'lower')?.text,
      '−0.3 (−15 σ): better, beyond noise',
    );
    assert.equal(
      groupDifference([low, high], 'loss', 'lower')?.text,
      '+0.3 (+15 σ): worse, beyond noise',
    );
    const near = group(7, 0.3, 0.89, 0.93, 0.95);
    assert.match(
      groupDifference([high, near], 'loss', 'lower')?.text ?? '',
      /^\+0\.00333 \(\+0\.13 σ\): within noise$/,
    );
    const [one, other] = [group(1, 0.1, 0.9), group(2, 0.2, 0.8)];
    assert.equal(
      groupDifference([one, other], 'loss', 'lower')?.text,
      '−0.1: better, noise unknown without repeats',
    );
    assert.equal(groupDifference([one, one], 'loss', 'lower')?.text, '+0: same');
    assert.equal(groupDifference([high, low], 'bleu', 'higher'), undefined);
    assert.match(groupDifference([high, low], 'loss', 'none')?.text ?? '', /differs, beyond noise/);
  });

  it('is a document: means, what differs, code, environment, curves and commands', () => {
    const groups = [high, low] as const;
    assert.equal(groupsTitle(groups), 'Runs 1–3 vs. Runs 4–6');
    const text = groupComparisonDocument({
      groups,
      decisive: { metric: 'loss', direction: 'lower', rule: 'last' },
      code: ['aaaaaaa', 'bbbbbbb'],
      files: 'train.py, 10 lines',
      environment: ['+ package torch==2.4', '- package torch==2.3', '+ package <b>'],
      charts: [{ metric: 'loss', svg: '<svg/>' }],
    });
    const lines = text.split('\n');
    const at = (start: string): number => lines.findIndex((line) => line.startsWith(start));
    assert.ok(at('| loss |') < at('| acc |'), 'the metric that decides is first');
    assert.match(
      text,
      /\| loss \| 0\.92 ± 0\.02 \(3 repeats\) \| 0\.62 ± 0\.02 \(3 repeats\) \| −0\.3 \(−15 σ\): better, beyond noise \|/,
    );
    assert.match(text, /\| acc \|.*better, beyond noise \|/);
    assert.match(text, /\| lr \| 0\\\.1 \| 0\\\.2 \|/);
    assert.match(text, /\| Code \| aaaaaaa \| bbbbbbb \|/);
    assert.match(text, /## Code\n\ntrain\.py, 10 lines/);
    assert.match(
      text,
      /- \\\+ package torch==2\.4\n- \\- package torch==2\.3\n- \\\+ package \\<b>/,
    );
    assert.match(text, /!\[loss\]\(data:image/);
    assert.match(text, /train --lr 0\.2 --seed 0/);
  });

  it('says so where nothing was measured on both sides, or nothing differs', () => {
    const bare = { ...high, rows: high.rows.map((row) => ({ ...row, metrics: [] })) };
    const text = groupComparisonDocument({ groups: [bare, bare], environment: [] });
    assert.match(text, /No metric was measured on both sides\./);
    assert.match(text, /No option and no code\./);
    assert.match(text, /The recorded environments are the same\./);
  });

  it('of single runs names their repeats, by which noise is judged', () => {
    const [baseline, experiment] = [high.rows[0], low.rows[0]];
    assert.ok(baseline && experiment);
    const metrics = [
      {
        ...{ metric: 'loss', direction: 'lower' as const },
        ...{ baseline: undefined, experiment: undefined },
        ...{ atEnd: undefined, atBest: undefined, atEqualStep: undefined },
      },
    ];
    const runs = { baseline, experiment, metrics };
    assert.match(
      comparisonDocument({ ...runs, repeats: [high, low] }),
      /## With their repeats\n\n\| Metric \| runs 1–3 \| runs 4–6 \| Difference \|\n.*\n\| loss \|.*beyond noise \|/,
    );
    const alone = (one: RunGroup): RunGroup => ({ ...one, rows: one.rows.slice(0, 1) });
    assert.doesNotMatch(
      comparisonDocument({ ...runs, repeats: [alone(high), alone(low)] }),
      /With their repeats/,
    );
  });
});
