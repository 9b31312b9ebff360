import type { PointsFileEnd } from '../../metrics/disk/pointsFile.ts';
import type { Finding } from '../../watchdogs/finding.ts';

const reasons: Readonly<Record<PointsFileEnd, string>> = {
  full: 'its file of metric points has reached its maximum size',
  unwritable: 'its metric points cannot be written to the disk',
};

/** Returns the alarm for a run whose further metric points are no longer stored on disk. */
export const pointsAlarm = (end: PointsFileEnd): Finding => ({
  kind: 'points',
  detail:
    `${reasons[end]}, so later points are not stored. Latest, best, lowest and highest values and ` +
    'counts stay exact, and targets and watchdogs still work; charts and exports of later points ' +
    'show only a sample. Print metrics less often',
  action: 'warn',
});
