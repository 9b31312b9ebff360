import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { MetricPoint, MetricSpec } from '../../../src/metrics/metric.ts';
import { checkMetricSpec, MetricSpecError } from '../../../src/metrics/lines/metricSpec.ts';
import { createLineReader } from '../../../src/metrics/createLineReader.ts';
import type { LineReader } from '../../../src/metrics/lines/lineReader.ts';
import { PatternReader } from '../../../src/metrics/patterns/patternReader.ts';
import { PatternSearch, type SearchOutcome } from '../../../src/metrics/patterns/patternSearch.ts';
import type { MetricLimits } from '../../../src/metrics/metricsOptions.ts';
import { MetricTracks } from '../../../src/metrics/metricTracks.ts';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { randomCuts, seededRandom } from './randomCuts.ts';
import { scratchFolder, until } from '../../fakes/scratch.ts';

/** Exponential on a line of digits that ends otherwise. */
const endless = 'L:((?:\\d+\\.?)+)$';
const endlessLine = `L:${'1'.repeat(60)}x`;

describe('metric patterns', () => {
  const scratch = scratchFolder();
  let clock: ManualClock;
  let search: PatternSearch;
  let points: string[];
  let off: string[];
  let reader: LineReader | undefined;
  beforeEach(() => {
    clock = new ManualClock();
    search = new PatternSearch(clock);
    [points, off] = [[], []];
  });
  afterEach(() => {
    reader?.dispose();
    search.dispose();
  });

  const sink = {
    onPoints: (found: readonly MetricPoint[], end: number) =>
      points.push(...found.map((point) => `${end} ${pointText(point)}`)),
    onReadLate: () => undefined,
    onSwitchedOff: (why: string) => off.push(why),
  };
  const open = (spec: MetricSpec): LineReader => (reader = createLineReader(spec, sink, search));
  const add = (...lines: readonly string[]): void => {
    for (const [index, line] of lines.entries()) reader?.read(line, { end: index + 1, timeMs: 5 });
  };
  const read = async (spec: MetricSpec, line: string): Promise<string> => {
    points = [];
    open(spec);
    add(line);
    await reader?.settled();
    return points.map((point) => point.replace('1 ', '')).join(' ');
  };
  const waitingWhile = (act: () => void): Promise<void> | undefined => {
    const backlog = reader?.backlog;
    assert.ok(backlog);
    act();
    return backlog;
  };
  /** Time passes until the search has been stopped once more. */
  const untilOff = (count = 1): Promise<void> =>
    until('a pattern is switched off', async () => {
      if (off.length < count) await clock.advance(250);
      return off.length >= count;
    });

  it('are read without regard to case, the last match of a line, with the step of the line', async () => {
    const spec = { patterns: { loss: 'L:([\\d.]+|nan)', thousand: 'n=([\\d,]+)' } };
    assert.equal(await read(spec, 'step 4 l:0.5 l:0.25 n=1,234'), 'loss@4=0.25 thousand@4=1234');
    assert.equal(await read(spec, 'l:nan'), 'loss=NaN');
    assert.equal(await read({ patterns: { x: 'x=(.*)' } }, 'x=tensor(0.5)'), 'x=0.5');
    assert.equal(await read({ patterns: { x: 'x=(.*)' } }, 'x=abc 1'), '');
    assert.equal(await read({ patterns: { x: '(\\d*)' } }, 'a 7 b'), 'x=7');
    assert.equal(await read({ patterns: { ' x ': '(\\d*)' } }, '\u001b[1m7'), 'x=7');
    const behind = { patterns: { x: '(?<=best )loss (\\d)(?! s)' } };
    assert.equal(await read(behind, 'loss 1, best loss 2, best loss 3 s'), 'x=2');
  });

  it('are read beside names, and win over the same name', async () => {
    const patterns = { a: 'b=(\\d)' };
    const spec = { names: ['loss', 'a'], patterns };
    assert.equal(await read(spec, 'step 3 loss=1 a=2 b=7'), 'loss@3=1 a@3=7');
    assert.equal(await read({ patterns }, 'loss=1 a=2'), 'loss=1');
  });

  it('are read beside what is detected, and win over the same metric', async () => {
    const patterns = { val_acc: 'accuracy (\\d\\.\\d+)' };
    const line = 'epoch 3 loss=1 val_acc=0.1 lr=0.5 accuracy 0.75';
    const found = (await read({ patterns }, line)).split(' ');
    for (const point of ['loss@3=1', 'lr@3=0.5', 'val_acc@3=0.75'])
      assert.ok(found.includes(point), found.join(' '));
    assert.ok(!found.includes('val_acc@3=0.1'), found.join(' '));
  });

  it('name a value once, under the name of the pattern and not as it is printed', async () => {
    const patterns = { val_loss: 'v=([\\d.]+)' };
    assert.equal(await read({ patterns }, 'step 3 v=0.5 w=0.5'), 'w@3=0.5 val_loss@3=0.5');
    assert.equal(await read({ patterns }, '\u001b[1mstep 3\u001b[0m v=0.5'), 'val_loss@3=0.5');
    assert.equal(await read({ patterns, also: ['v'] }, 'step 3 v=0.5'), 'v@3=0.5 val_loss@3=0.5');
    const wide = { patterns: { loss: 'epoch.* score of ([\\d.]+)' } };
    assert.equal(await read(wide, 'epoch 2 acc=0.5 score of 0.5'), 'acc@2=0.5 loss@2=0.5');
    const pair = { patterns: { x: 'val loss=([\\d.]+)' } };
    assert.equal(await read(pair, 'train loss=0.5 val loss=0.5'), 'train_loss=0.5 x=0.5');
  });

  it('show a metric with a pattern at its first point, and a detected one as ever', () => {
    const tracks = new MetricTracks({ patterns: { quux: 'Q (\\d)' } });
    for (const metric of ['quux', 'loss', 'foo'])
      tracks.add(metric, { step: Number.NaN, timeMs: 1, value: 1 }, undefined);
    assert.deepEqual(tracks.names(), ['quux', 'loss']);
  });

  it('are not used for a line that may take quadratic time', async () => {
    const spec = { patterns: { loss: 'loss=(\\d+)$' } };
    const lineOf = (length: number): string => 'loss=7'.padStart(length);
    assert.equal(await read(spec, lineOf(16 * 1024)), 'loss=7');
    assert.equal(await read(spec, lineOf(16 * 1024 + 1)), '');
    assert.equal(await read({ names: ['loss'] }, lineOf(16 * 1024 + 1)), 'loss=7');
  });

  it('are refused when they cannot work, without being tried', () => {
    const bad: MetricSpec[] = [
      { patterns: { loss: '([' } },
      { patterns: { loss: 'loss=\\d+' } },
      { patterns: { loss: '(?:loss)=\\d+' } },
      { patterns: { loss: '(?<=loss=)\\d+' } },
      { patterns: { loss: '[(]\\d' } },
      { patterns: { loss: `(\\d)${'(?:a'.repeat(200)}${')?'.repeat(200)}` } },
      { patterns: { loss: '\\(\\d' } },
      { patterns: { 'a\nb': '(x)' } },
      { patterns: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`m${i}`, '(x)'])) },
      { names: ['loss', ' '] },
      { names: ['a\u0007'] },
    ];
    for (const spec of bad)
      assert.throws(
        () => checkMetricSpec(spec),
        (error) => error instanceof MetricSpecError && error.reason === 'metric_spec',
        JSON.stringify(spec),
      );
    for (const source of ['([a]?)', '(?<value>\\d)', '[[](\\d)', '(?:|){60}b(\\d)'])
      checkMetricSpec({ patterns: { loss: source } });
  });

  it('are switched off when they take too long, which is said once, by name', async () => {
    open({ patterns: { loss: endless, acc: 'A:(\\d)' } });
    add('L:1 A:1', 'L:2', endlessLine, 'L:3 A:3', endlessLine);
    await untilOff();
    await reader?.settled();
    assert.equal(off.length, 1);
    assert.match(off[0] ?? '', /^the pattern L:.* of the metric loss took longer than 1 s on /);
    const isLater = (point: string): boolean => point.startsWith('4');
    assert.deepEqual(points.filter(isLater), ['4 acc=3'], 'the other pattern goes on');
    assert.ok(points.includes('1 acc=1'));
    add('L:4 A:4');
    await reader?.settled();
    assert.equal(points.at(-1), '1 acc=4');
    assert.equal(off.length, 1);
  });

  it('keep the points of lines before the one that takes too long', async () => {
    open({ patterns: { loss: endless } });
    add('L:1', 'L:2');
    await reader?.settled();
    add(endlessLine);
    await untilOff();
    await reader?.settled();
    assert.deepEqual(points, ['1 loss=1', '2 loss=2']);
    assert.match(off[0] ?? '', /on one line and is switched off/);
  });

  it('are switched off one by one', async () => {
    open({ patterns: { a: endless, b: `(?:)${endless}`, c: `(?:\n\u0007)?${endless}` } });
    add(endlessLine);
    await untilOff(3);
    await reader?.settled();
    assert.deepEqual(
      off.map((text) => /metric (\w)/.exec(text)?.[1]),
      ['a', 'b', 'c'],
    );
    assert.ok(
      off[2]?.startsWith('the pattern (?: )?L:'),
      'on one line, without control characters',
    );
    add('L:1');
    await reader?.settled();
    assert.deepEqual(points, []);
  });

  it('are switched off when they cannot be executed', async () => {
    const huge = `${'(?:'.repeat(20)}${'a?){3}'.repeat(20)}(b)`;
    open({ patterns: { huge, x: 'x(\\d)' } });
    add('a1 x2');
    await reader?.settled();
    assert.match(off.join(), /of the metric huge cannot be used and is switched off/);
    assert.deepEqual(points, ['1 x=2']);
  });

  it('are searched for again by a new worker after one was stopped', async () => {
    const evil = search.search({ patterns: [{ source: endless, lines: 1 }], text: endlessLine });
    const next = search.search({ patterns: [{ source: '(\\d)', lines: 1 }], text: 'a7' });
    let stopped: SearchOutcome | undefined;
    void evil.then((outcome) => (stopped = outcome));
    await until('the search is stopped', async () => {
      if (stopped === undefined) await clock.advance(250);
      return stopped !== undefined;
    });
    assert.deepEqual(stopped, { kind: 'slow', pattern: 0, line: 0, isOneLine: true });
    const outcome = await next;
    assert.deepEqual(outcome.kind === 'found' && [...outcome.points], [0, 0, NaN, 7, 1]);
  });

  it('search no line again and again whose earlier lines take too long together', async () => {
    const jobs: number[] = [];
    const slow = {
      search: ({ patterns }: { patterns: readonly { readonly lines: number }[] }) => {
        const lines = patterns[0]?.lines ?? 0;
        jobs.push(lines);
        const outcome: SearchOutcome = {
          kind: 'slow',
          pattern: 0,
          line: lines - 1,
          isOneLine: false,
        };
        return Promise.resolve(outcome);
      },
    };
    reader = new PatternReader({ patterns: { loss: endless }, parser: undefined }, sink, slow);
    add('1', '2', '3');
    await reader.settled();
    assert.deepEqual(jobs, [3, 2]);
    assert.match(off.join(), /on a few lines/);
  });

  it('are all switched off when the worker cannot run', async () => {
    search.dispose();
    open({ patterns: { a: '(\\d)', b: '(\\d)' } });
    add('1');
    await reader?.settled();
    assert.deepEqual(off, ['the metric patterns cannot be searched for: the search was ended']);
  });

  it('ask for a pause while too much waits', async () => {
    open({ patterns: { a: 'a(\\d)' } });
    const lines = Array.from({ length: 2_000 }, (_, index) => `a${index % 10}`.padEnd(8_000));
    add(...lines);
    assert.ok(reader?.backlog);
    await reader.backlog;
    assert.ok(points.length > 0 && points.length < lines.length);
    await reader?.settled();
    assert.equal(reader?.backlog, undefined);
    assert.deepEqual(
      points,
      lines.map((line, index) => `${index + 1} a=${line[1]}`),
    );
    add(...lines);
    await waitingWhile(() => reader?.dispose());
  });

  describe('of a run', () => {
    const spec = { patterns: { loss: 'loss[=:] ?(\\S+)', acc: 'acc=(\\S+)' } };
    const lines = Array.from({ length: 4_000 }, (_, step) =>
      step % 3 === 0 ? `step ${step} loss=${step / 7} acc=0.${step}` : `loss: ${step}\r`,
    );
    const bytes = Buffer.from(lines.join('\n'));
    const valuesOf = (metrics: RunMetrics): unknown =>
      metrics.names().map((name) => {
        const { steps, values, timesMs } = metrics.series(name);
        return [name, [...steps], [...values], [...timesMs]];
      });
    const openRun = (
      folder: string,
      wanted: MetricSpec = spec,
      limits: Partial<MetricLimits> = {},
    ): Promise<RunMetrics> => RunMetrics.open(folder, wanted, { search, limits });

    it('give the same points in the same order as names, however the bytes arrive', async () => {
      const byNames = await openRun(join(scratch(), 'names'), { names: ['loss', 'acc'] });
      byNames.ingest(bytes, 0, 1);
      await byNames.finish(1);
      const random = seededRandom(5);
      for (let round = 0; round < 5; round++) {
        const folder = mkdtempSync(join(scratch(), 'run-'));
        const metrics = await openRun(folder);
        const announced: MetricPoint[] = [];
        metrics.onDidAdd((found) => announced.push(...found));
        for (const chunk of randomCuts(bytes, random, 20_000))
          metrics.ingest(chunk, metrics.resumeOffset, 1);
        await metrics.finish(1);
        assert.deepEqual(valuesOf(metrics), valuesOf(byNames));
        assert.deepEqual(announced.map(({ value }) => value).slice(0, 4), [0, 0, 1, 2]);
        assert.equal(announced.length, 4_000 + 1_334);
        metrics.dispose();
        const again = await openRun(folder);
        assert.deepEqual(valuesOf(again), valuesOf(byNames));
        again.dispose();
      }
      byNames.dispose();
    });

    it('neither lose nor double a point when Helios ends while lines wait', async () => {
      const folder = mkdtempSync(join(scratch(), 'run-'));
      const first = await openRun(folder);
      let announced = 0;
      const some = new Promise<void>((resolve) => {
        first.onDidAdd((found) => {
          announced += found.length;
          resolve();
        });
      });
      first.ingest(bytes, 0, 1);
      await some;
      first.dispose();
      const second = await openRun(folder);
      assert.ok(announced < 5_334 && second.resumeOffset < bytes.length, 'some lines waited');
      second.ingest(bytes.subarray(second.resumeOffset), second.resumeOffset, 1);
      await second.finish(1);
      assert.deepEqual(
        second.summaries().map(({ count }) => count),
        [4_000, 1_334],
      );
      second.dispose();
    });

    it('stay exact with a full file when Helios ends while lines wait', async () => {
      const folder = mkdtempSync(join(scratch(), 'run-'));
      const limits = { records: 100, pointsPerSeries: 64 };
      const whole = await openRun(join(scratch(), 'whole'));
      whole.ingest(bytes, 0, 1);
      await whole.finish(1);
      const first = await openRun(folder, spec, limits);
      const full = new Promise<string>((resolve) => first.onDidEnd(resolve));
      first.ingest(bytes, 0, 1);
      assert.equal(await full, 'full');
      first.dispose();
      const second = await openRun(folder, spec, limits);
      assert.equal(second.end, 'full');
      const { resumeOffset } = second;
      const { count = 0 } = second.summary('loss') ?? {};
      assert.ok(count > 100 && resumeOffset < bytes.length, 'some lines were read and some waited');
      second.ingest(bytes.subarray(resumeOffset), resumeOffset, 1);
      await second.finish(1);
      assert.deepEqual(second.summaries(), whole.summaries());
      assert.ok(second.series('loss').values.length < 100);
      for (const metrics of [whole, second]) metrics.dispose();
    });

    it('hide lines that wait when the metrics are cleared', async () => {
      const metrics = await openRun(mkdtempSync(join(scratch(), 'run-')));
      metrics.ingest(Buffer.from('loss=1\n'), 0, 1);
      metrics.clear();
      metrics.ingest(Buffer.from('loss=2\n'), 7, 1);
      await metrics.finish(1);
      assert.deepEqual([...metrics.series('loss').values], [2]);
      metrics.dispose();
    });
  });
});

const pointText = ({ metric, step, value }: MetricPoint): string =>
  `${metric}${Number.isNaN(step) ? '' : `@${step}`}=${value}`;
