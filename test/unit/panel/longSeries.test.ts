import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { silentLogger } from '../../../src/base/logger.ts';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import {
  exportRecords,
  type ExportSource,
} from '../../../src/presentation/archive/exportRecords.ts';
import { connect } from '../../../src/protocol/connect.ts';
import { advanceEma, emaValue, smoothed } from '../../../src/protocol/ema.ts';
import { readSeries, ready, type SeriesQuery } from '../../../src/protocol/metricsPanel.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { csvParts } from '../../../src/vscode/metrics/csv.ts';
import { PanelHost } from '../../../src/vscode/metrics/panelHost.ts';
import type { PanelSeries } from '../../../src/vscode/metrics/panelSource.ts';
import { answerSampled } from '../../../src/vscode/metrics/sampledAnswer.ts';
import { valueAt } from '../../../src/vscode/metrics/valuesAt.ts';
import { answerSeries, pointsSince } from '../../../src/vscode/metrics/seriesAnswer.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { MemoryPanelSource } from '../../fakes/memoryPanelSource.ts';
import { portPair } from '../../fakes/portPair.ts';
import { random } from '../../fakes/random.ts';
import { scratchFolder } from '../../fakes/scratch.ts';
import { runState } from '../vscode/states.ts';

const startedMs = 1_000;
const count = 20_000;
const query: SeriesQuery = { runIds: ['r-1'], metric: 'loss', axis: 'step', pixels: 60 };

