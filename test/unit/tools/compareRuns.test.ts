import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ToolFailure } from '../../../src/base/errors.ts';
import { compareRuns } from '../../../src/tools/runs/compareRuns.ts';
import { call, MeasuredSession, shown } from './measuredSession.ts';

describe('compare_runs', () => {
  let session: MeasuredSession;
  beforeEach(() => (session = new MeasuredSession()));
  afterEach(() => session.dispose());

  it('judges each metric at the end and at equal step', async () => {
    await session.add(
      'step 1 loss=3 acc=0.5 lr=1\nstep 2 loss=2 acc=0.6 lr=1\nstep 4 loss=1 acc=0.8 lr=1\n',
    );
    await session.add('step 1 loss=3 acc=0.5 lr=2\nstep 2 loss=1.5 acc=0.8 lr=2\n');
    const { content, summary } = await call(compareRuns(session), { task_a: '1', task_b: 2 });
    assert.equal(summary, 'run 2 against run 1: worse: loss; same: acc; n/a: lr');
    assert.deepEqual(
      content.valueOf() instanceof Object && (content as Record<string, unknown>).baseline,
      {
        run: 'run 1',
        task_id: 'local:1001',
        status: 'ok',
      },
    );
    const { comparisons } = content as { comparisons: Record<string, unknown>[] };
    assert.deepEqual(comparisons[0], {
      metric: 'loss',
      better: 'lower',
      baseline: { latest: 1, latest_step: 4, best: 1, min: 1, max: 3, samples: 3 },
      experiment: { latest: 1.5, latest_step: 2, best: 1.5, min: 1.5, max: 3, samples: 2 },
      at_end: { delta: 0.5, relative_delta: 0.5, verdict: 'worse' },
      at_best: { delta: 0.5, relative_delta: 0.5, verdict: 'worse' },
      at_equal_step: {
        step: 2,
        baseline: 2,
        experiment: 1.5,
        delta: -0.5,
        relative_delta: -0.25,
        verdict: 'better',
      },
    });
  });

  it('shows a metric that only one run has, and what is not finite', async () => {
    await session.add('loss=nan\nf1=1\n');
    await session.add('loss=2\n');
    const { comparisons } = (await shown(compareRuns(session), { task_a: '1', task_b: '2' })) as {
      comparisons: { metric: string; experiment: unknown; at_end: unknown }[];
    };
    assert.deepEqual(comparisons[0]?.at_end, {
      delta: 'NaN',
      relative_delta: 'NaN',
      verdict: 'better',
    });
    assert.deepEqual(
      [comparisons[1]?.metric, comparisons[1]?.experiment, comparisons[1]?.at_end],
      ['f1', null, null],
    );
  });

  it('keeps to the metrics asked for', async () => {
    await session.add('loss=1 acc=2\n');
    await session.add('loss=2 acc=2\n');
    const both = { task_a: '1', task_b: '2' };
    const { verdicts } = (await shown(compareRuns(session), {
      ...both,
      metric_names: ['Acc'],
    })) as Record<string, string>;
    assert.equal(verdicts, 'same: acc');
    await assert.rejects(
      call(compareRuns(session), { ...both, metric_names: ['bleu'] }),
      (error) => error instanceof ToolFailure && /loss, acc/.test(error.message),
    );
  });

  it('refuses runs that are not there or have no metrics', async () => {
    await session.add('nothing\n', 'failed (exit code 1)');
    await session.add('loss=2\n');
    await assert.rejects(
      call(compareRuns(session), { task_a: '1', task_b: '2' }),
      (error) =>
        error instanceof ToolFailure && /run 1 \(failed \(exit code 1\)\)/.test(error.message),
    );
    await assert.rejects(call(compareRuns(session), { task_a: '2', task_b: '9' }), ToolFailure);
    assert.equal(compareRuns(session).parse({ task_a: '1' }).ok, false);
  });

  it('compares groups by the mean of their last values, and says what is noise', async () => {
    for (const value of [0.7, 0.72, 0.68]) await session.add(`val_acc=0.99\nval_acc=${value}\n`);
    for (const value of [0.9, 0.92, 0.88]) await session.add(`val_acc=${value}\n`);
    for (const value of [0.71, 0.75]) await session.add(`val_acc=${value}\n`);
    const compare = compareRuns(session);
    const verdicts = async (a: unknown, b: unknown): Promise<unknown> =>
      ((await call(compare, { task_a: a, task_b: b })).content as { verdicts: unknown }).verdicts;
    assert.deepEqual(await verdicts([1, 2, 3], ['4', 5, 6]), [
      'val_acc 0.9 ± 0.02 (3 runs) against 0.7 ± 0.02 (3 runs): better',
    ]);
    assert.deepEqual(await verdicts([1, 2, 3], [7, 8]), [
      'val_acc 0.73 ± 0.0283 (2 runs) against 0.7 ± 0.02 (3 runs): better, within noise',
    ]);
    assert.deepEqual(await verdicts([1, 2, 3], [8]), [
      'val_acc 0.75 against 0.7 ± 0.02 (3 runs): better, noise unknown',
    ]);
  });

  it('takes an experiment for its runs, and one spelling of a metric for another', async () => {
    await session.add('test_ppl=7\n');
    await session.add('test_ppl=5\n');
    const { content } = await call(compareRuns(session), {
      ...{ task_a: 1, task_b: 'e1' },
      metric_names: ['test perplexity'],
    });
    assert.deepEqual((content as { comparisons: unknown[] }).comparisons[0], {
      ...{ metric: 'test_ppl', better: 'lower' },
      baseline: { mean: 7, n: 1, runs: { 'run 1': 7 } },
      experiment: {
        ...{ mean: 6, standard_deviation: 1.414214, n: 2 },
        runs: { 'run 1': 7, 'run 2': 5 },
      },
      ...{ delta: -1, verdict: 'better, noise unknown' },
    });
  });
});
