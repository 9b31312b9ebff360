/**
 * Speed of reading metrics from output, against the plainest way of doing it, measured in turns on
 * the same bytes.
 */
import { createLineParser } from '../../src/metrics/lines/lineParser.ts';
import { LineSplitter } from '../../src/metrics/lines/lineSplitter.ts';
import { median, type Figure, type Size } from './figure.ts';

const names = ['loss', 'val_loss', 'accuracy', 'lr', 'grad_norm'];
const sizes = { full: { lines: 60_000, rounds: 7 }, tiny: { lines: 1_000, rounds: 1 } };
const chunkBytes = 64 * 1024;

const measuredLine = (step: number): string => {
  const loss = (3 / (1 + step / 1000)).toFixed(4);
  return (
    [
      `step=${step} loss=${loss} lr=3e-4 grad_norm=0.51`,
      `[2026-01-02 12:00:00] INFO step ${step}/100000 | loss: ${loss} | accuracy: 0.8123 | lr: 3.00e-04 | 41 ms/step`,
      `epoch=${Math.floor(step / 1000)}, step=${step}, loss=${loss}, val_loss=${loss}, accuracy=0.79`,
      `train: loss = ${loss}, grad_norm = 1.25e-01, tokens/s = 81234`,
    ][step % 4] ?? ''
  );
};

const otherLine = (step: number): string =>
  [
    `[2026-01-02 12:00:00,${step % 1000}] INFO worker ${step % 8} fetched shard ${step} and handed it to the trainer`,
    `saved checkpoint to out/ckpt-${step}.pt (1.2 GB)`,
    `/usr/lib/python3/site-packages/torch/optim/scheduler.py:143: UserWarning: call order of optimizer.step()`,
  ][step % 3] ?? '';

export async function benchParser(_folder: string, size: Size): Promise<Figure[]> {
  const { lines, rounds } = sizes[size];
  const dense = Array.from({ length: lines }, (_, step) => measuredLine(step));
  const usual = dense.map((line, step) => (step % 4 === 0 ? line : otherLine(step)));
  return Promise.resolve([
    ...compare('every line measures', dense, rounds),
    ...compare('one line in four measures', usual, rounds),
  ]);
}

/**
 * Measures processor time. The ratio is of medians of rounds taken in turns, so that what else the
 * machine does burdens both alike.
 */
function compare(title: string, lines: readonly string[], rounds: number): Figure[] {
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  const readers = { ours: readOurs, plain: readPlainly };
  const times: Record<keyof typeof readers, number[]> = { ours: [], plain: [] };
  for (let round = -1; round < rounds; round++) {
    for (const reader of ['ours', 'plain'] as const) {
      const started = process.cpuUsage();
      const points = readers[reader](bytes);
      const { user, system } = process.cpuUsage(started);
      if (round >= 0) times[reader].push((user + system) / 1000);
      if (points < lines.length / 4)
        throw new Error(`Only ${points} points in ${lines.length} lines`);
    }
  }
  const speed = (timesMs: readonly number[]): number => bytes.length / 1e3 / median(timesMs);
  return [
    { name: `bytes → points, ${title}`, value: speed(times.ours), unit: 'MB/s' },
    { name: `split + a regex per name, ${title}`, value: speed(times.plain), unit: 'MB/s' },
    {
      name: `ours is so many times as fast, ${title}`,
      value: median(times.plain) / median(times.ours),
      unit: '×',
      aim: { atLeast: 1 },
    },
  ];
}

/** As output arrives: in chunks that end anywhere. */
function readOurs(bytes: Buffer): number {
  const parser = createLineParser({ names });
  const splitter = new LineSplitter(0);
  let points = 0;
  const count = (): void => {
    points++;
  };
  const { shapes } = parser;
  const parse = (line: string): void => parser.parse(line, count);
  const matcher = shapes && {
    match: (chunk: DataView, text: string, start: number) => shapes.match(chunk, text, start),
    onMatch: () => shapes.emit(count),
  };
  for (let at = 0; at < bytes.length; at += chunkBytes)
    splitter.push(bytes.subarray(at, at + chunkBytes), parse, matcher);
  splitter.end(parse);
  return points;
}

/**
 * Knows neither steps nor NaN, JSON, colours or progress bars, and takes the first value of a name
 * in a line.
 */
function readPlainly(bytes: Buffer): number {
  const expressions = names.map(
    (name) =>
      new RegExp(`(?:^|[\\s,])${name}\\s*[=:]\\s*([+-]?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)`, 'i'),
  );
  let points = 0;
  for (const line of bytes.toString('utf8').split('\n')) {
    for (const expression of expressions) {
      const match = expression.exec(line);
      if (match !== null && Number.isFinite(Number(match[1]))) points++;
    }
  }
  return points;
}
