import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { WriteAt } from '../../../src/metrics/disk/appendOnly.ts';
import { MetricSpecError } from '../../../src/metrics/lines/metricSpec.ts';
import type { MetricPoint, MetricSpec } from '../../../src/metrics/metric.ts';
import { MetricsError } from '../../../src/metrics/metricsError.ts';
import { RunMetrics } from '../../../src/metrics/runMetrics.ts';
import { randomCuts, seededRandom } from './randomCuts.ts';

const spec: MetricSpec = { names: ['loss', 'acc'] };
const output = [
  'step 1 loss=1.5 acc=0.25 ✓',
  'nothing here',
  '10%|█  | 1/10 [00:01<00:09] loss=1.25\r20%|██ | 2/10 [00:02<00:08] loss=nan acc=0.5\r\n',
  'step 2 loss=0.75 acc=0.75',
  '{"step": 3, "loss": 0.5, "acc": Infinity}',
  'step 4 loss=0.25',
].join('\n');
const bytes = Buffer.from(output);
/** Of `output`, with its unterminated last line. */
const expected = { loss: [1.5, 1.25, NaN, 0.75, 0.5, 0.25], acc: [0.25, 0.5, 0.75, Infinity] };

const opened: RunMetrics[] = [];
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-metrics-'));
});

