/**
 * Paints a plot's decorations: the selection, the goal, marks of non-finite values, the crosshair.
 */
import type { Mark, Point } from './series.ts';
import type { Theme } from '../shared/theme.ts';
import type { Range } from '../shared/range.ts';

/** A shaded area between two curves. */
export interface Band {
  readonly low: readonly Point[];
  readonly high: readonly Point[];
  readonly colour: string;
  /** From 0 to 1. */
  readonly opacity: number;
}

export interface Decorations {
  readonly target: number | undefined;
  /** Mean and standard deviation of the champion, shaded over the whole width. */
  readonly champion: { readonly mean: number; readonly spread: number } | undefined;
  readonly bands: readonly Band[];
  readonly marks: readonly { readonly colour: string; readonly marks: readonly Mark[] }[];
  /** Position of the crosshair. */
  readonly cursorX: number | undefined;
  readonly dots: readonly { readonly x: number; readonly y: number; readonly colour: string }[];
  /** The range over which the user is dragging. */
  readonly selection: Range | undefined;
}

export interface Surface {
  readonly context: CanvasRenderingContext2D;
  readonly area: {
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
  };
  readonly theme: Theme;
  pixelX(x: number): number;
  pixelY(y: number): number;
}

export function paintUnder(decorations: Decorations, surface: Surface): void {
  const { context, area, theme } = surface;
  context.save();
  if (decorations.selection !== undefined) {
    const left = Math.max(area.left, surface.pixelX(decorations.selection.from));
    const right = Math.min(area.right, surface.pixelX(decorations.selection.to));
    context.globalAlpha = 0.5;
    context.fillStyle = theme.selection;
    context.fillRect(left, area.top, right - left, area.bottom - area.top);
  }
  if (decorations.champion !== undefined) paintChampion(decorations.champion, surface);
  for (const band of decorations.bands) paintBand(band, surface);
  context.restore();
}

function paintChampion(
  { mean, spread }: { readonly mean: number; readonly spread: number },
  { context, area, theme, pixelY }: Surface,
): void {
  const top = Math.max(area.top, yWithin(pixelY(mean + spread), area));
  const bottom = Math.min(area.bottom, yWithin(pixelY(mean - spread), area));
  if (bottom <= top) return;
  context.globalAlpha = 0.1;
  context.fillStyle = theme.foreground;
  context.fillRect(area.left, top, area.right - area.left, bottom - top);
  context.globalAlpha = 1;
}

function paintBand({ low, high, colour, opacity }: Band, surface: Surface): void {
  const { context, area, pixelX, pixelY } = surface;
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
  context.clip();
  context.beginPath();
  for (const { x, y } of [...high, ...low.toReversed()])
    context.lineTo(pixelX(x), yWithin(pixelY(y), area));
  context.closePath();
  context.globalAlpha = opacity;
  context.fillStyle = colour;
  context.fill();
  context.restore();
}

/** Returns the pixel; the lower edge for values that a logarithmic axis cannot show. */
const yWithin = (pixel: number, { bottom }: Surface['area']): number =>
  Number.isFinite(pixel) ? pixel : bottom;

export function paintOver(decorations: Decorations, surface: Surface): void {
  const { context } = surface;
  context.save();
  if (decorations.target !== undefined) paintTarget(decorations.target, surface);
  decorations.marks.forEach(({ colour, marks }, row) =>
    paintMarks(marks, colour, row % 3, surface),
  );
  if (decorations.cursorX !== undefined) paintCursor(decorations, surface);
  context.restore();
}

function paintTarget(target: number, { context, area, theme, pixelY }: Surface): void {
  const y = Math.round(pixelY(target)) + 0.5;
  if (!(y >= area.top && y <= area.bottom)) return;
  context.save();
  context.strokeStyle = theme.foreground;
  context.globalAlpha = 0.75;
  context.lineWidth = 1;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(area.left, y);
  context.lineTo(area.right, y);
  context.stroke();
  context.fillStyle = theme.foreground;
  context.font = `11px ${theme.fontFamily}`;
  context.textAlign = 'right';
  context.textBaseline = y - area.top > 16 ? 'bottom' : 'top';
  const textY = y + (y - area.top > 16 ? -2 : 3);
  context.setLineDash([]);
  context.globalAlpha = 1;
  context.strokeStyle = theme.background;
  context.lineWidth = 3;
  context.strokeText('goal', area.right - 2, textY);
  context.fillText('goal', area.right - 2, textY);
  context.restore();
}

const markSize = 3.5;
const markDistance = 8;

/**
 * Draws a mark at the x of each non-finite value: NaN and +∞ at the top edge of the plot, -∞ at the
 * bottom edge. Omits marks that would overlap.
 */
function paintMarks(marks: readonly Mark[], colour: string, row: number, surface: Surface): void {
  const { context, area, pixelX } = surface;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 1.75;
  let lastX = Number.NEGATIVE_INFINITY;
  for (const mark of marks) {
    const x = pixelX(mark.x);
    if (x < area.left - 1 || x > area.right + 1 || x - lastX < markDistance) continue;
    lastX = x;
    const offset = 7 + row * 10;
    paintMark(
      context,
      mark.kind,
      x,
      mark.kind === '-Inf' ? area.bottom - offset : area.top + offset,
    );
  }
}

function paintMark(
  context: CanvasRenderingContext2D,
  kind: Mark['kind'],
  x: number,
  y: number,
): void {
  context.beginPath();
  if (kind === 'NaN') {
    context.moveTo(x - markSize, y - markSize);
    context.lineTo(x + markSize, y + markSize);
    context.moveTo(x + markSize, y - markSize);
    context.lineTo(x - markSize, y + markSize);
    context.stroke();
    return;
  }
  const tip = kind === 'Inf' ? -markSize : markSize;
  context.moveTo(x, y + tip);
  context.lineTo(x - markSize - 0.5, y - tip);
  context.lineTo(x + markSize + 0.5, y - tip);
  context.closePath();
  context.fill();
}

function paintCursor({ cursorX = Number.NaN, dots }: Decorations, surface: Surface): void {
  const { context, area, theme } = surface;
  const x = Math.round(surface.pixelX(cursorX)) + 0.5;
  if (!(x >= area.left && x <= area.right + 1)) return;
  context.strokeStyle = theme.muted;
  context.globalAlpha = 0.6;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x, area.top);
  context.lineTo(x, area.bottom);
  context.stroke();
  context.globalAlpha = 1;
  for (const dot of dots) {
    const y = surface.pixelY(dot.y);
    if (!(y >= area.top - 1 && y <= area.bottom + 1)) continue;
    context.beginPath();
    context.arc(surface.pixelX(dot.x), y, 3.5, 0, 2 * Math.PI);
    context.fillStyle = dot.colour;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = theme.background;
    context.stroke();
  }
}