describe('a series in the panel that is too long for memory', () => {
  const folder = scratchFolder();
  const next = random(23);
  const values = Array.from({ length: count }, (_, at) => 3 / (1 + at / 2_000) + next() / 5);
  values[7_777] = 9;
  values[12_345] = NaN;
  let long: RunMetrics;
  let whole: RunMetrics;
  beforeEach(async () => {
    long = await RunMetrics.open(
      join(folder(), 'a'),
      { names: ['loss'] },
      {
        limits: { pointsPerSeries: 4096 },
      },
    );
    whole = await RunMetrics.open(join(folder(), 'b'), { names: ['loss'] });
    print(values);
  });
  afterEach(() => {
    long.dispose();
    whole.dispose();
  });
  const print = (added: readonly number[]): void => {
    const first = long.summary('loss')?.count ?? 0;
    for (let at = 0; at < added.length; at += 100) {
      const lines = added
        .slice(at, at + 100)
        .map((v, i) => `step ${(first + at + i) * 2} loss=${v}\n`);
      for (const metrics of [long, whole])
        metrics.ingest(Buffer.from(lines.join('')), metrics.resumeOffset, startedMs + first + at);
    }
  };
  const seriesOf = (metrics: RunMetrics): PanelSeries => ({
    ...metrics.series('loss'),
    startedMs,
    sampled: metrics.sampled('loss'),
  });
  const answerOf = (asked: SeriesQuery) =>
    answerSampled({ series: long.sampled('loss') ?? assert.fail(), startedMs, query: asked });

  it('has an exact value at each step', async () => {
    const panel = { ...(long.series('loss') ?? assert.fail()), startedMs };
    const sampled = long.sampled('loss');
    for (const at of [0, 1, 7_777, 12_344, 19_998, 19_999])
      assert.equal(await valueAt({ ...panel, sampled }, at * 2 + 1), values[at]);
  });

  it('is drawn from memory as a whole, with its peaks and its extent', async () => {
    const answer = await answerOf(query);
    assert.ok(answer.y.length <= 4 * query.pixels);
    assert.equal(Math.max(...answer.y), 9);
    assert.deepEqual(answer.nonFinite, [{ x: 12_345 * 2, kind: 'NaN' }]);
    assert.deepEqual([answer.total, answer.extent], [count, { from: 0, to: (count - 1) * 2 }]);
    const time = await answerOf({ ...query, axis: 'time' });
    assert.deepEqual(time.extent, { from: 0, to: count - 100 });
  });

  it('is drawn from all of its points where a part of it is shown', async () => {
    for (const axis of ['step', 'time'] as const)
      for (const [from, to] of [
        [10_000, 10_900],
        [0, 50],
        [39_000, 50_000],
        [-5, 41_000],
      ] as const) {
        const asked = { ...query, axis, from, to };
        assert.deepEqual(
          await answerOf(asked),
          answerSeries(seriesOf(whole), asked),
          `${axis} ${from}`,
        );
      }
  });

  it('has almost the curve of all points when it is smoothed, also in a part', async () => {
    for (const part of [{}, { from: 20_000, to: 21_000 }]) {
      const asked = { ...query, ...part, smoothing: 0.9 };
      const { smooth = assert.fail() } = await answerOf(asked);
      const exact = smoothed(Float64Array.from(values), 0.9);
      assert.ok(smooth.x.length > 1);
      for (const [at, y] of smooth.y.entries()) {
        const there = exact.values[Math.round((smooth.x[at] ?? 0) / 2)] ?? NaN;
        assert.ok(Math.abs(y - there) < 0.02, `${y} for ${there}`);
      }
      const last = (ema: typeof smooth.ema): number => emaValue(advanceEma(ema, 1));
      assert.ok(Math.abs(last(smooth.ema) - last(exact.ema)) < 1e-3);
    }
  });

  it('goes on point by point, and is read again where memory has too few of them', () => {
    print([5, 6, 7]);
    const added = pointsSince(seriesOf(long), count);
    assert.deepEqual(added, pointsSince(seriesOf(whole), count));
    assert.deepEqual([...added.values], [5, 6, 7]);
    assert.equal(pointsSince(seriesOf(long), 10).values.length, 0);
    assert.equal(pointsSince(seriesOf(long), count + 3).values.length, 0);
    print(Array.from({ length: 2_500 }, () => 1));
    assert.equal(pointsSince(seriesOf(long), count + 3).values.length, 0);
  });

  it('goes on by position when points without a step come', () => {
    for (const metrics of [long, whole])
      metrics.ingest(Buffer.from('loss=1\nloss=2\n'), metrics.resumeOffset, startedMs);
    assert.equal(pointsSince(seriesOf(long), count).values.length, 0, 'every x is another now');
    assert.deepEqual(
      pointsSince(seriesOf(long), count + 1),
      pointsSince(seriesOf(whole), count + 1),
    );
    assert.deepEqual([...pointsSince(seriesOf(long), count + 1).steps], [count + 1]);
  });

  it('is saved with every point', async () => {
    const panel = new MemoryPanelSource();
    panel.addRun({ id: 'r-1' });
    const saved = async (metrics: RunMetrics): Promise<string> => {
      const parts: Uint8Array[] = [];
      const source = { series: () => seriesOf(metrics) };
      for await (const part of csvParts(source, panel.runs, ['loss'])) parts.push(part);
      return Buffer.concat(parts).toString();
    };
    const text = await saved(long);
    assert.equal(text, await saved(whole));
    assert.equal(text.split('\n').length, count + 2);
  });

  it('is answered by the host of the panel from the disk where that has more', async () => {
    const source = new MemoryPanelSource();
    source.addRun({ id: 'r-1' });
    source.series = () => seriesOf(long);
    const ports = portPair();
    const actions = { openRun: () => undefined, save: () => Promise.resolve() };
    const clock = new ManualClock();
    const options = { source, port: ports.host, clock, logger: silentLogger, actions };
    const host = new PanelHost(options);
    const view = connect(ports.view);
    view.listen();
    await view.sendRequest(ready);
    const asked = { ...query, from: 10_000, to: 10_100 };
    const answer = await view.sendRequest(readSeries, asked);
    assert.deepEqual(answer, answerSeries(seriesOf(whole), asked));
    host.dispose();
    view.dispose();
  });

  it('is exported from the terminal with every point', async () => {
    const points = 140_000;
    const home = homeAt(folder());
    const { spec } = runState(1);
    const metrics = await RunMetrics.open(home.runFolder(spec.id), spec.metrics);
    for (let first = 0; first < points; first += 10_000) {
      const lines = Array.from({ length: 10_000 }, (_, at) => `loss=${first + at}\n`);
      metrics.ingest(Buffer.from(lines.join('')), metrics.resumeOffset, 1);
    }
    assert.equal(metrics.isWhole, false);
    metrics.dispose();
    const state = { id: 's-1', runs: new Map([[spec.id, runState(1)]]) };
    const sessions = {
      list: () => Promise.resolve([{ id: 's-1' }]),
      read: () => Promise.resolve({ state }),
    } as unknown as ExportSource['sessions'];
    let next = 0;
    for await (const record of exportRecords({ sessions, home: folder() }, 'metrics'))
      if (record.value === next) next += 1;
    assert.equal(next, points);
  });
});
