/** Labels below the overview: round clock times, or step numbers. */
import type { TrackAxis } from '../../src/protocol/sessionView.ts';
import { formatX, timeStep } from '../shared/format.ts';
import type { Range } from '../shared/range.ts';

export interface AxisLabel {
  readonly at: number;
  readonly text: string;
}

/** Returns at most `max` + 1 labels, evenly spaced. */
export function axisLabels(axis: TrackAxis, shown: Range, max: number): AxisLabel[] {
  const size = shown.to - shown.from;
  const stepSize = axis === 'time' ? (timeStep(size, max) ?? size / max) : niceStep(size / max);
  // Aligns labels to full hours in the local time zone.
  const offset = axis === 'time' ? new Date(shown.from).getTimezoneOffset() * 60_000 : 0;
  const labels: AxisLabel[] = [];
  // Positions on the axis of steps start at 0, the displayed step numbers at 1.
  const shift = axis === 'time' ? offset : -1;
  const first = Math.ceil((shown.from - shift) / stepSize) * stepSize + shift;
  for (let at = first; at <= shown.to && labels.length <= max; at += stepSize)
    labels.push({ at, text: axis === 'time' ? timeLabel(at, stepSize) : formatX(at + 1, 'step') });
  return labels;
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  return Math.max(
    1,
    [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? 1,
  );
}

const dayMs = 86_400_000;
const two = (part: number): string => String(part).padStart(2, '0');

function timeLabel(at: number, stepMs: number): string {
  const time = new Date(at);
  if (stepMs >= dayMs) return `${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return stepMs < 60_000 ? `${clock}:${two(time.getSeconds())}` : clock;
}
