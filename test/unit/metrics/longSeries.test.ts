import assert from 'node:assert/strict';
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import type { WriteAt } from '../../../src/metrics/disk/appendOnly.ts';
import { compareRuns } from '../../../src/metrics/compare.ts';
import { downsampleForPlot } from '../../../src/metrics/plot/downsampleForPlot.ts';
import type { MetricPoint } from '../../../src/metrics/metric.ts';
import { plotSampled } from '../../../src/metrics/plot/plotSampled.ts';
import type { MetricLimits } from '../../../src/metrics/metricsOptions.ts';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import type { SampledSeries } from '../../../src/metrics/series/sampledSeries.ts';
import { maxPointsInMemory, Series } from '../../../src/metrics/series/series.ts';
import { random } from '../../fakes/random.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

const spec = { names: ['loss', 'acc'] };

/** Values with noise, spikes, plateaus, and now and then one that is not finite. */
function valuesFrom(seed: number, count: number): number[] {
  const next = random(seed);
  const odd = [NaN, Infinity, -Infinity];
  return Array.from({ length: count }, () => {
    const kind = next();
    if (kind < 0.01) return odd[Math.floor(next() * odd.length)] ?? NaN;
    if (kind < 0.02) return (next() - 0.5) * 1e6;
    return kind < 0.3 ? 0.5 : next();
  });
}

describe('A series that is too long for memory', () => {
  it('is bounded, however many points it has', () => {
    const series = new Series();
    for (let index = 0; index < 1_000_000; index++) series.add(index, index, Math.sin(index));
    assert.equal(series.count, 1_000_000);
    assert.ok(series.columns().values.length <= maxPointsInMemory + 16);
    assert.ok(series.capacity <= maxPointsInMemory * 1.25, `${series.capacity} points`);
  });

  it('has an exact tally and keeps the extremes of equally long stretches, in whatever order', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const values = valuesFrom(seed, 500 + seed * 700);
      const series = new Series(256);
      values.forEach((value, index) => series.add(index * 2, index * 10, value));
      const finite = values.filter(Number.isFinite);
      assert.equal(series.tally.count, values.length);
      assert.equal(series.tally.min, Math.min(...finite));
      assert.equal(series.tally.max, Math.max(...finite));
      assert.equal(
        series.tally.firstNonFinite?.index,
        values.findIndex((v) => !Number.isFinite(v)),
      );
      const { indices = assert.fail(), steps, timesMs, values: kept } = series.columns();
      assert.ok(kept.length <= 256 + 16, `${kept.length} points`);
      assert.deepEqual([indices[0], indices.at(-1)], [0, values.length - 1]);
      for (const [at, index] of indices.entries()) {
        assert.deepEqual(
          [kept[at], steps[at], timesMs[at]],
          [values[index], index * 2, index * 10],
        );
        assert.ok(at === 0 || index > (indices[at - 1] ?? 0), 'in order, each once');
      }
      for (const exact of [Math.min(...finite), Math.max(...finite)])
        assert.ok(indices.includes(values.indexOf(exact)), 'the first lowest and highest point');
      assert.ok(indices.includes(values.findIndex((value) => !Number.isFinite(value))));
    }
  });

  it('keeps a point without a step, and knows that the steps once went back', () => {
    const series = new Series(256);
    for (let index = 0; index < 10_000; index++)
      series.add(index === 5_001 ? NaN : index === 3_000 ? 1 : index, 0, 0.5);
    assert.ok(series.columns().steps.some(Number.isNaN));
    assert.equal(series.steps.isAscending, false);
  });

  it('still has its newest points one by one', () => {
    const series = new Series(256);
    for (let index = 0; index < 9_999; index++) series.add(index, index, index);
    assert.deepEqual(
      [...(series.recent(9_950)?.values ?? [])],
      Array.from({ length: 49 }, (_, i) => 9_950 + i),
    );
    assert.equal(series.recent(5_000), undefined);
  });

  it('has averages over all of its points', () => {
    const values = valuesFrom(3, 20_000);
    const series = new Series(1024);
    values.forEach((value, index) => series.add(index, index, value));
    const { means, finiteCounts, ends } = series.means() ?? assert.fail();
    let start = 0;
    for (const [at, end] of ends.entries()) {
      const own = values.slice(start, end).filter(Number.isFinite);
      const mean = own.reduce((sum, value) => sum + value / own.length, 0);
      assert.equal(finiteCounts[at], own.length);
      assert.ok(Math.abs((means[at] ?? NaN) - mean) <= 1e-9 * (1 + Math.abs(mean)));
      start = end;
    }
    assert.equal(start, values.length);
  });
});

