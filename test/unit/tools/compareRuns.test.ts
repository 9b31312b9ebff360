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
    assert.equal(summary, 'run 2 against run 1 by last values: worse: loss; same: acc; n/a: lr');
    assert.equal((content as Record<string, unknown>)['verdicts_by'], 'last values');
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
    const { content, summary } = await call(compare, { task_a: [1, 2], task_b: [4, 5] });
    assert.equal((content as Record<string, unknown>)['verdicts_by'], 'means of last values');
    assert.match(summary ?? '', /^by means of last values: val_acc 0\.91 /);
    assert.deepEqual(await verdicts([1, 2, 3], ['4', 5, 6]), [
      'val_acc 0.9 ± 0.02 (3 runs) against 0.7 ± 0.02 (3 runs): better',
    ]);
    assert.deepEqual(await verdicts([1, 2, 3], [7, 8]), [
      'val_acc 0.73 ± 0.0283 (2 runs) against 0.7 ± 0.02 (3 runs): no difference that n = 2 can tell',
    ]);
    assert.deepEqual(await verdicts([1, 2, 3], [8]), [
      'val_acc 0.75 against 0.7 ± 0.02 (3 runs): no difference that n = 1 can tell',
    ]);
  });

  it('judges by the target, and single runs by the spread of their settings', async () => {
    for (const [index, [rmse, kb]] of [
      [3.0006, 349],
      [3.2888, 352],
      [3.2739, 352],
      [2.9797, 464],
      [1.2, 464],
    ].entries()) {
      await session.add(`step 1 val_rmse=9 params=${kb}\nstep 2 val_rmse=${rmse} params=${kb}\n`);
      session.seeds.set(index + 1, String(index % 3));
      session.settings.set(index + 1, index < 3 ? 0 : index);
    }
    session.target = { metric: 'params', direction: 'lower' };
    const compare = async (task_a: unknown, task_b: unknown) =>
      (await shown(compareRuns(session), { task_a, task_b })) as Record<string, unknown>;
    assert.equal((await compare(1, 4))['verdicts'], 'worse: params; within the noise: val_rmse');
    assert.equal((await compare(1, 5))['verdicts'], 'better: val_rmse; worse: params');
    assert.equal((await compare(1, 2))['verdicts'], 'within the noise: val_rmse, params');
    const { comparisons } = await compare([1, 2, 3], [4, 5]);
    assert.deepEqual(
      (comparisons as readonly Record<string, unknown>[]).map(({ better }) => better),
      ['lower', 'lower'],
    );
  });

  const verdict = async (
    before: readonly number[],
    after: readonly number[],
    metric = 'test_rmse',
  ): Promise<unknown> => {
    for (const value of [...before, ...after]) await session.add(`${metric}=${value}\n`);
    const numbers = [...before, ...after].map((_, index) => index + 1);
    const task_a = numbers.slice(0, before.length);
    const task_b = numbers.slice(before.length);
    const { comparisons } = (await shown(compareRuns(session), { task_a, task_b })) as {
      comparisons: { verdict: string }[];
    };
    return comparisons[0]?.verdict;
  };

  it('does not call three repeats better for two standard errors, which noise often reaches', async () =>
    assert.equal(
      await verdict([0.0569, 0.0562, 0.057], [0.0562, 0.056, 0.0563]),
      'no difference that n = 3 can tell',
    ));

  const spread = (mean: number, n: number): number[] =>
    Array.from({ length: n }, (_, index) => mean + (index % 2 === 0 ? 0.1 : -0.1));
  // Differences in standard errors of the difference, around the t quantile of Welch.
  const cases: readonly (readonly [n: number, errors: number, verdict: string])[] = [
    [2, 4, 'no difference that n = 2 can tell'],
    [2, 4.5, 'worse'],
    [4, 2.4, 'no difference beyond the noise'],
    [4, 2.5, 'worse'],
    [40, 1.95, 'no difference beyond the noise'],
    [40, 2.05, 'worse'],
  ];
  for (const [n, errors, expected] of cases)
    it(`calls ${errors} standard errors ${expected} with ${n} repeats`, async () => {
      const error = 0.1 * Math.sqrt(2 / (n - 1));
      assert.equal(await verdict(spread(1, n), spread(1 + errors * error, n)), expected);
    });

  it('counts a seed once, with the mean of its runs, and compares the same seeds', async () => {
    for (const [index, value] of [0.2597, 0.2596, 0.2524, 0.2597].entries()) {
      await session.add(`val_loss=${value}\n`);
      session.seeds.set(index + 1, String(index % 3));
    }
    for (const [index, value] of [0.2607, 0.2598, 0.2526].entries()) {
      await session.add(`val_loss=${value}\n`);
      session.seeds.set(index + 5, String(index));
    }
    const compare = async (task_a: readonly number[], task_b: readonly number[]) =>
      (await shown(compareRuns(session), { task_a, task_b })) as {
        verdicts: readonly string[];
        comparisons: readonly { experiment: Record<string, unknown> }[];
      };
    const { verdicts, comparisons } = await compare([5, 6, 7], [1, 2, 3, 4]);
    assert.deepEqual(verdicts, [
      'val_loss 0.257233 ± 0.00419 (3 seeds, 4 runs) against 0.2577 ± 0.00444 (3 runs): no difference that n = 3 can tell; lower in 3 of 3 seeds',
    ]);
    const { n, standard_deviation: deviation } = comparisons[0]?.experiment ?? {};
    assert.deepEqual([n, deviation], [3, 0.004186088]);
    const single = await compare([5, 7], [1, 2]);
    assert.match(single.verdicts[0] ?? '', /can tell$/, 'one seed in common');
    const other = await compare([1, 2, 3], [5, 6, 7]);
    assert.match(other.verdicts[0] ?? '', /; higher in 3 of 3 seeds$/);
  });

  it('tells apart repeats that do not differ among themselves', async () =>
    assert.equal(await verdict([0.5, 0.5], [0.4, 0.4]), 'better'));

  it('lists a metric once where runs spell it differently', async () => {
    for (const name of ['test_rmse', 'test/rmse', 'test_rmse', 'test/rmse'])
      await session.add(`step 1 ${name}=0.5\n`);
    const metrics = async (task_a: unknown, task_b: unknown): Promise<unknown> => {
      const answer = await shown(compareRuns(session), { task_a, task_b });
      const { comparisons } = answer as { comparisons: { metric: string; experiment: unknown }[] };
      return comparisons.map(({ metric, experiment }) => [metric, experiment !== null]);
    };
    assert.deepEqual(await metrics([1, 3], [2, 4]), [['test_rmse', true]]);
    assert.deepEqual(await metrics([1, 2], [3, 4]), [['test_rmse', true]]);
    assert.deepEqual(await metrics(1, 2), [['test_rmse', true]]);
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
      ...{ delta: -1, verdict: 'no difference that n = 1 can tell' },
    });
  });
});
