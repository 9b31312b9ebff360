/** The measures of `metrics.ts` as figures with their aims. */
import type { Figure } from './figure.ts';
import { benchMetrics } from './metrics.ts';

export async function benchMetricStore(): Promise<Figure[]> {
  const measured = await benchMetrics();
  const value = (name: string): number => {
    const found = measured[name];
    if (typeof found !== 'number') throw new Error(`metrics.ts does not measure ${name}.`);
    return found;
  };
  return [
    { name: 'ingest, bytes → memory and disk', value: value('ingestPointsPerSecond'), unit: 'points/s' },
    { name: 'ingest, per second of processor', value: value('ingestPointsPerCpuSecond'), unit: 'points/s' },
    {
      name: 'memory per point, at 1M points',
      value: value('memoryBytesPerPoint'),
      unit: 'bytes',
      aim: { atMost: 64 },
    },
    { name: 'reading 1M points back, best of 5', value: value('openMillionPointsMs'), unit: 'ms' },
    { name: 'lines → points, five names', value: value('parserNamesMBps'), unit: 'MB/s' },
    { name: 'lines → points, detection', value: value('parserDetectionMBps'), unit: 'MB/s' },
  ];
}
