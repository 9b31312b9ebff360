/**
 * Actions of a plot that the pointer, the wheel and keys trigger. Positions are in CSS pixels from
 * the left edge of the plot's element.
 */
export interface PlotGestures {
  /** Returns the first and last pixel of the plot area. */
  area(): { readonly left: number; readonly right: number };
  /** Called when the pointer moves to `pixel`; with `undefined` when the pointer leaves. */
  hover(pixel: number | undefined): void;
  /**
   * Called while the user drags over a range of pixels; with `undefined` when dragging ends or is
   * cancelled.
   */
  select(pixels: readonly [number, number] | undefined): void;
  /** Called when the user has dragged over a range of pixels: zooms to this range. */
  zoomTo(pixels: readonly [number, number]): void;
  /**
   * Scales the shown range by `factor` around `pixel`; a factor below 1 zooms in. Default for
   * `pixel`: the position of the crosshair or, if none is shown, the middle of the plot.
   */
  zoomBy(factor: number, pixel?: number): void;
  /** Pans by a fraction of the shown range; a negative fraction pans to the left. */
  pan(share: number): void;
  /** Moves the crosshair by a fraction of the plot's width; ±1 moves it to the plot's edge. */
  moveCursor(share: number): void;
  /** Called for a click without dragging. */
  click?(pixel: number): void;
  /** Shows the whole axis again. */
  reset(): void;
}

/** A drag over fewer pixels than this is treated as a click. */
const smallestDrag = 4;
const keyZoom = 0.7;

export function listenToGestures(plot: HTMLElement, gestures: PlotGestures): void {
  listenToPointer(plot, gestures);
  plot.addEventListener('wheel', (event) => onWheel(event, plot, gestures), { passive: false });
  plot.addEventListener('dblclick', () => gestures.reset());
  plot.addEventListener('blur', () => gestures.hover(undefined));
  plot.addEventListener('keydown', (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      !onKey(event.key, event.shiftKey, gestures)
    )
      return;
    event.preventDefault();
    event.stopPropagation();
  });
}

function listenToPointer(plot: HTMLElement, gestures: PlotGestures): void {
  let start: number | undefined;
  const pixelOf = (event: MouseEvent): number => event.clientX - plot.getBoundingClientRect().left;
  const clamped = (pixel: number): number =>
    Math.min(Math.max(pixel, gestures.area().left), gestures.area().right);
  const giveUp = (): void => {
    start = undefined;
    gestures.select(undefined);
  };
  plot.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    start = clamped(pixelOf(event));
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener('pointermove', (event) => {
    const pixel = pixelOf(event);
    if (start !== undefined && Math.abs(pixel - start) >= smallestDrag)
      gestures.select(ordered(start, clamped(pixel)));
    gestures.hover(
      pixel >= gestures.area().left && pixel <= gestures.area().right + 1 ? pixel : undefined,
    );
  });
  plot.addEventListener('pointerup', (event) => {
    const end = clamped(pixelOf(event));
    const from = start;
    giveUp();
    if (from === undefined) return;
    if (Math.abs(end - from) >= smallestDrag) gestures.zoomTo(ordered(from, end));
    else gestures.click?.(end);
  });
  plot.addEventListener('pointercancel', giveUp);
  plot.addEventListener('pointerleave', () => gestures.hover(undefined));
  plot.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && start !== undefined) giveUp();
  });
}

/**
 * Handles the wheel. Shift pans, Ctrl or Cmd zooms. On the focused plot, the wheel zooms or pans
 * even without these keys; on any other plot, it scrolls the page.
 */
function onWheel(event: WheelEvent, plot: HTMLElement, gestures: PlotGestures): void {
  const isZoom = event.ctrlKey || event.metaKey || document.activeElement === plot;
  const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (isSideways && (isZoom || event.shiftKey)) {
    event.preventDefault();
    gestures.pan((event.deltaX || event.deltaY) / 800);
  } else if (isZoom && event.deltaY !== 0) {
    event.preventDefault();
    const notches = Math.max(-1, Math.min(1, event.deltaY / 100));
    gestures.zoomBy(1.25 ** notches, event.clientX - plot.getBoundingClientRect().left);
  }
}

/** Handles a key. Returns false if the key has no action on a plot. */
function onKey(key: string, isShift: boolean, gestures: PlotGestures): boolean {
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => (isShift ? gestures.pan(-0.1) : gestures.moveCursor(-0.01)),
    ArrowRight: () => (isShift ? gestures.pan(0.1) : gestures.moveCursor(0.01)),
    PageUp: () => gestures.moveCursor(-0.1),
    PageDown: () => gestures.moveCursor(0.1),
    Home: () => gestures.moveCursor(-1),
    End: () => gestures.moveCursor(1),
    '+': () => gestures.zoomBy(keyZoom),
    '=': () => gestures.zoomBy(keyZoom),
    '-': () => gestures.zoomBy(1 / keyZoom),
    '0': () => gestures.reset(),
    Escape: () => gestures.hover(undefined),
  };
  const action = actions[key];
  action?.();
  return action !== undefined;
}

const ordered = (a: number, b: number): [number, number] => (a < b ? [a, b] : [b, a]);
