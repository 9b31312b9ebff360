import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionEvent } from '../../../../src/agent/journal/events.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import type { SessionState } from '../../../../src/agent/journal/state.ts';
import { ledgerOf } from '../../../../src/agent/runs/sessionLedger.ts';
import { runsOfSweep } from '../../../../src/agent/runs/sweepProgress.ts';
import { sweepTable } from '../../../../src/agent/runs/sweepTable.ts';
import type { MetricSpec } from '../../../../src/metrics/metric.ts';
import type { Verdict } from '../../../../src/runs/run.ts';
import { lossOf } from '../../../fakes/nights.ts';
import { recorded, runId, runState, started } from '../../vscode/states.ts';

interface Point {
  /** Default: a command of its own. */
  readonly command?: string;
  readonly label: string;
  readonly loss?: number;
  readonly kb?: number;
  readonly verdict?: Verdict;
  readonly isQueued?: boolean;
}

/** The table of a sweep that launched these points, with more that wait. */
function tableOf(
  points: readonly Point[],
  {
    waiting = 0,
    tail = '',
    metrics: spec = {} as MetricSpec,
    own = points.length,
    goal = 'bring loss < 1.0',
  } = {},
): string {
  const count = points.length + waiting;
  const plan = {
    ...{ id: 's1', params: ['lr', 'hidden', 'seed'], machineIds: ['gpu1'], metrics: spec },
    points: Array.from({ length: count }, (_, index) => ({
      ...{
        params: { lr: index },
        command: `train --lr ${index}`,
        label: `lr=${index}`,
      },
    })),
  };
  const events = points.flatMap(
    ({ label, command, loss, kb, verdict, isQueued }, index): SessionEvent[] => {
      const run = runState(index + 1);
      const planned = {
        ...run.spec,
        metrics: spec,
        ...{ label, command: command ?? `train --lr ${index}`, experimentId: 'e1' },
        ...(index < own && { sweep: { id: 's1', index } }),
      };
      const id = runId(index + 1);
      const metrics = [
        ...(loss === undefined ? [] : [lossOf(loss)]),
        ...(kb === undefined ? [] : [lossOf(kb, { metric: 'model_kb' })]),
      ];
      return [
        { type: 'run.planned', spec: planned, callId: 'c' },
        ...(isQueued || run.process === undefined
          ? []
          : [{ type: 'run.started', runId: id, process: run.process } as const]),
        ...(verdict === undefined
          ? []
          : [{ type: 'run.ended', runId: id, verdict, endedMs: 9, metrics } as const]),
      ];
    },
  );
  const state = foldSession([
    started(goal),
    ...[{ type: 'sweep.started', plan, callId: 'c' } as const, ...events].map(recorded),
  ]);
  const sweep = state?.sweeps.get('s1');
  assert.ok(state && sweep);
  const ledger = (of: SessionState) => ledgerOf(of, ({ metrics }) => metrics);
  return sweepTable({
    state,
    sweep,
    ledger: ledger({ ...state, runs: runsOfSweep(state, sweep) }),
    all: ledger(state).experiments,
    problems: [],
    tail: () => tail,
    nearestLine: () => 'epoch 9 val acc 0.8',
  });
}

const ok: Verdict = { kind: 'ok' };

