/** A part of an axis. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Scales the range around `centre`; a factor below 1 zooms in. */
export const scaled = (range: Range, centre: number, factor: number): Range => ({
  from: centre - (centre - range.from) * factor,
  to: centre + (range.to - centre) * factor,
});

export const moved = (range: Range, by: number): Range => ({
  from: range.from + by,
  to: range.to + by,
});

/**
 * Limits a zoomed range to `full` and to a minimum size. Returns `undefined`, which means no zoom,
 * if the range covers nearly all of `full`.
 */
export function clampZoom(range: Range, full: Range): Range | undefined {
  const size = Math.min(range.to - range.from, full.to - full.from);
  if (size >= (full.to - full.from) * 0.999) return undefined;
  const smallest = Math.max((full.to - full.from) * 1e-7, Math.abs(full.to) * 1e-12);
  const clamped = Math.max(size, smallest);
  const from = Math.min(Math.max(range.from, full.from), full.to - clamped);
  return { from, to: from + clamped };
}

/** Returns a valid range from saved data; `undefined` for invalid data. */
export function rangeOf(value: unknown): Range | undefined {
  if (typeof value !== 'object' || value === null || !('from' in value && 'to' in value))
    return undefined;
  const { from, to } = value;
  return typeof from === 'number' && typeof to === 'number' && from < to ? { from, to } : undefined;
}
