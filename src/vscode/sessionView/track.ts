/** The overview strip of the session view, computed for the strip's width in pixels. */
import type {
  RowKind,
  Tone,
  TrackAnswer,
  TrackBar,
  TrackMark,
  TrackQuery,
  TrackSpan,
} from '../../protocol/sessionView.ts';
import type { Bar, Step, Timeline } from './timeline.ts';

/**
 * Kinds of steps without a mark in the overview: turns have separate ticks, tool calls are too
 * many, runs are drawn as bars, and sleeps as spans.
 */
const unmarked: ReadonlySet<RowKind> = new Set([
  'start',
  'turn',
  'tool',
  'run',
  'runEnd',
  'sleep',
  'wake',
]);

interface View {
  readonly query: TrackQuery;
  readonly steps: readonly Step[];
  readonly from: number;
  readonly to: number;
  /** Size of a pixel in units of the axis: milliseconds or steps. */
  readonly size: number;
  position(row: number): number;
}

/** Returns the overview for a query. `nowMs`: time at which the bars of running runs end. */
export function trackAnswer(timeline: Timeline, query: TrackQuery, nowMs: number): TrackAnswer {
  const full = fullRange(timeline.steps, query, nowMs);
  const { from, to } = within(query, full);
  const { steps } = timeline;
  const size = Math.max((to - from) / query.pixels, Number.MIN_VALUE);
  const position = (row: number): number =>
    query.axis === 'step' ? row : (steps[row]?.row.atMs ?? to);
  const view: View = { query, steps, from, to, size, position };
  const bars = timeline.bars.map((bar) => placed(bar, view, full.to));
  return {
    axis: query.axis,
    from,
    to,
    full,
    lanes: 1 + timeline.bars.reduce((max, { lane }) => Math.max(max, lane), -1),
    bars: mergedBars(bars, view),
    sleeps: sleepsOf(view, full.to),
    marks: marksOf(view),
    turns: turnsOf(view),
    money: moneyOf(view),
  };
}

function fullRange(
  steps: readonly Step[],
  { axis }: TrackQuery,
  nowMs: number,
): { from: number; to: number } {
  if (axis === 'step') return { from: 0, to: Math.max(1, steps.length - 1) };
  const from = steps[0]?.row.atMs ?? nowMs;
  return { from, to: Math.max(from + 1000, nowMs) };
}

function within(
  { from, to }: TrackQuery,
  full: { from: number; to: number },
): { from: number; to: number } {
  const start = Math.max(full.from, Math.min(from ?? full.from, full.to));
  const end = Math.min(full.to, Math.max(to ?? full.to, full.from));
  return end > start ? { from: start, to: end } : full;
}

function placed(bar: Bar, { query, position }: View, end: number): TrackBar {
  const isTime = query.axis === 'time';
  const from = isTime ? bar.startMs : bar.fromRow;
  const to = isTime ? (bar.endMs ?? end) : bar.toRow === undefined ? end : position(bar.toRow);
  const name = bar.label === '' ? bar.name : `${bar.name} · ${bar.label}`;
  return {
    lane: bar.lane,
    from,
    to: Math.max(from, to),
    tone: bar.tone,
    count: 1,
    failed: bar.tone === 'bad' ? 1 : 0,
    row: bar.fromRow,
    name,
  };
}

/**
 * Merges bars of the same lane that are less than a pixel apart if the later bar is shorter than
 * two pixels or overlaps the earlier bar.
 */
