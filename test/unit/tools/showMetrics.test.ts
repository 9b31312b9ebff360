import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ToolFailure } from '../../../src/base/errors.ts';
import { showMetrics } from '../../../src/tools/runs/showMetrics.ts';
import { call, MeasuredSession, shown } from './measuredSession.ts';

describe('show_metrics', () => {
  let session: MeasuredSession;
  beforeEach(() => (session = new MeasuredSession()));
  afterEach(() => session.dispose());

  it('reads only', () => {
    assert.equal(showMetrics(session).effect, 'read');
    assert.equal(
      showMetrics(session).describe({ metric_names: ['loss'], task_id: 7 }),
      'Read loss of run 7',
    );
    assert.equal(showMetrics(session).describe(null), 'show_metrics');
  });

  it('lists what there is, run by run', async () => {
    await session.add('loss=2 acc=0.5\nloss=1\n');
    await session.add('no metrics\n', 'running');
    assert.deepEqual(await shown(showMetrics(session), {}), {
      runs: [
        {
          run: 'run 1',
          task_id: 'local:1001',
          status: 'ok',
          available_metrics: [
            { name: 'loss', points: 2, latest: 1, best: 1 },
            { name: 'acc', points: 1, latest: 0.5, best: 0.5 },
          ],
        },
        { run: 'run 2', task_id: 'local:1002', status: 'running', available_metrics: [] },
      ],
    });
  });

  it('says which of several names was not read', async () => {
    await session.add('step 1 val_loss=3 tok/s 39100\n');
    const content = await shown(showMetrics(session), { metric_names: ['val_loss', 'tok/s'] });
    assert.match(JSON.stringify(content), /"name":"val_loss".*"not_read":"tok\/s was not read\./);
    const all = await shown(showMetrics(session), { metric_names: ['val_loss'] });
    assert.doesNotMatch(JSON.stringify(all), /not_read/);
  });

  it('shows values, steps, trend and the first NaN, with names for what JSON cannot say', async () => {
    await session.add(
      'step 1 loss=3\nstep 2 loss=nan\nstep 3 loss=inf\nstep 4 loss=0.12345678912\n',
    );
    const { content, summary } = await call(showMetrics(session), {
      metric_names: ['LOSS'],
      task_id: 'run 1',
    });
    assert.deepEqual(content, {
      runs: [
        {
          run: 'run 1',
          task_id: 'local:1001',
          status: 'ok',
          metrics: [
            {
              name: 'loss',
              points: 4,
              latest: 0.1234568,
              latest_step: 4,
              min: 0.1234568,
              max: 3,
              mean: 1.561728,
              best: 0.1234568,
              better: 'lower',
              first_non_finite: { value: 'NaN', step: 2, index: 1 },
              trend: 'unstable',
              steps: [1, 2, 3, 4],
              values: [3, 'NaN', 'Inf', 0.1234568],
            },
          ],
        },
      ],
    });
    assert.equal(summary, 'run 1: loss 0.123457');
  });

  it('never merges runs, and finds a falling loss falling', async () => {
    await session.add(Array.from({ length: 30 }, (_, i) => `loss=${30 - i}\n`).join(''));
    await session.add(Array.from({ length: 30 }, (_, i) => `loss=${i + 1}\n`).join(''));
    const { runs } = (await shown(showMetrics(session), { metric_names: ['loss'] })) as {
      runs: { metrics: { trend: string; latest: number; values: number[] }[] }[];
    };
    assert.deepEqual(
      runs.map(({ metrics }) => [metrics[0]?.trend, metrics[0]?.latest, metrics[0]?.values.length]),
      [
        ['decreasing', 1, 30],
        ['increasing', 30, 30],
      ],
    );
  });

  it('thins a long series to `lines` points, extremes and newest among them', async () => {
    const values = Array.from({ length: 10_000 }, (_, i) => (i === 4321 ? 99 : (i % 10) / 10));
    await session.add(values.map((value) => `loss=${value}\n`).join(''));
    const result = (await shown(showMetrics(session), { metric_names: ['loss'] })) as {
      runs: { metrics: { values: number[]; steps?: number[] }[] }[];
    };
    const metric = result.runs[0]?.metrics[0];
    assert.ok(metric && metric.values.length <= 50 && metric.values.length > 40);
    assert.ok(metric.values.includes(99));
    assert.equal(metric.values.at(-1), 0.9);
    assert.equal(metric.steps, undefined);
  });

  it('shows the whole course however few lines are wanted', async () => {
    const values = Array.from({ length: 40 }, (_, i) => 1 - i / 40);
    await session.add(values.map((value) => `loss=${value}\n`).join(''));
    await session.add('loss=3\nloss=2\nloss=1\n');
    const result = (await shown(showMetrics(session), { metric_names: ['loss'], lines: 1 })) as {
      runs: { metrics: { values: number[] }[] }[];
    };
    const [long, short] = result.runs.map(({ metrics }) => metrics[0]?.values);
    assert.deepEqual([long?.[0], long?.at(-1)], [1, 0.025]);
    assert.deepEqual(short, [3, 2, 1]);
  });

  it('says which direction is better and by what, and claims no best value without one', async () => {
    const output = 'loss=2 size_kb=9 blorp=3 took_ms=7\nloss=1 size_kb=8 blorp=4 took_ms=6\n';
    await session.add(output, 'ok', { size_kb: 'lower' });
    const bettersOf = async (): Promise<Record<string, unknown>> => {
      const names = ['loss', 'size_kb', 'blorp', 'took_ms'];
      const { runs } = (await shown(showMetrics(session), { metric_names: names })) as {
        runs: { metrics: { name: string; better: string; best?: number }[] }[];
      };
      const metrics = runs[0]?.metrics ?? [];
      return Object.fromEntries(metrics.map(({ name, better, best }) => [name, [better, best]]));
    };
    const unsure = {
      loss: ['lower', 1],
      size_kb: ['lower (by metric_directions)', 8],
      took_ms: ['lower (judged by the name alone)', 6],
    };
    assert.deepEqual(await bettersOf(), {
      ...unsure,
      blorp: [
        'unknown: the name does not say; state it as metric_directions of a launch',
        undefined,
      ],
    });
    session.target = { metric: 'blorp', direction: 'lower' };
    assert.deepEqual(await bettersOf(), { ...unsure, blorp: ['lower (by the target)', 3] });
  });

  it('finds a run by id, handle and number, also of another session', async () => {
    const run = await session.add('loss=1\n');
    const other = await session.addOther('acc=1\n');
    for (const reference of [run.id, 'local:1001', '1', 1, 'run 1', 'Run 1', '#1', ' run-1 '])
      assert.match(
        JSON.stringify(await shown(showMetrics(session), { task_id: reference })),
        /loss/,
      );
    assert.match(JSON.stringify(await shown(showMetrics(session), { run: other.id })), /acc/);
    assert.doesNotMatch(JSON.stringify(await shown(showMetrics(session), {})), /acc/);
  });

  it('says what exists when a run or a metric does not', async () => {
    const failure = (pattern: RegExp) => (error: unknown) =>
      error instanceof ToolFailure && pattern.test(error.message);
    await assert.rejects(
      call(showMetrics(session), { task_id: '3' }),
      failure(/remote_exec_background/),
    );
    await session.add('nothing\n');
    await assert.rejects(
      call(showMetrics(session), { metric_names: ['loss'] }),
      failure(/run 1.*task_output/),
    );
    await session.add('loss=1 acc=2\n');
    await assert.rejects(
      call(showMetrics(session), { task_id: 'local:9' }),
      failure(/run 2 \(local:1002\)/),
    );
    await assert.rejects(
      call(showMetrics(session), { metric_names: ['bleu'] }),
      failure(/Metrics: loss, acc/),
    );
  });

  it('shows the mean of the last values of an experiment or a list of runs', async () => {
    await session.add('loss=9\nloss=1\n');
    await session.add('loss=9\nloss=2\n');
    await session.add('loss=9\nloss=6\n');
    const over = async (task: unknown): Promise<unknown> =>
      (
        (await call(showMetrics(session), { task_id: task, metric_names: ['loss'] })).content as {
          over_all_runs?: unknown;
        }
      ).over_all_runs;
    assert.deepEqual(await over('e1'), { loss: 'last 3 ± 2.65 (3 runs)' });
    assert.deepEqual(await over([1, '2']), { loss: 'last 1.5 ± 0.707 (2 runs)' });
    assert.equal(await over(1), undefined);
  });
});
