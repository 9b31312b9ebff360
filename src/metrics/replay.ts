import type { MetricPoint } from './metric.ts';
import type { MetricTracks } from './metricTracks.ts';
import { readRecord, recordBytes } from './disk/pointRecord.ts';
import type { PointsFile } from './disk/pointsFile.ts';
import { readRecords } from './disk/storedRecords.ts';

/** Receives the points that `replay` reads. */
export interface ReplaySink {
  onPoints(points: readonly MetricPoint[]): void;
  /** Called before later points are announced, so that no point is missed or received twice. */
  onEnd(): void;
}

export interface ReplaySource {
  readonly file: PointsFile;
  readonly tracks: MetricTracks;
  /** Position in the file of the first record to read. */
  readonly from: number;
}

/**
 * Reads the shown points from the disk, in the order of the output, up to those that are added
 * meanwhile. Rejects with an error of the system.
 */
export async function replay(source: ReplaySource, sink: ReplaySink): Promise<void> {
  const { file, from } = source;
  let next = from;
  while (next < file.stored.records) {
    for await (const { view, count } of readRecords(file.stored, next)) {
      sink.onPoints(shownPoints(source, view, count));
      next += count;
    }
  }
  sink.onEnd();
}

function shownPoints({ file, tracks }: ReplaySource, view: DataView, count: number): MetricPoint[] {
  const points: MetricPoint[] = [];
  for (let at = 0; at < count; at++) {
    const record = readRecord(view, at * recordBytes);
    if (record?.kind !== 'point') continue;
    const { step, timeMs, value } = record;
    const metric = file.nameAt(record.name);
    if (tracks.get(metric)?.isShown === true) points.push({ metric, step, timeMs, value });
  }
  return points;
}