describe('Metrics of a run that prints without end', () => {
  const folder = scratchFolder();
  const open = (
    name: string,
    limits: Partial<MetricLimits>,
    write?: WriteAt,
  ): Promise<RunMetrics> => RunMetrics.open(join(folder(), name), spec, { write, limits });
  const few = { pointsPerSeries: 256 };

  const print = (metrics: RunMetrics, lines: readonly string[]): void => {
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    for (let at = 0; at < bytes.length; at += 5_000)
      metrics.ingest(bytes.subarray(at, at + 5_000), metrics.resumeOffset, metrics.resumeOffset);
  };
  const lossLines = (values: readonly number[], stepOf = (index: number) => `step ${index} `) =>
    values.map((value, index) => `${stepOf(index)}loss=${value} acc=${index}`);

  async function columnsOf(series: SampledSeries): Promise<{ steps: number[]; values: number[] }> {
    const all = { steps: [] as number[], values: [] as number[] };
    for await (const { steps, values } of series.read()) {
      all.steps.push(...steps);
      all.values.push(...values);
    }
    return all;
  }

  it('hold few points in memory and all on the disk, also after a restart', async () => {
    const values = valuesFrom(7, 6_000);
    const first = await open('a', few);
    print(first, lossLines(values));
    const before = first.summaries();
    first.dispose();
    const metrics = await open('a', few);
    assert.deepEqual(metrics.summaries(), before);
    assert.equal(metrics.summary('loss')?.count, 6_000);
    assert.ok(metrics.series('loss').values.length < 300);
    assert.deepEqual(metrics.series('loss'), first.series('loss'));
    const all = await columnsOf(metrics.sampled('loss') ?? assert.fail());
    assert.deepEqual(all, { steps: values.map((_, index) => index), values });
    metrics.dispose();
  });

  it('are read from any position to any other', async () => {
    const metrics = await open('a', few);
    print(metrics, lossLines(valuesFrom(5, 5_000)));
    const series = metrics.sampled('acc') ?? assert.fail();
    const next = random(5);
    for (let round = 0; round < 40; round++) {
      const from = Math.floor(next() * 5_000);
      const to = from + Math.floor(next() * 300);
      const read: number[] = [];
      for await (const { values } of series.read(from, to)) read.push(...values);
      const expected = Array.from({ length: Math.min(to, 5_000) - from }, (_, at) => from + at);
      assert.deepEqual(read, expected);
    }
    metrics.dispose();
  });

  const orders: readonly (readonly [what: string, stepOf: (index: number) => string])[] = [
    ['rising steps', (index) => `step ${index * 3} `],
    ['steps that repeat and start again', (index) => `step ${Math.floor(index / 2) % 700} `],
    ['missing steps', (index) => (index % 3 === 1 ? '' : `step ${index} `)],
  ];
  for (const [what, stepOf] of orders)
    it(`are drawn from the disk as from all points, with ${what}`, async () => {
      const values = valuesFrom(11, 4_000);
      const metrics = await open('a', few);
      print(metrics, lossLines(values, stepOf));
      const series = metrics.sampled('loss') ?? assert.fail();
      const { steps } = await columnsOf(series);
      let reads = 0;
      const read = series.read.bind(series);
      series.read = (...at) => {
        reads += 1;
        return read(...at);
      };
      const hasSteps = !steps.some(Number.isNaN);
      const x = Float64Array.from(steps, (step, index) => (hasSteps ? step : index));
      const next = random(13);
      for (let round = 0; round < 30; round++) {
        const from = Math.floor(next() * 5_000) - 500;
        const edge = next();
        const range = {
          pixels: 1 + Math.floor(next() * 200),
          ...(edge > 0.1 && { from }),
          ...(edge < 0.9 && { to: from + Math.floor(next() * 1_500) }),
        };
        const expected = downsampleForPlot(x, Float64Array.from(values), range);
        for (const maxHeld of [1_000_000, 0]) {
          reads = 0;
          const drawn = await plotSampled(series, {
            ...range,
            maxHeld,
            isAscending: series.steps.isAscending || !hasSteps,
            xOf: (part) => (hasSteps ? part.steps : part.indices),
          });
          assert.deepEqual(drawn, expected, JSON.stringify({ ...range, maxHeld, round }));
          // The range is read twice where it is too long to be held.
          assert.equal(reads, maxHeld === 0 ? 2 : 1);
        }
      }
      metrics.dispose();
    });

  it('are compared at an equal step or position as if memory held all points', async () => {
    for (const stepOf of [(index: number) => `step ${index * 3} `, () => '']) {
      const [a, b] = [valuesFrom(1, 3_000), valuesFrom(2, 2_000)];
      const name = stepOf(0) === '' ? 'position' : 'step';
      const runs = async (limits: Partial<MetricLimits>) => {
        const pair = [await open(`a-${name}`, limits), await open(`b-${name}`, limits)] as const;
        print(pair[0], pair[0].resumeOffset > 0 ? [] : lossLines(a, stepOf));
        print(pair[1], pair[1].resumeOffset > 0 ? [] : lossLines(b, stepOf));
        const compared = await compareRuns(...pair);
        for (const one of pair) one.dispose();
        return compared;
      };
      assert.deepEqual(await runs(few), await runs({}));
    }
  });

  it('give the trend of the newest points', async () => {
    const metrics = await open('a', few);
    print(
      metrics,
      lossLines(Array.from({ length: 5_000 }, (_, i) => (i < 4_980 ? i % 7 : 5_000 - i))),
    );
    assert.equal(metrics.trend('loss'), 'decreasing');
    metrics.dispose();
  });

  it('are read again in the order of the output, and none twice that comes meanwhile', async () => {
    const metrics = await open('a', few);
    print(metrics, lossLines(valuesFrom(3, 3_000)));
    metrics.clear();
    const values = valuesFrom(9, 30_000);
    print(metrics, lossLines(values.slice(0, 20_000)));
    const heard: MetricPoint[] = [];
    let isOver = false;
    let chunk = 20_000;
    metrics.onDidAdd((points) => {
      if (isOver) heard.push(...points);
    });
    const grow = (): void => {
      if (chunk >= 30_000) return;
      print(metrics, lossLines(values.slice(chunk, chunk + 500)));
      chunk += 500;
      setImmediate(grow);
    };
    grow();
    await metrics.replay({
      onPoints: (points) => heard.push(...points),
      onEnd: () => (isOver = true),
    });
    while (chunk < 30_000) await new Promise(setImmediate);
    assert.deepEqual(
      heard.filter(({ metric }) => metric === 'loss').map(({ value }) => value),
      values,
    );
    metrics.dispose();
  });

  it('have fewer points each where there are many of them', async () => {
    const metrics = await RunMetrics.open(join(folder(), 'many'), {});
    const line = Array.from({ length: 1_500 }, (_, at) => `m_${at}=${at}`).join(' ');
    print(
      metrics,
      Array.from({ length: 400 }, () => line),
    );
    print(
      metrics,
      Array.from({ length: 70_000 }, (_, at) => `m_1=${at}`),
    );
    assert.equal(metrics.names().length, 1_500);
    assert.equal(metrics.summary('m_1')?.count, 70_400);
    assert.ok(metrics.series('m_1').values.length < 1_100);
    metrics.dispose();
  });

  it('take no more names from one line than from many', async () => {
    const metrics = await RunMetrics.open(join(folder(), 'names'), {});
    const line = Array.from({ length: 20_000 }, (_, at) => `n_${at}=1`).join(' ');
    print(metrics, [line, line]);
    assert.equal(metrics.names().length, 2_000);
    metrics.dispose();
  });

  it('stop their file at its limit, once and for all, and stay exact', async () => {
    const limits = { ...few, records: 5_000 };
    const metrics = await open('a', limits);
    const ends: string[] = [];
    metrics.onDidEnd((end) => ends.push(end));
    const values = valuesFrom(17, 4_000);
    print(metrics, lossLines(values.slice(0, 2_500)));
    assert.deepEqual([ends, metrics.end], [[], undefined]);
    print(metrics, lossLines(values.slice(2_500)));
    assert.deepEqual([ends, metrics.end], [['full'], 'full']);
    const exact = metrics.summaries();
    assert.equal(exact[0]?.count, 4_000);
    const stored = (await columnsOf(metrics.sampled('loss') ?? assert.fail())).values;
    assert.deepEqual(stored.slice(0, 2_500), values.slice(0, 2_500));
    assert.equal(stored.at(-1), values.at(-1), 'the sample goes on');
    metrics.dispose();
    const again = await open('a', limits);
    assert.deepEqual([again.end, again.resumeOffset], ['full', outputOf(values).length]);
    assert.deepEqual(again.summaries(), exact);
    print(again, ['step 4000 loss=7000000 acc=4000']);
    const { count, max, last, lastStep } = again.summary('loss') ?? assert.fail();
    assert.deepEqual([count, max, last, lastStep], [4_001, 7e6, 7e6, 4_000]);
    assert.equal(again.series('loss').values.at(-1), 7e6);
    again.dispose();
    for (const damage of ['', '{"endOffset":5000', '{"endOffset":1e9}']) {
      writeFileSync(join(folder(), 'a', 'points.totals'), damage);
      const third = await open('a', limits);
      third.ingest(outputOf(values).subarray(third.resumeOffset), third.resumeOffset, 1);
      assert.deepEqual(third.summaries(), exact, 'the output is read again');
      third.dispose();
    }
  });

  it('show only what came after they were cleared, also with a full file', async () => {
    const limits = { ...few, records: 5_000 };
    const metrics = await open('a', limits);
    print(metrics, lossLines(valuesFrom(17, 4_000)));
    metrics.clear();
    print(metrics, ['loss=1', 'loss=2']);
    metrics.dispose();
    const again = await open('a', limits);
    assert.deepEqual(again.summaries(), metrics.summaries());
    assert.deepEqual([again.summary('loss')?.count, again.summary('acc')], [2, undefined]);
    again.dispose();
  });

  const outputOf = (values: readonly number[]): Buffer =>
    Buffer.from(
      [...lossLines(values.slice(0, 2_500)), ...lossLines(values.slice(2_500))]
        .map((line) => `${line}\n`)
        .join(''),
    );

  it('do not wait for a full disk with ever more points in memory', async () => {
    let isFull = true;
    const write: WriteAt = (fd, chunk, position) => {
      if (isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return writeSync(fd, chunk, 0, chunk.length, position);
    };
    const limits = { ...few, pendingRecords: 1_000 };
    const metrics = await open('a', limits, write);
    const ends: string[] = [];
    let announced = 0;
    metrics.onDidEnd((end) => ends.push(end));
    metrics.onDidAdd((points) => (announced += points.length));
    const values = valuesFrom(19, 4_000);
    const output = outputOf(values);
    for (let at = 0; at < output.length; at += 1_000)
      try {
        metrics.ingest(output.subarray(at, at + 1_000), at, 1);
      } catch {
        // The disk is full.
      }
    assert.deepEqual([ends, metrics.end], [['unwritable'], 'unwritable']);
    assert.equal(announced, 8_000);
    const exact = metrics.summaries();
    metrics.dispose();
    isFull = false;
    const again = await open('a', limits, write);
    assert.equal(again.resumeOffset, 0);
    again.ingest(output, 0, 1);
    assert.deepEqual(again.summaries(), exact);
    again.dispose();
  });
});