afterEach(() => {
  for (const metrics of opened.splice(0)) metrics.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function open(inFolder = folder, wanted = spec, write?: WriteAt): Promise<RunMetrics> {
  const metrics = await RunMetrics.open(inFolder, wanted, write && { write });
  opened.push(metrics);
  return metrics;
}

const valuesOf = (metrics: RunMetrics): Record<string, number[]> =>
  Object.fromEntries(
    metrics.names().map((name) => [name, Array.from(metrics.series(name).values)]),
  );

async function feedRest(metrics: RunMetrics, all: Uint8Array): Promise<void> {
  metrics.ingest(all.subarray(metrics.resumeOffset), metrics.resumeOffset, 5);
  await metrics.finish(6);
}

const reasonIs = (reason: string) => (error: unknown) =>
  error instanceof MetricsError && error.reason === reason;

describe('Metrics of a run', () => {
  it('reads points with step, time and order, and announces them once', async () => {
    const metrics = await open();
    const announced: MetricPoint[] = [];
    metrics.onDidAdd((points) => announced.push(...points));
    const first = metrics.ingest(bytes, 0, 1000);
    const last = await metrics.finish(2000);
    assert.deepEqual(valuesOf(metrics), expected);
    assert.deepEqual(Array.from(metrics.series('loss').steps), [1, 1, 2, 2, 3, 4]);
    assert.deepEqual(
      Array.from(metrics.series('loss').timesMs),
      [1000, 1000, 1000, 1000, 1000, 2000],
    );
    assert.deepEqual(announced, [...first, ...last]);
    assert.deepEqual(last, [{ metric: 'loss', step: 4, timeMs: 2000, value: 0.25 }]);
    assert.equal(metrics.resumeOffset, bytes.length);
  });

  it('gives the same points and the same files however the bytes arrive', async () => {
    const random = seededRandom(3);
    const points: Buffer[] = [];
    for (let round = 0; round < 25; round++) {
      const own = join(folder, String(round));
      const metrics = await open(own);
      let offset = 0;
      for (const chunk of round === 0 ? [bytes] : randomCuts(bytes, random, 40)) {
        metrics.ingest(chunk, offset, 1);
        offset += chunk.length;
      }
      await metrics.finish(1);
      assert.deepEqual(valuesOf(metrics), expected);
      points.push(readFileSync(join(own, 'points.bin')));
      metrics.dispose();
    }
    assert.ok(points.every((file) => file.equals(points[0] ?? Buffer.alloc(0))));
  });

  it('knows everything again after a restart', async () => {
    const before = await open();
    await feedRest(before, bytes);
    before.dispose();
    const after = await open();
    assert.deepEqual(valuesOf(after), expected);
    assert.deepEqual(after.summaries(), before.summaries());
    assert.deepEqual(after.series('acc'), before.series('acc'));
    assert.equal(after.resumeOffset, bytes.length);
    assert.deepEqual(after.problems, []);
    await feedRest(after, bytes);
    assert.deepEqual(valuesOf(after), expected);
  });

  it('continues a table after a restart', async () => {
    const table = Buffer.from('epoch  loss  acc\n1  0.5  0.6\n2  0.4  0.5\n');
    const before = await open();
    before.ingest(table.subarray(0, 32), 0, 1);
    before.dispose();
    const after = await open();
    after.ingest(table.subarray(after.resumeOffset), after.resumeOffset, 1);
    await after.finish(1);
    assert.deepEqual(Array.from(after.series('acc').values), [0.6, 0.5]);
    assert.deepEqual(Array.from(after.series('loss').steps), [1, 2]);
  });

  it('neither loses nor doubles a point when the file is torn at any byte', async () => {
    const whole = join(folder, 'whole');
    await feedRest(await open(whole), bytes);
    const size = readFileSync(join(whole, 'points.bin')).length;
    const inHead = Array.from({ length: 60 }, (_, kept) => kept);
    const inTail = Array.from({ length: 130 }, (_, cut) => size - 1 - cut);
    for (const kept of [...inHead, ...inTail]) {
      const torn = join(folder, String(kept));
      mkdirSync(torn);
      copyFileSync(join(whole, 'points.names'), join(torn, 'points.names'));
      copyFileSync(join(whole, 'points.bin'), join(torn, 'points.bin'));
      truncateSync(join(torn, 'points.bin'), kept);
      const metrics = await open(torn);
      await feedRest(metrics, bytes);
      assert.deepEqual(valuesOf(metrics), expected, `torn at ${kept}`);
      metrics.dispose();
      assert.deepEqual(valuesOf(await open(torn)), expected, `torn at ${kept}, opened again`);
      opened.pop()?.dispose();
    }
  });

  it('reads an interrupted stream to the same points, wherever it stops', async () => {
    for (let stop = 0; stop <= bytes.length; stop += 7) {
      const own = join(folder, String(stop));
      const first = await open(own);
      first.ingest(bytes.subarray(0, stop), 0, 1);
      first.dispose();
      const second = await open(own);
      assert.ok(second.resumeOffset <= stop);
      await feedRest(second, bytes);
      assert.deepEqual(valuesOf(second), expected, `stopped at ${stop}`);
      second.dispose();
    }
  });

  it('skips bytes that it has seen and refuses a gap', async () => {
    const metrics = await open();
    metrics.ingest(bytes.subarray(0, 50), 0, 1);
    assert.deepEqual(metrics.ingest(bytes.subarray(0, 50), 0, 1), []);
    metrics.ingest(bytes.subarray(20), 20, 1);
    await metrics.finish(1);
    assert.deepEqual(valuesOf(metrics), expected);
    assert.throws(() => metrics.ingest(bytes, bytes.length + 1, 1), reasonIs('gap'));
    assert.equal(metrics.resumeOffset, bytes.length);
  });

  it('reads on after damage, keeps what it cut off, and says so', async () => {
    await feedRest(await open(), bytes);
    const path = join(folder, 'points.bin');
    const file = readFileSync(path);
    file.fill(0, 16 + 3 * 40, 16 + 3 * 40 + 8);
    writeFileSync(path, file);
    const metrics = await open();
    assert.match(metrics.problems.join('\n'), /not a complete line/);
    assert.deepEqual(readFileSync(path), file, 'reading changes nothing');
    await feedRest(metrics, bytes);
    assert.deepEqual(readFileSync(join(folder, 'points.cut')), file.subarray(16 + 3 * 40));
    assert.deepEqual(valuesOf(metrics), expected);
  });

  it('does not take a foreign file for its own', async () => {
    writeFileSync(join(folder, 'points.bin'), 'something else, longer than a header');
    const metrics = await open();
    assert.equal(metrics.problems.length, 1);
    await feedRest(metrics, bytes);
    assert.match(readFileSync(join(folder, 'points.cut'), 'utf8'), /^something else/);
    metrics.dispose();
    const again = await open();
    assert.deepEqual(valuesOf(again), expected);
    assert.deepEqual(again.problems, []);
  });

  it('keeps the points under a name of their own when the names are damaged', async () => {
    await feedRest(await open(), bytes);
    writeFileSync(join(folder, 'points.names'), Buffer.from([0x6c, 0xff, 0x0a, 0x61]));
    const metrics = await open();
    assert.deepEqual(valuesOf(metrics), { metric_0: expected.loss, metric_1: expected.acc });
    assert.equal(metrics.problems.length, 3);
    metrics.ingest(Buffer.from('\nloss=7\n'), bytes.length, 9);
    metrics.dispose();
    assert.deepEqual(valuesOf(await open()), {
      metric_0: expected.loss,
      metric_1: expected.acc,
      loss: [7],
    });
  });

  it('forgets cleared points, also after a restart, and goes on collecting', async () => {
    const metrics = await open();
    metrics.ingest(Buffer.from('loss=1\nloss=2\nloss'), 0, 1);
    metrics.clear();
    assert.deepEqual(metrics.names(), []);
    assert.equal(metrics.summary('loss'), undefined);
    metrics.ingest(Buffer.from('=3\n'), 18, 2);
    assert.deepEqual(valuesOf(metrics), { loss: [3] });
    const size = readFileSync(join(folder, 'points.bin')).length;
    assert.equal(size, 16 + 4 * 40);
    metrics.dispose();
    const again = await open();
    assert.deepEqual(valuesOf(again), { loss: [3] });
    assert.equal(again.resumeOffset, 21);
  });

  it('loses nothing when the disk is full for a while, at whatever byte', async () => {
    for (let room = 0; room < 300; room += 13) {
      let left = room;
      const write: WriteAt = (fd, chunk, position) => {
        if (left <= 0)
          throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
        const part = chunk.subarray(0, left);
        left -= part.length;
        return writeSync(fd, part, 0, part.length, position);
      };
      const own = join(folder, String(room));
      const metrics = await open(own, spec, write);
      const announced: MetricPoint[] = [];
      metrics.onDidAdd((points) => announced.push(...points));
      assert.throws(() => metrics.ingest(bytes, 0, 1), reasonIs('no_space'));
      assert.deepEqual(announced, []);
      assert.equal(metrics.series('loss').values.length, 5);
      cpSync(own, join(folder, `${room}-copy`), { recursive: true });
      const crashed = await open(join(folder, `${room}-copy`));
      await feedRest(crashed, bytes);
      assert.deepEqual(valuesOf(crashed), expected, `crashed with room for ${room}`);
      crashed.dispose();
      left = Infinity;
      await metrics.finish(1);
      assert.equal(announced.length, 10);
      assert.deepEqual(valuesOf(metrics), expected);
      metrics.dispose();
      assert.deepEqual(valuesOf(await open(own)), expected, `room for ${room}`);
      opened.pop()?.dispose();
    }
  });

  it('is read by another process without harm while it is written', async () => {
    const writer = await open();
    const reader = async (): Promise<Record<string, number[]>> => {
      const metrics = await open();
      const values = valuesOf(metrics);
      metrics.dispose();
      return values;
    };
    assert.deepEqual(await reader(), {});
    assert.ok(!existsSync(join(folder, 'points.bin')));
    writer.ingest(bytes.subarray(0, 100), 0, 1);
    appendFileSync(join(folder, 'points.bin'), 'half a record');
    assert.deepEqual(await reader(), valuesOf(writer));
    await feedRest(writer, bytes);
    assert.deepEqual(valuesOf(writer), expected);
    assert.deepEqual(await reader(), expected);
  });

  it('says that a folder cannot be used', async () => {
    writeFileSync(join(folder, 'file'), '');
    await assert.rejects(RunMetrics.open(join(folder, 'file'), spec), reasonIs('io'));
    const missing = join(folder, 'not made');
    await assert.rejects(RunMetrics.open(missing, { patterns: { loss: '(' } }), MetricSpecError);
    assert.ok(!existsSync(missing));
  });

  it('cannot be fed once it is closed', async () => {
    const metrics = await open();
    metrics.ingest(Buffer.from('loss=1\n'), 0, 1);
    metrics.dispose();
    metrics.dispose();
    assert.throws(() => metrics.ingest(Buffer.from('loss=2\n'), 7, 1), reasonIs('closed'));
    assert.deepEqual(valuesOf(metrics), { loss: [1] });
  });

  it('does not read megabytes without points again after a restart', async () => {
    const metrics = await open();
    const chunk = Buffer.from('a line without any metric\n'.repeat(4096));
    for (let offset = 0; offset < 30 * chunk.length; offset += chunk.length)
      metrics.ingest(chunk, offset, 1);
    const { resumeOffset } = metrics;
    metrics.dispose();
    const again = await open();
    assert.ok(resumeOffset - again.resumeOffset < 1024 * 1024 + chunk.length);
    assert.deepEqual(again.names(), []);
  });
});

describe('Summaries of a run', () => {
  it('are over finite values, know the better extreme and the first value that is none', async () => {
    const metrics = await open();
    await feedRest(metrics, bytes);
    assert.deepEqual(metrics.summary('loss'), {
      metric: 'loss',
      count: 6,
      last: 0.25,
      lastStep: 4,
      min: 0.25,
      max: 1.5,
      mean: 0.85,
      best: 0.25,
      direction: 'lower',
      firstNonFinite: { index: 2, step: 2, value: NaN },
    });
    assert.equal(metrics.summary('acc')?.best, 0.75);
    assert.equal(metrics.summary('other'), undefined);
    assert.equal(metrics.series('other').values.length, 0);
  });

  it('are the same list until a point is added, or the points are hidden', async () => {
    const metrics = await open();
    metrics.ingest(Buffer.from('step 1 loss=1\n'), 0, 1);
    const first = metrics.summaries();
    metrics.ingest(Buffer.from('nothing\n'), metrics.resumeOffset, 1);
    assert.equal(metrics.summaries(), first);
    metrics.ingest(Buffer.from('step 2 loss=0.5\n'), metrics.resumeOffset, 1);
    assert.equal(metrics.summaries()[0]?.last, 0.5);
    assert.equal(first[0]?.last, 1);
    metrics.clear();
    assert.deepEqual(metrics.summaries(), []);
  });

  it('follow the directions of the spec', async () => {
    const metrics = await open(folder, { names: ['acc'], directions: { ACC: 'lower' } });
    metrics.ingest(Buffer.from('acc=1\nacc=2\n'), 0, 1);
    assert.equal(metrics.summary('acc')?.best, 1);
  });

  it('give the trend of points that came in one batch in their order', async () => {
    const metrics = await open();
    metrics.ingest(
      Buffer.from(Array.from({ length: 30 }, (_, i) => `loss=${1 / (i + 1)}\n`).join('')),
      0,
      1,
    );
    assert.equal(metrics.trend('loss'), 'decreasing');
    assert.equal(metrics.summary('loss')?.last, 1 / 30);
  });
});

describe('Detected metrics of a run', () => {
  it('show a name that is not known from its second line on, with its first point', async () => {
    const metrics = await open(folder, {});
    const announced: string[] = [];
    metrics.onDidAdd((points) =>
      announced.push(...points.map(({ metric, value }) => `${metric}=${value}`)),
    );
    metrics.ingest(Buffer.from('hidden_size=128 foo=1 loss=3\n'), 0, 1);
    assert.deepEqual(metrics.names(), ['loss']);
    assert.equal(metrics.summary('foo'), undefined);
    metrics.dispose();
    const again = await open(folder, {});
    again.onDidAdd((points) =>
      announced.push(...points.map(({ metric, value }) => `${metric}=${value}`)),
    );
    again.ingest(Buffer.from('foo=2 loss=2\n'), again.resumeOffset, 2);
    assert.deepEqual(valuesOf(again), { foo: [1, 2], loss: [3, 2] });
    assert.deepEqual(announced, ['loss=3', 'foo=1', 'foo=2', 'loss=2']);
    again.clear();
    again.ingest(Buffer.from('foo=4\n'), again.resumeOffset, 3);
    again.ingest(Buffer.from('foo=5\n'), again.resumeOffset, 3);
    assert.deepEqual(announced.slice(4), ['foo=4', 'foo=5']);
  });

  it('are bounded in number', async () => {
    const metrics = await open(folder, {});
    const lines = Array.from({ length: 5000 }, (_, i) => `name_${i}=1\nname_${i}=2\n`).join('');
    metrics.ingest(Buffer.from(lines), 0, 1);
    assert.equal(metrics.names().length, 2000);
  });
});

describe('Bursts', () => {
  it('of a million lines give a million points, unterminated last line and all', async () => {
    const metrics = await open(folder, { names: ['loss'] });
    const lineCount = 1_000_000;
    const perChunk = 20_000;
    let seen = 0;
    metrics.onDidAdd((points) => (seen += points.length));
    for (let first = 0; first < lineCount; first += perChunk) {
      const text = Array.from({ length: perChunk }, (_, i) => `loss=${first + i}`).join('\n');
      metrics.ingest(
        Buffer.from(first + perChunk < lineCount ? `${text}\n` : text),
        metrics.resumeOffset,
        first,
      );
    }
    await metrics.finish(lineCount);
    assert.equal(seen, lineCount);
    assert.equal(metrics.summary('loss')?.count, lineCount);
    let next = 0;
    for await (const { values } of metrics.points('loss'))
      for (const value of values) if (value === next) next++;
    assert.equal(next, lineCount);
  });

  it('are appended to a file that somebody else began', async () => {
    const first = await open();
    first.ingest(Buffer.from('loss=1\n'), 0, 1);
    first.dispose();
    appendFileSync(join(folder, 'points.bin'), Buffer.alloc(100));
    const second = await open();
    second.ingest(Buffer.from('loss=2\n'), 7, 1);
    second.dispose();
    assert.deepEqual(valuesOf(await open()), { loss: [1, 2] });
  });
});
