import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildLedger } from '../../../../src/experiments/buildLedger.ts';
import type { Decision } from '../../../../src/experiments/experiment.ts';
import {
  resultValueText,
  type LedgerEntry,
  type PlannedExperiment,
} from '../../../../src/experiments/ledger.ts';
import {
  judgeChampion,
  judgeRows,
  targetIn,
} from '../../../../src/experiments/target/judgeTarget.ts';
import { readTarget } from '../../../../src/experiments/target/readTarget.ts';
import { rowOf, summaryOf } from '../../vscode/states.ts';

interface Point {
  readonly value: number;
  readonly best?: number;
  readonly seed?: number;
  readonly experiment?: string;
  readonly command?: string;
  readonly verdict?: LedgerEntry['verdict'];
}

/** One run per point, in this order. */
function judged(goal: string, points: readonly Point[], decisions: Record<string, Decision> = {}) {
  const target = readTarget(goal);
  assert.ok(target, goal);
  const { metric, direction } = target.objective;
  const entries = points.map((point, index): LedgerEntry => {
    const { value, best = value, seed, experiment = 'e1', command = 'python3 train.py' } = point;
    return rowOf(index + 1, {
      command: seed === undefined ? command : `${command} --seed ${seed}`,
      experimentId: experiment,
      metrics: [summaryOf(metric, best, direction, value)],
      ...(point.verdict && { verdict: point.verdict }),
    });
  });
  const ledger = buildLedger(entries, { target, experiments: recordsOf(entries, decisions) });
  return { target, ledger };
}

function recordsOf(
  entries: readonly LedgerEntry[],
  decisions: Record<string, Decision>,
): ReadonlyMap<string, PlannedExperiment> {
  const ids = [...new Set(entries.flatMap(({ experimentId }) => experimentId ?? []))];
  return new Map(
    ids.map((id): [string, PlannedExperiment] => {
      const decision = decisions[id];
      const number = Number(id.slice(1));
      return [
        id,
        {
          plan: planOf(id, number),
          plannedMs: 0,
          decisions: decision ? [{ decision, why: '', by: 'agent', atMs: 1 }] : [],
        },
      ];
    }),
  );
}

const planOf = (id: string, number: number): PlannedExperiment['plan'] => ({
  ...{ id, number, hypothesis: '', machineId: 'local', command: '', cwd: '/work', fingerprint: id },
  code: {
    kind: 'git',
    repo: '/work',
    tree: id === 'e2' || id === 'e3' ? id : 'e1',
    isDirty: false,
    leftOut: [],
  },
});

function verdictOf(goal: string, points: readonly Point[], decisions?: Record<string, Decision>) {
  const { target, ledger } = judged(goal, points, decisions);
  const [best] = judgeRows(target, ledger, ledger.rows);
  return { isMet: best?.isMet ?? false, text: best?.conditions.map(({ text }) => text).join('; ') };
}

