/** What reading and keeping metrics costs: real lines, real files, one process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLineParser } from '../../src/metrics/lines/lineParser.ts';
import type { MetricSpec } from '../../src/metrics/metric.ts';
import { RunMetrics } from '../../src/metrics/runMetrics.ts';
import type { Size } from './figure.ts';

const sizes = {
  full: { points: 1_000_000, parsed: 100_000, rounds: 5 },
  tiny: { points: 20_000, parsed: 2_000, rounds: 1 },
};
const linesPerChunk = 10_000;

type Terms = (typeof sizes)['full'];

const logLine = (step: number): string =>
  step % 4 === 0
    ? `step ${step}/100000 | loss: ${(3 / (step + 1)).toFixed(4)} | acc: 0.8123 | lr: 1.00e-04 | grad_norm: 0.51`
    : `[2026-01-02 12:00:00,${step % 1000}][INFO] worker ${step % 8} fetched a batch and handed it to the trainer`;

/**
 * MB/s of the parser with five names and in detection, points per second from bytes to memory and
 * disk (also per second of processor time, which a busy machine does not distort), bytes of memory
 * per point, and the time to open the points again. Repeated measures give the best round: noise
 * only slows down.
 */
export async function benchMetrics(size: Size): Promise<Record<string, number | string>> {
  const terms = sizes[size];
  const folder = await mkdtemp(join(tmpdir(), 'bench-metrics-'));
  try {
    const names = ['loss', 'acc', 'lr', 'grad_norm', 'val_loss'];
    return {
      parserNamesMBps: parserSpeed({ names }, terms),
      parserDetectionMBps: parserSpeed({}, terms),
      ...(await storeCost(folder, terms)),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function parserSpeed(spec: MetricSpec, { parsed, rounds }: Terms): number {
  const lines = Array.from({ length: parsed }, (_, step) => logLine(step));
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const parser = createLineParser(spec);
  const ignore = (): void => undefined;
  const times = Array.from({ length: rounds }, () => {
    const startedMs = performance.now();
    for (const line of lines) parser.parse(line, ignore);
    return performance.now() - startedMs;
  });
  return rounded(bytes / 1e3 / Math.min(...times));
}

async function storeCost(
  folder: string,
  { points, rounds }: Terms,
): Promise<Record<string, number | string>> {
  const spec: MetricSpec = { names: ['loss'] };
  const before = memoryBytes();
  const metrics = await RunMetrics.open(folder, spec);
  let ingestMs = 0;
  let ingestCpuMs = 0;
  for (let first = 0; first < points; first += linesPerChunk) {
    const lines = Array.from(
      { length: linesPerChunk },
      (_, i) => `step ${first + i} loss=${1 / (first + i + 1)}\n`,
    );
    const chunk = Buffer.from(lines.join(''));
    const startedMs = performance.now();
    const startedCpu = process.cpuUsage();
    metrics.ingest(chunk, metrics.resumeOffset, first);
    const { user, system } = process.cpuUsage(startedCpu);
    ingestMs += performance.now() - startedMs;
    ingestCpuMs += (user + system) / 1000;
  }
  const memory = memoryBytes() - before;
  metrics.dispose();
  const openings: number[] = [];
  for (let round = 0; round < rounds; round++) openings.push(await openMs(folder, spec, points));
  return {
    ingestPointsPerSecond: Math.round((points / ingestMs) * 1000),
    ingestPointsPerCpuSecond: Math.round((points / ingestCpuMs) * 1000),
    memoryBytesPerPoint: rounded(memory / points),
    memoryMethod: globalThis.gc
      ? 'heap and buffers after a collection'
      : 'buffers only: run with --expose-gc for the heap',
    points,
    openMs: rounded(Math.min(...openings)),
  };
}

async function openMs(folder: string, spec: MetricSpec, points: number): Promise<number> {
  const startedMs = performance.now();
  const metrics = await RunMetrics.open(folder, spec);
  const tookMs = performance.now() - startedMs;
  const { count = 0 } = metrics.summary('loss') ?? {};
  metrics.dispose();
  if (count !== points) throw new Error(`${count} points instead of ${points}`);
  return tookMs;
}

/**
 * Without a forced collection the heap holds garbage; the columns of points are buffers, which are
 * freed with it.
 */
function memoryBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return globalThis.gc ? heapUsed + arrayBuffers : arrayBuffers;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
