import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import type { Decision, ExperimentPlan } from '../../../src/experiments/experiment.ts';
import type { LedgerEntry } from '../../../src/experiments/ledger.ts';
import { readTarget } from '../../../src/experiments/target/readTarget.ts';
import type { Target } from '../../../src/experiments/target/target.ts';
import { settingsTable } from '../../../src/reports/settingsTable.ts';
import { rowOf, summaryOf } from '../vscode/states.ts';

/** Two settings with three seeds each, and one that failed. */
const runs: readonly [command: string, ppl: number][] = [
  ['python3 lm.py --seed 0', 43.933],
  ['python3 lm.py --seed 1', 43.979],
  ['python3 lm.py --seed 2', 41.281],
  ['python3 lm.py --cell lstm --hidden 256 --seed 0', 3.75],
  ['python3 lm.py --cell lstm --hidden 256 --seed 1', 3.656],
  ['python3 lm.py --cell lstm --hidden 256 --seed 2', 3.762],
];
const entries = [
  ...runs.map(([command, ppl], index): LedgerEntry =>
    rowOf(index + 1, {
      command,
      experimentId: index < 3 ? 'e1' : 'e2',
      metrics: [summaryOf('test_ppl', ppl - 0.5, 'lower', ppl), summaryOf('loss', 1 / ppl)],
    }),
  ),
  rowOf(9, { command: 'python3 lm.py --cell rnn', verdict: { kind: 'failed', code: 1 } }),
];
const ledger = buildLedger(entries);

const planOf = (number: number, command: string, hypothesis: string): ExperimentPlan => ({
  id: `e${number}`,
  number,
  machineId: 'gpu1',
  command,
  cwd: '/work/own',
  code: { kind: 'git', repo: '/work/own', tree: `t${number}`, isDirty: false, leftOut: [] },
  fingerprint: `f${number}`,
  hypothesis,
});

const parameterTarget = (): Target => ({
  objective: { metric: 'rmse', direction: 'lower' },
  rule: 'last',
  conditions: [
    { metric: 'rmse', comparator: '<=', value: 0.06, over: 'mean', seedCount: 2 },
    { metric: 'parameters', comparator: '<=', value: 20000 },
  ],
});