describe('a target compared with measurements', () => {
  it('uses the last value of a run, and the best one only if the goal says so', () => {
    const points = [{ value: 0.9907, best: 0.998 }];
    assert.equal(verdictOf('val_acc > 0.995', points).isMet, false);
    assert.equal(verdictOf('val_acc > 0.995 with early stopping', points).isMet, false);
    assert.equal(verdictOf('loss < 1 with early stopping', [{ value: 2, best: 0.5 }]).isMet, true);
  });

  it('uses the best value only for the metric that ranks', () => {
    const target = readTarget('epoch <= 12 and val_loss <= 1.7 (best value of each run)');
    assert.ok(target);
    const entries = [16, 12].map((epochs, index) =>
      rowOf(index + 1, {
        command: `python3 train.py --epochs ${epochs}`,
        experimentId: 'e1',
        metrics: [summaryOf('epoch', 1, 'lower', epochs), summaryOf('val_loss', 1.6, 'lower', 1.8)],
      }),
    );
    const ledger = buildLedger(entries, { target });
    const met = judgeRows(target, ledger, ledger.rows).map(({ conditions, runs }) => [
      runs[0]?.number,
      conditions.map(({ isMet }) => isMet),
    ]);
    assert.deepEqual(met, [
      [2, [true, true]],
      [1, [false, true]],
    ]);
  });

  it('takes the mean over the seeds that the goal names, never a lucky one', () => {
    const goal = 'bring val_loss below 0.3, mean over seeds 0-2';
    const lucky = [
      { value: 0.1, seed: 0 },
      { value: 0.6, seed: 1 },
      { value: 0.5, seed: 2 },
    ];
    assert.deepEqual(verdictOf(goal, lucky), {
      isMet: false,
      text: 'val_loss 0.4, not < 0.3, mean over seeds 0, 1, 2 (runs 1–3; ± 0.265)',
    });
    const met = lucky.map(({ seed }) => ({ value: 0.2 + seed / 100, seed }));
    assert.equal(verdictOf(goal, met).isMet, true);
  });

  describe('with several runs of a seed', () => {
    const goal = 'bring val_loss below 0.3, mean over seeds 0-2';
    const repeats = (experiment: string, first: number): Point[] =>
      [0, 1, 2].map((seed) => ({ value: first + seed / 100, seed, experiment }));
    const text = 'val_loss 0.36, not < 0.3, mean over seeds 0, 1, 2 (runs 1–6; ± 0.01)';

    it('takes the mean of each seed, so that no retest replaces what was measured', () => {
      const lottery = [...repeats('e1', 0.6), ...repeats('e4', 0.1)];
      for (const decisions of [{}, { e1: 'reference', e4: 'keep' }, { e4: 'discard' }] as const)
        assert.deepEqual(verdictOf(goal, lottery, decisions), { isMet: false, text });
      const { ledger } = judged(goal, lottery, { e1: 'reference', e4: 'keep' });
      assert.equal(
        ledger.best && resultValueText(ledger.best),
        'val_loss 0.36 ± 0.01 over seeds 0, 1, 2, 6 runs',
      );
      assert.equal(ledger.champion?.experimentId, 'e4');
      assert.ok(ledger.experiments.every(({ result }) => result?.n === 3));
    });

    it('weighs the seeds equally', () => {
      const more = [...repeats('e1', 0.2), { value: 0.8, seed: 0, experiment: 'e4' }];
      assert.match(verdictOf(goal, more).text ?? '', /^val_loss 0\.31, not .*runs 1–4/);
    });

    it('does not spread less because one of them is measured again', () => {
      const measured = (...values: readonly (readonly [seed: number, value: number])[]) =>
        values.map(([seed, value]) => ({ value, seed, experiment: 'e1' }));
      const once = measured([0, 0.2597], [1, 0.2596], [2, 0.2524]);
      const again = [...once, ...measured([0, 0.2597])];
      const known = 'val_loss 0.257233 < 0.3, mean over seeds 0, 1, 2';
      assert.equal(verdictOf(goal, once).text, `${known} (runs 1–3; ± 0.00419)`);
      assert.equal(verdictOf(goal, again).text, `${known} (runs 1–4; ± 0.00419)`);
      const { best } = judged(goal, again).ledger;
      assert.deepEqual([best?.n, best?.spread?.toFixed(5)], [3, '0.00419']);
    });

    it('spreads over the runs if there is one seed only, and counts equal values once', () => {
      const ofSeed = (...values: readonly number[]) =>
        judged(
          'the lowest val_loss',
          values.map((value) => ({ value, seed: 0, experiment: 'e1' })),
        ).ledger.best;
      const varied = ofSeed(0.3, 0.4, 0.5);
      assert.equal(varied && resultValueText(varied), 'val_loss 0.4 ± 0.1 over seed 0, 3 runs');
      const equal = ofSeed(0.3869, 0.3869, 0.3869);
      assert.deepEqual([equal && resultValueText(equal), equal?.n], ['val_loss 0.3869', 1]);
    });

    it('leaves out what is invalid, failed or other code', () => {
      const invalid = [...repeats('e1', 0.2), ...repeats('e4', 0.9)];
      assert.match(verdictOf(goal, invalid, { e4: 'invalid' }).text ?? '', /0\.21 .*runs 1–3/);
      const other = [...repeats('e1', 0.2), ...repeats('e2', 0.9)];
      assert.match(verdictOf(goal, other).text ?? '', /0\.21 .*runs 1–3/);
    });

    it('never crowns a reference by itself', () => {
      const { ledger } = judged(goal, repeats('e1', 0.1), { e1: 'reference' });
      assert.equal(ledger.champion, undefined);
    });
  });

  it('knows the seed and the setting of a launch whose command has it among the operands', () => {
    const target = readTarget('val_loss below 0.3, mean over seeds 0-2');
    assert.ok(target);
    const entries = [0, 1, 2].map((seed) =>
      rowOf(seed + 1, {
        command: `python3 train.py ${seed}`,
        ...{ seed: String(seed), setting: 'python3 train.py SEED', experimentId: 'e1' },
        metrics: [summaryOf('val_loss', 0.2 + seed / 100)],
      }),
    );
    const ledger = buildLedger(entries, { target, experiments: recordsOf(entries, {}) });
    assert.equal(
      judgeChampion(target, ledger)?.conditions[0]?.text,
      'val_loss 0.21 < 0.3, mean over seeds 0, 1, 2 (runs 1–3; ± 0.01)',
    );
  });

  it('names the seeds that are missing', () => {
    assert.deepEqual(
      verdictOf('bring val_loss below 0.3, mean over seeds 0-2', [
        { value: 0.1, seed: 0 },
        { value: 0.1, seed: 2 },
      ]),
      {
        isMet: false,
        text: 'val_loss 0.1 < 0.3 (runs 1, 2 only); missing: seed 1',
      },
    );
  });

  it('says of one run that it is one, not that it is a mean', () => {
    const goal = 'bring val_loss below 0.3, mean over seeds 0-2';
    assert.equal(
      verdictOf(goal, [{ value: 0.057, seed: 0 }]).text,
      'val_loss 0.057 < 0.3 (run 1 only); missing: seeds 1, 2',
    );
    assert.equal(
      verdictOf('val_loss below 0.3, mean over 3 seeds', [{ value: 0.057, seed: 0 }]).text,
      'val_loss 0.057 < 0.3 (run 1 only); 3 seeds are needed',
    );
  });

  it('asks of every repeat that it keeps a limit', () => {
    const target = readTarget('loss < 1 with at most 20000 parameters');
    assert.ok(target);
    const textsOf = (sizes: readonly number[]) => {
      const entries = sizes.map((size, seed) =>
        rowOf(seed + 14, {
          command: `train --seed ${seed}`,
          experimentId: 'e5',
          metrics: [summaryOf('loss', 0.5), summaryOf('parameters', size, 'none')],
        }),
      );
      const ledger = buildLedger(entries, { target });
      return judgeRows(target, ledger, ledger.rows)[0]?.conditions.map(({ text }) => text)[1];
    };
    assert.equal(textsOf([4225, 4225, 4225]), 'parameters 4225 <= 20000 (runs 14–16)');
    assert.equal(
      textsOf([4225, 21_121]),
      'parameters 21121, not <= 20000 (run 15, the worst of 2 repeats)',
    );
  });

  it('counts every repeat where the goal only says how many seeds', () => {
    const points = [0.1, 0.1, 0.1, 0.9].map((value, seed) => ({ value, seed }));
    assert.equal(verdictOf('val_loss below 0.25, mean over 3 seeds', points).isMet, false);
    assert.equal(verdictOf('val_loss below 0.31, mean over 3 seeds', points).isMet, true);
  });

  it('needs each seed where the goal says so', () => {
    const points = [0.1, 0.2, 0.4].map((value, seed) => ({ value, seed }));
    assert.equal(verdictOf('val_loss <= 0.3 on each of seeds 0-2', points).isMet, false);
    assert.equal(verdictOf('val_loss <= 0.4 on each of seeds 0-2', points).isMet, true);
  });

  it('never takes failed, killed or invalid runs', () => {
    const bad: Point[] = [
      { value: 0.1, verdict: { kind: 'failed', code: 1 } },
      { value: 0.1, verdict: { kind: 'killed' } },
      { value: 0.1, experiment: 'e2' },
    ];
    assert.equal(verdictOf('loss < 1', bad, { e2: 'invalid' }).isMet, false);
    assert.equal(verdictOf('loss < 1', bad).isMet, true);
  });

  it('compares with the first setting that was measured where the goal is relative', () => {
    const goal = 'halve the validation loss';
    const points = [
      { value: 2, experiment: 'e1' },
      { value: 0.9, experiment: 'e2', command: 'python3 train.py --wide' },
    ];
    const { target, ledger } = judged(goal, points);
    assert.equal(
      judgeChampion(target, ledger)?.conditions[0]?.text,
      "validation loss 0.9 <= 1 (0.45 × the baseline's 2, run 1) (run 2)",
    );
    assert.equal(
      targetIn(target, ledger),
      "validation loss <= 1 (half of the baseline's 2, run 1)",
    );
    const [only] = judgeRows(target, ledger, ledger.rows.slice(0, 1));
    assert.equal(only?.conditions[0]?.text, 'validation loss 2 is the baseline (run 1)');
  });

  it('compares with the setting of the run that the user chose', () => {
    const points = [
      { value: 2, experiment: 'e1' },
      { value: 0.9, experiment: 'e2', command: 'python3 train.py --wide' },
      { value: 0.5, experiment: 'e3', command: 'python3 train.py --wider' },
    ];
    const { target: first, ledger } = judged('reduce the validation loss by 10 %', points);
    const target = { ...first, baseline: 2 };
    assert.equal(
      targetIn(target, ledger),
      "validation loss <= 0.81 (0.9 × the baseline's 0.9, run 2)",
    );
    const [worst] = judgeRows(target, ledger, ledger.rows.slice(0, 1));
    assert.equal(
      worst?.conditions[0]?.text,
      "validation loss 2, not <= 0.81 (2.222 × the baseline's 0.9, run 2) (run 1)",
    );
    const none = { ...first, baseline: 7 };
    assert.equal(targetIn(none, ledger), 'validation loss <= 0.9 × the baseline');
    const [unmet] = judgeRows(none, ledger, ledger.rows);
    assert.match(unmet?.conditions[0]?.text ?? '', /no baseline of validation loss/);
  });

  it('asks that one setting meets all conditions', () => {
    const target = readTarget('loss under 1.0 and accuracy above 90%');
    assert.ok(target);
    const entries = [
      rowOf(1, {
        experimentId: 'e1',
        metrics: [summaryOf('loss', 0.5), summaryOf('accuracy', 0.8, 'higher')],
      }),
      rowOf(2, {
        experimentId: 'e2',
        metrics: [summaryOf('loss', 1.5), summaryOf('accuracy', 0.95, 'higher')],
      }),
    ];
    const ledger = buildLedger(entries, { target });
    assert.ok(judgeRows(target, ledger, ledger.rows).every(({ isMet }) => !isMet));
  });

  it('never takes a training metric for one on validation data', () => {
    const target = readTarget('bring val loss below 0.3');
    assert.ok(target);
    const metrics = [summaryOf('loss', 0.1), summaryOf('train_loss', 0.1)];
    const entries = [rowOf(1, { experimentId: 'e1', metrics })];
    const ledger = buildLedger(entries, { target });
    const [only] = judgeRows(target, ledger, ledger.rows);
    assert.deepEqual(
      [only?.isMet, only?.conditions[0]?.text],
      [false, 'val loss was not read from run 1'],
    );
  });

  it('judges an experiment by its kept setting, else by its best one', () => {
    const points = [0.9861, 0.9805, 0.9879].map((value, index) => ({
      value,
      command: `python3 train.py --hidden ${index}`,
    }));
    const first = (keep: readonly (readonly [runs: readonly number[], Decision])[]): string => {
      const { target, ledger } = judged('val_acc >= 0.975', points, {});
      const rows = ledger.rows.map((row) => {
        const decision = keep.find(([runs]) => runs.includes(row.number))?.[1];
        return decision === undefined
          ? row
          : { ...row, decision: { decision, why: '', by: 'agent' as const, atMs: 1 } };
      });
      const experiments = ledger.experiments.map((row) => ({ ...row, runs: rows }));
      const [best] = judgeRows(target, { experiments }, rows);
      return best?.runs.map(({ number }) => number).join() ?? '';
    };
    assert.equal(first([]), '3');
    assert.equal(first([[[2], 'keep']]), '2');
    assert.equal(first([[[3], 'discard']]), '1');
  });
});