describe('the table of a sweep', () => {
  it('names the only setting by its options, and tells no setting where there are none', () => {
    const table = (command: string) =>
      tableOf(
        [0, 1].map((seed) => ({
          ...{ label: `seed=${seed}`, loss: 0.5 + seed / 10, verdict: ok },
          command: `${command} --seed ${seed}`,
        })),
      );
    assert.match(table('train --lr 5e-3 --context 6'), / by lr=0\.005 context=6 \(run 1, run 2\)/);
    assert.match(table('train'), /best loss 0\.55 ± 0\.0707 over 2 runs \(run 1, run 2\);/);
  });

  it('speaks of its own runs, and tells the result with other runs of the setting apart', () => {
    const points = [0, 1].map((seed) => ({
      ...{ label: `seed=${seed}`, loss: 0.5 + seed / 10, verdict: ok },
      command: `train --lr 1 --seed ${seed}`,
    }));
    const [line] = tableOf(points, { waiting: 1, own: 1 }).split('\n');
    assert.match(
      line ?? '',
      /: 1 ok, .*; best loss 0\.5 by seed=0 \(run 1\); with run 2: loss 0\.55 ± 0\.0707 over 2 runs$/,
    );
  });

  it('names the runs of a mean in which its own runs do not count', () => {
    const points = [3, 4, 0, 1, 2].map((seed) => ({
      ...{ label: `seed=${seed}`, loss: 0.5 + seed / 10, verdict: ok },
      command: `train --lr 1 --seed ${seed}`,
    }));
    const goal = 'loss < 0.4 as the mean over seeds 0, 1 and 2';
    const [line] = tableOf(points, { own: 2, goal }).split('\n');
    assert.match(
      line ?? '',
      /; best loss 0\.85 ± 0\.0707 over 2 runs \(seeds 0, 1, 2 missing\) by .* \(run 1, run 2\); .*; all of its setting: loss 0\.6 ± 0\.1 over runs 3–5 \(seeds of the goal, without runs 1, 2\)$/,
    );
  });

  it('says which rows break a limit of the goal, behind the others', () => {
    const points = (
      [
        ['trees=400', 2.9797, 464],
        ['trees=500', 2.9963, 576.6],
        ['trees=800', 2.9108, 922],
      ] as const
    ).map(([label, loss, kb]) => ({
      ...{ label, loss, kb, verdict: ok },
      command: `train --${label} --seed 0`,
    }));
    const goal = 'loss < 3.3, mean over seeds 0 to 2, and model_kb < 600';
    const [line, ...rows] = tableOf(points, { goal }).split('\n');
    assert.match(line ?? '', /best loss 2\.9797 .* by trees=400 \(run 1\)/);
    assert.deepEqual(rows, [
      '- run 1 · trees=400 · ok · loss 2.9797',
      '- run 2 · trees=500 · ok · loss 2.9963',
      '- run 3 · trees=800 · ok · loss 2.9108 · breaks model_kb < 600 (922)',
    ]);
  });

  it('names a metric that was not read, with the nearest line', () => {
    const points = [1, 2].map((lr) => ({ label: `lr=${lr}`, loss: lr, verdict: ok }));
    const metrics = { names: ['loss'], patterns: { val_acc: 'val_acc=(.)' } };
    assert.match(
      tableOf([...points, { label: 'lr=3' }], { metrics }),
      /\nval_acc was not read from runs 1, 2: its pattern matched no line\. Nearest line: .*epoch 9 val acc 0\.8.*show_metrics/,
    );
    assert.doesNotMatch(tableOf(points, { metrics: { names: ['loss'] } }), /not read/);
  });

  const seeds = (setting: string, losses: readonly number[]): Point[] =>
    losses.map((loss, seed) => ({
      ...{ label: `${setting} seed=${seed}`, loss, verdict: ok },
      command: `train --${setting.replaceAll(' ', ' --')} --seed ${seed}`,
    }));

  it('names a setting by all that the plan varies, also while only one has run', () =>
    assert.match(
      tableOf(seeds('lr=0.003 hidden=512', [0.5, 0.4]), { waiting: 4 }),
      / by lr=0\.003 hidden=512 \(run 1, run 2\); its best run 0\.4\n/,
    ));

  it('takes two spellings of a number for one', () => {
    const [first, second] = seeds('lr=0.003', [0.5, 0.4]);
    assert.ok(first && second);
    const other = { ...second, label: 'lr=3e-3 seed=1' };
    assert.match(tableOf([first, other]), / by lr=0\.003 \(run 1, run 2\)/);
  });

  it('tells the best run of the best setting from the best of all', () => {
    const table = tableOf([...seeds('lr=1', [0.3, 0.32]), ...seeds('lr=2', [0.9, 0.1])]);
    assert.match(table, / by lr=1 .*; its best run 0\.3; lowest of all: 0\.1 by run 4\n/);
  });

  it('tells what is launched and has not started from what is not launched', () => {
    const going = { label: 'lr=1' };
    assert.match(
      tableOf([going, { label: 'lr=2', isQueued: true }], { waiting: 4 }),
      /: 1 running, 1 queued, 4 waiting to be launched/,
    );
    assert.match(tableOf([going], { waiting: 4 }), /: 1 running, 4 waiting$/m);
  });

  it('ends with whole lines of what a failed run printed', () => {
    const tail = Array.from({ length: 9 }, (_, index) => `epoch ${index} train mse nan\n`).join('');
    const table = tableOf([{ label: 'lr=1', verdict: { kind: 'killed' } }], { tail });
    assert.match(
      table,
      /^<untrusted from="output of run 1">… ⏎ epoch \d train mse nan ⏎ .* ⏎ epoch 8 train mse nan<\/untrusted>$/m,
    );
  });
});