describe('the table of settings', () => {
  it('has the worst seed of each setting where the target compares it', () => {
    const target = readTarget('test_ppl below 4 on the worst seed');
    assert.equal(target?.conditions[0]?.over, 'worst');
    const [head, , ...rows] = settingsTable(ledger, 'md', { target }).split('\n');
    assert.match(head ?? '', /\| worst seed \| target \|$/);
    assert.match(rows[0] ?? '', /\| 3\.723 ± 0\.058 \| 3\.762 \|/);
    assert.match(rows[1] ?? '', /\| 43\.979 \|/);
    assert.doesNotMatch(settingsTable(ledger, 'md', { target: undefined }), /worst/);
  });

  it('counts repeats whose seeds change nothing as one', () => {
    const rows = [0, 1, 2].map((seed) =>
      rowOf(seed + 1, {
        command: `python3 lm.py --seed ${seed}`,
        experimentId: 'e1',
        metrics: [summaryOf('test_ppl', 3.5, 'lower', 4)],
      }),
    );
    const own = buildLedger(rows);
    assert.equal(own.best?.n, 1);
    assert.match(settingsTable(own, 'md'), /^\| 1 \| 4 \|$/m);
    assert.match(settingsTable(own, 'csv'), /^1,4,,run 1 run 2 run 3$/m);
  });

  it('folds seeds, and shows the options that differ and the digits that were printed', () => {
    assert.equal(
      settingsTable(ledger, 'md'),
      [
        '| cell | hidden | n | test\\_ppl |',
        '| --: | --: | --: | --: |',
        '| lstm | 256 | 3 | 3.723 ± 0.058 |',
        '| default | default | 3 | 43.064 ± 1.545 |',
        '',
      ].join('\n'),
    );
  });

  it('cuts no name of an experiment in CSV', () => {
    const hypothesis = 'Slower learning with more trees improves val rmse at an allowed size.';
    const plans = [1, 2].map((number) => {
      const plan = planOf(number, 'python3 lm.py', hypothesis);
      return [plan.id, { plan, plannedMs: 0, decisions: [] }] as const;
    });
    const rows = [1, 2].map((number) =>
      rowOf(number, {
        ...{ command: 'python3 lm.py', experimentId: `e${number}` },
        metrics: [summaryOf('loss', number)],
      }),
    );
    const own = buildLedger(rows, { experiments: new Map(plans) });
    assert.match(settingsTable(own, 'csv'), /^e1 Slower .* at an allowed size,1,1,,run 1$/m);
    assert.match(settingsTable(own, 'md'), /^\| e1 Slower learning [^|]*… \|/m);
  });

  it('has one row for a setting, under the experiment that was kept, with all its runs', () => {
    const plans = ['e1', 'e7', 'e9'].map((id, index) => {
      const code = { ...planOf(1, 'python3 lm.py', 'h').code };
      const plan = { ...planOf(index, 'python3 lm.py', id), id, code };
      const decision = { decision: 'keep', why: '', by: 'agent', atMs: 1 } as const;
      return [id, { plan, plannedMs: 0, decisions: id === 'e7' ? [decision] : [] }] as const;
    });
    const values = { e1: [3], e7: [1.7, 1.8, 1.62], e9: [1.75] };
    const rows = Object.entries(values).flatMap(([experimentId, losses]) =>
      losses.map((loss, seed) => ({ experimentId, loss, seed })),
    );
    const entriesOf = rows.map(({ experimentId, loss, seed }, index) =>
      rowOf(index + 1, {
        command: `python3 lm.py${experimentId === 'e1' ? ' --wide' : ''} --seed ${seed}`,
        experimentId,
        metrics: [summaryOf('loss', loss)],
      }),
    );
    const own = buildLedger(entriesOf, { experiments: new Map(plans) });
    assert.equal(own.champion?.experimentId, 'e7');
    assert.deepEqual(settingsTable(own, 'md').split('\n').slice(2), [
      '| default | 3 | 1.72 ± 0.09 |',
      '| on | 1 | 3.00 |',
      '',
    ]);
  });

  it('takes the mean over the seeds in every column, also if a seed ran twice', () => {
    const points = [
      [0, 0.2597, 0.9541, 0.964],
      [0, 0.2597, 0.9541, 0.964],
      [1, 0.2596, 0.9508, 0.9647],
      [2, 0.2524, 0.9511, 0.968],
    ] as const;
    const rows = points.map(([seed, loss, valAcc, testAcc], index) =>
      rowOf(index + 1, {
        command: `python3 train.py --seed ${seed}`,
        experimentId: 'e1',
        metrics: [
          summaryOf('val_loss', loss),
          summaryOf('val_acc', valAcc, 'higher'),
          summaryOf('test_acc', testAcc, 'higher'),
        ],
      }),
    );
    const target: Target = {
      objective: { metric: 'val_loss', direction: 'lower' },
      rule: 'last',
      conditions: [{ metric: 'val_acc', comparator: '>=', value: 0.9, over: 'mean' }],
    };
    const own = buildLedger(rows, { target });
    const row = (format: 'md' | 'tex' | 'csv') =>
      settingsTable(own, format, { target })
        .split('\n')
        .find((line) => line.includes('0.257'));
    assert.equal(row('md'), '| 3 | 0.2572 ± 0.0042 | 0.9520 ± 0.0018 | 0.9656 ± 0.0021 | met |');
    assert.match(row('tex') ?? '', /^3 & .*0\.9520 .* & 0\.9656 .*0\.0021/);
    assert.match(
      row('csv') ?? '',
      /^3,0\.257233333333,0\.004186\d+,0\.952,0\.965566666667,met,run 1 run 2 run 3 run 4$/,
    );
  });

  describe('of a goal that names seeds', () => {
    const target = readTarget('the lowest loss, mean over seeds 0, 1 and 2');
    const settings: readonly [lr: number, losses: readonly number[], decision?: Decision][] = [
      [1, [0.33, 0.34, 0.35], 'reference'],
      [2, [0.2]],
      [3, [0.28, 0.27, 0.29], 'keep'],
      [4, [0.26, 0.25, 0.27]],
      [5, [0.3], 'keep'],
    ];
    const points = settings.flatMap(([lr, losses]) =>
      losses.map((loss, seed) => ({ lr, loss, seed })),
    );
    const rows = points.map(({ lr, loss, seed }, index) =>
      rowOf(index + 1, {
        command: `python3 lm.py --lr ${lr} --seed ${seed}`,
        experimentId: `e${lr}`,
        metrics: [summaryOf('loss', loss)],
      }),
    );
    const plans = settings.map(([lr, , decision]) => {
      const plan = { ...planOf(lr, 'python3 lm.py', 'h'), code: planOf(1, '', '').code };
      const decisions = decision ? [{ decision, why: '', by: 'agent', atMs: 1 } as const] : [];
      return [plan.id, { plan, plannedMs: 0, decisions }] as const;
    });
    const own = buildLedger(rows, { target, experiments: new Map(plans) });
    const order = (max?: number): readonly string[] =>
      settingsTable(own, 'csv', max === undefined ? {} : { max })
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.slice(0, 1));

    it('shows complete settings before those that lack seeds, and kept ones before others', () =>
      assert.deepEqual(order(), ['3', '4', '1', '5', '2']));

    it('leaves out others before a setting that was kept', () => {
      assert.deepEqual(order(2), ['3', '1', '5']);
      assert.deepEqual(order(1), ['3', '1']);
    });
  });

  it('names the experiments of settings that differ only in their code', () => {
    const rows = ['e1', 'e2', 'e2'].map((experimentId, index) =>
      rowOf(index + 1, {
        command: `python3 lm.py --seed ${index}`,
        experimentId,
        metrics: [summaryOf('loss', 3 - index)],
      }),
    );
    assert.deepEqual(settingsTable(buildLedger(rows), 'md').split('\n'), [
      '| experiment | n | loss |',
      '| --: | --: | --: |',
      '| e2 | 2 | 1.5 ± 0.7 |',
      '| e1 | 1 | 3.0 |',
      '',
    ]);
  });

  describe('of experiments with their own code', () => {
    const tried = [
      ['python3 check.py && python3 train.py', 'Adam is enough.', 0.972, 0.99],
      ['python3 train.py', 'shift augmentation; 784 pixels', 0.988, 0.98],
    ] as const;
    const records = tried.map(([command, hypothesis], index) => ({
      plan: planOf(index + 1, command, hypothesis),
      plannedMs: 0,
      decisions: [],
    }));
    const own = buildLedger(
      tried.map(([command, , val, test], index) =>
        rowOf(index + 1, {
          command: `${command} --seed 0`,
          experimentId: `e${index + 1}`,
          metrics: [
            summaryOf('val acc', val, 'higher'),
            summaryOf('test acc', test, 'higher'),
            summaryOf('train acc', 1, 'higher'),
            summaryOf('val loss', 1 - val),
            summaryOf('val time_ms', 5),
            summaryOf('test f1', test, 'higher'),
            summaryOf('test auc', test, 'higher'),
          ],
        }),
      ),
      {
        target: {
          objective: { metric: 'val acc', direction: 'higher' },
          rule: 'last',
          conditions: [],
        },
        experiments: new Map(records.map((record) => [record.plan.id, record])),
      },
    );

    it('names each, keeps a check out of the options, and has the other evaluations', () => {
      assert.deepEqual(settingsTable(own, 'md').split('\n'), [
        '| experiment | n | val acc | test acc | val loss | test f1 |',
        '| --: | --: | --: | --: | --: | --: |',
        '| e2 shift augmentation | 1 | 0.988 | 0.98 | 0.012 | 0.98 |',
        '| e1 Adam is enough | 1 | 0.972 | 0.99 | 0.028 | 0.99 |',
        '',
      ]);
      const csv = settingsTable(own, 'csv').split('\n');
      assert.equal(
        csv[0],
        'experiment,n,val acc,standard deviation,test acc,val loss,test f1,runs',
      );
      assert.match(csv[1] ?? '', /^e2 shift augmentation,1,0\.988,,0\.98,0\.012,0\.98,run 2$/);
      assert.match(settingsTable(own, 'tex'), /^e2 shift augmentation & 1 & 0\.988 & /m);
    });
  });

  it('keeps other commands that are the only difference, with their operators', () => {
    const rows = ['train.py', 'prepare.py && train.py'].map((command, index) =>
      rowOf(index + 1, { command, experimentId: 'e1', metrics: [summaryOf('loss', index)] }),
    );
    assert.match(
      settingsTable(buildLedger(rows), 'csv'),
      /^command,n,.*\ntrain\.py,1,.*\nprepare\.py && train\.py,1,/,
    );
  });

  it('is written for booktabs', () => {
    assert.equal(
      settingsTable(ledger, 'tex'),
      String.raw`\begin{tabular}{rrrr}
\toprule
cell & hidden & n & test\_ppl \\
\midrule
lstm & 256 & 3 & 3.723 $\pm$ 0.058 \\
default & default & 3 & 43.064 $\pm$ 1.545 \\
\bottomrule
\end{tabular}
`,
    );
  });

  it('has numbers and runs in cells of their own as CSV, and no formula', () => {
    const csv = settingsTable(
      buildLedger([
        rowOf(1, { command: 'a --x "=1+1"', metrics: [summaryOf('loss', 2)] }),
        rowOf(2, { command: 'a --x "b,c"', metrics: [summaryOf('loss', 3)] }),
      ]),
      'csv',
    );
    assert.deepEqual(csv.split('\n'), [
      'x,n,loss,standard deviation,runs',
      "'=1+1,1,2,,run 1",
      '"b,c",1,3,,run 2',
      '',
    ]);
  });

  it('is empty where nothing was measured', () => {
    assert.equal(settingsTable(buildLedger([rowOf(1, { metrics: [] })]), 'md'), '');
  });

  it('marks what was discarded, provisional or the reference', () => {
    const decided = { why: '', by: 'agent', atMs: 1 } as const;
    const rows = [
      ['a', { decision: 'reference', ...decided }],
      ['b', { decision: 'discard', ...decided }],
      ['c', { decision: 'keep', isProvisional: true, ...decided }],
    ] as const;
    const table = settingsTable(
      buildLedger(
        rows.map(([option, decision], index) =>
          rowOf(index + 1, {
            command: `train --opt ${option}`,
            experimentId: `e${index + 1}`,
            metrics: [summaryOf('loss', 0.3 - index / 10)],
            decision,
          }),
        ),
      ),
      'md',
    );
    assert.deepEqual(table.split('\n').slice(0, 5), [
      '| opt | n | loss | decision |',
      '| --: | --: | --: | --: |',
      '| c | 1 | 0.1 | keep (provisional) |',
      '| b | 1 | 0.2 | discard |',
      '| a | 1 | 0.3 | reference |',
    ]);
  });

  describe('of a session with a target', () => {
    const limited = parameterTarget();
    const tried: readonly [option: string, seed: number, rmse: number, parameters: number][] = [
      ['--hidden 64', 0, 0.05, 4225],
      ['--hidden 64', 1, 0.0521, 4225],
      ['--hidden 320', 0, 0.045, 21121],
      ['--hidden 64 --amp', 0, 0.048, 4225],
      ['', 0, 0.12, 49],
      ['', 1, 0.122, 49],
    ];
    const rows = buildLedger(
      tried.map(([option, seed, rmse, parameters], index) =>
        rowOf(index + 1, {
          command: `train ${option} --seed ${seed}`,
          experimentId: 'e1',
          metrics: [summaryOf('rmse', rmse), summaryOf('parameters', parameters, 'none')],
        }),
      ),
      { target: limited },
    );

    it('has a column per limit, and says what each setting meets or breaks', () => {
      assert.deepEqual(settingsTable(rows, 'md', { target: limited }).split('\n').slice(2), [
        '| 64 | default | 2 | 0.0511 ± 0.0015 | 4225 | met |',
        '| default | default | 2 | 0.1210 ± 0.0014 | 49 | not reached |',
        '| 320 | default | 1 | 0.0450 | 21121 | breaks parameters \\<= 20000 |',
        '| 64 | on | 1 | 0.0480 | 4225 | 2 seeds are needed |',
        '',
      ]);
    });

    it('has them as CSV and for booktabs, too', () => {
      assert.deepEqual(
        settingsTable(rows, 'csv', { target: limited, max: 2 }).split('\n').slice(0, 2),
        [
          'hidden,amp,n,rmse,standard deviation,parameters,target,runs',
          '64,,2,0.05105,0.00148492424049,4225,met,run 1 run 2',
        ],
      );
      assert.match(
        settingsTable(rows, 'tex', { target: limited }),
        /^320 & default & 1 & 0\.0450 & 21121 & breaks parameters \\textless\{\}= 20000 \\\\$/m,
      );
    });
  });
});
