/** Part of a list that is scrolled by `top` pixels and `height` pixels high. */
export interface ListPlace {
  readonly top: number;
  readonly height: number;
  /** Number of rows. */
  readonly total: number;
  /** Height of a row in pixels. */
  readonly rowHeight: number;
  /** Number of rows to draw above and below the visible rows. */
  readonly spareRows: number;
}

/** Returns the range of rows to draw. `to` is exclusive. */
export function windowOf({ top, height, total, rowHeight, spareRows }: ListPlace): {
  readonly from: number;
  readonly to: number;
} {
  const from = Math.max(0, Math.min(total, Math.floor(top / rowHeight)) - spareRows);
  return {
    from,
    to: Math.max(from, Math.min(total, Math.ceil((top + height) / rowHeight) + spareRows)),
  };
}
