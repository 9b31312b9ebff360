/** The measures of `metrics.ts` as figures with their aims. */
import { shortCount, type Figure, type Size } from './figure.ts';
import { benchMetrics } from './metrics.ts';

export async function benchMetricStore(_folder: string, size: Size): Promise<Figure[]> {
  const measured = await benchMetrics(size);
  const value = (name: string): number => {
    const found = measured[name];
    if (typeof found !== 'number') throw new Error(`metrics.ts does not measure ${name}.`);
    return found;
  };
  const points = shortCount(value('points'));
  return [
    {
      name: 'ingest, bytes → memory and disk',
      value: value('ingestPointsPerSecond'),
      unit: 'points/s',
    },
    {
      name: 'ingest, per second of processor',
      value: value('ingestPointsPerCpuSecond'),
      unit: 'points/s',
      aim: { atLeast: 1_000_000 },
    },
    {
      name: `memory per point, at ${points} points`,
      value: value('memoryBytesPerPoint'),
      unit: 'bytes',
      aim: { atMost: 64 },
    },
    {
      name: `reading ${points} points back, best of ${size === 'full' ? 5 : 1}`,
      value: value('openMs'),
      unit: 'ms',
    },
    { name: 'lines → points, five names', value: value('parserNamesMBps'), unit: 'MB/s' },
    { name: 'lines → points, detection', value: value('parserDetectionMBps'), unit: 'MB/s' },
  ];
}