function mergedBars(bars: readonly TrackBar[], { from, to, size }: View): TrackBar[] {
  const merged: TrackBar[] = [];
  const lastOf = new Map<number, number>();
  const tonesOf = new Map<number, Map<Tone, number>>();
  for (const bar of bars) {
    if (bar.to < from || bar.from > to) continue;
    const index = lastOf.get(bar.lane);
    const last = index === undefined ? undefined : merged[index];
    if (index !== undefined && last !== undefined && canMerge(last, bar, size)) {
      const counts = tonesOf.get(index) ?? new Map<Tone, number>([[last.tone, 1]]);
      tonesOf.set(index, counts.set(bar.tone, (counts.get(bar.tone) ?? 0) + 1));
      merged[index] = {
        ...last,
        to: Math.max(last.to, bar.to),
        tone: mostFrequent(counts),
        count: last.count + 1,
        failed: last.failed + bar.failed,
      };
      continue;
    }
    lastOf.set(bar.lane, merged.length);
    merged.push(bar);
  }
  return merged;
}

/** Returns the tone of most runs; of tones that are equally frequent, the worst. */
const mostFrequent = (counts: ReadonlyMap<Tone, number>): Tone =>
  [...counts].reduce(([tone, count], [other, more]) =>
    more > count || (more === count && worse(tone, other) === other)
      ? [other, more]
      : [tone, count],
  )[0];

const canMerge = (last: TrackBar, bar: TrackBar, size: number): boolean =>
  bar.from - last.to < size && (bar.to - bar.from < 2 * size || bar.from < last.to);

const tones: readonly Tone[] = ['plain', 'muted', 'good', 'busy', 'warn', 'bad'];
const worse = (one: Tone, other: Tone): Tone =>
  tones.indexOf(other) > tones.indexOf(one) ? other : one;

function sleepsOf(view: View, end: number): TrackSpan[] {
  const { steps, from, to, size, position } = view;
  const spans: TrackSpan[] = [];
  steps.forEach(({ row }, index) => {
    if (row.kind !== 'sleep') return;
    const start = position(index);
    // On the step axis, a sleep has the same length as any other step.
    const stop = view.query.axis === 'step' ? Math.min(end, index + 1) : (row.endMs ?? end);
    if (stop < from || start > to) return;
    const last = spans.at(-1);
    if (last !== undefined && start - last.to < size && stop - start < 2 * size)
      spans[spans.length - 1] = { ...last, to: stop };
    else spans.push({ from: start, to: stop, why: row.title });
  });
  return spans;
}

function marksOf({ steps, from, to, size, position }: View): TrackMark[] {
  const marks = new Map<string, TrackMark>();
  steps.forEach(({ row }, index) => {
    if (unmarked.has(row.kind)) return;
    const at = position(index);
    if (at < from || at > to) return;
    const key = `${row.kind} ${Math.floor((at - from) / size / 4)}`;
    const mark = marks.get(key);
    if (mark === undefined)
      marks.set(key, {
        at,
        kind: row.kind,
        tone: row.tone,
        count: 1,
        row: index,
        title: row.title,
      });
    else marks.set(key, { ...mark, tone: worse(mark.tone, row.tone), count: mark.count + 1 });
  });
  return [...marks.values()];
}

function turnsOf({ steps, from, to, size, position }: View): Float64Array {
  const turns: number[] = [];
  steps.forEach(({ row }, index) => {
    const at = position(index);
    if (row.kind !== 'turn' || at < from || at > to) return;
    if (at - (turns.at(-1) ?? Number.NEGATIVE_INFINITY) >= size) turns.push(at);
  });
  return Float64Array.from(turns);
}

/**
 * Returns the curve of the session's cumulative cost, with about one point per pixel: the last of
 * the pixel's points, which is also the highest because the cost never decreases.
 */
function moneyOf({ steps, from, to, size, position }: View): TrackAnswer['money'] {
  const x: number[] = [];
  const usd: number[] = [];
  steps.forEach(({ row }, index) => {
    const at = position(index);
    if (at > to) return;
    if (at < from || (x.length > 1 && at - (x.at(-2) ?? at) < size)) {
      x.splice(-1, 1, Math.max(at, from));
      usd.splice(-1, 1, row.usd);
      return;
    }
    x.push(at);
    usd.push(row.usd);
  });
  return { x: Float64Array.from(x), usd: Float64Array.from(usd) };
}
