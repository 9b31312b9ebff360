/**
 * Draws the overview: sleeps as shaded areas, runs as bars, turns as ticks, other steps as marks,
 * and the cumulative cost as a curve.
 */
import type { TrackAnswer, TrackBar, TrackMark } from '../../src/protocol/sessionView.ts';
import { counted, formatUsd } from './labels.ts';
import type { Range } from '../shared/range.ts';
import type { Theme } from '../shared/theme.ts';
import type { ToneColours } from './tones.ts';
import { axisLabels } from './axisLabels.ts';

export interface TrackStyle {
  readonly theme: Theme;
  readonly tones: ToneColours;
}

export interface TrackPicture {
  readonly track: TrackAnswer;
  readonly shown: Range;
  /** Position of the selected step on the axis. */
  readonly playhead: number | undefined;
  readonly selection: Range | undefined;
}

/** Height in pixels of a lane of run bars. With up to three lanes, the bars show run names. */
const laneHeight = (lanes: number): number => (lanes <= 3 ? 15 : 7);
const left = 12;
const right = 12;
const marksTop = 8;
const lanesTop = 24;
const moneyHeight = 26;
const labelHeight = 16;

/** Returns the height of the overview in pixels for a number of lanes. */
export const trackHeight = (lanes: number): number =>
  lanesTop + Math.max(1, lanes) * laneHeight(lanes) + 10 + moneyHeight + labelHeight;

export const trackArea = (width: number): { readonly left: number; readonly right: number } => ({
  left,
  right: width - right,
});

export const xToPixel = (x: number, { from, to }: Range, width: number): number =>
  left + ((x - from) / (to - from)) * (width - left - right);

export const pixelToX = (pixel: number, { from, to }: Range, width: number): number =>
  from + ((pixel - left) / (width - left - right)) * (to - from);

export function drawTrack(
  canvas: HTMLCanvasElement,
  picture: TrackPicture,
  style: TrackStyle,
): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (context === null || width === 0) return;
  context.scale(scale, scale);
  const pen: Pen = {
    context,
    width,
    height,
    style,
    x: (value) => xToPixel(value, picture.shown, width),
  };
  drawSleeps(pen, picture.track);
  drawAxis(pen, picture);
  drawMoney(pen, picture.track);
  drawTurns(pen, picture.track);
  for (const bar of picture.track.bars) drawBar(pen, bar, laneHeight(picture.track.lanes));
  for (const mark of picture.track.marks) drawMark(pen, mark);
  drawOver(pen, picture);
}

interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly style: TrackStyle;
  x(value: number): number;
}

function drawSleeps({ context, height, style, x }: Pen, { sleeps }: TrackAnswer): void {
  context.fillStyle = style.theme.grid;
  context.globalAlpha = 0.55;
  for (const { from, to } of sleeps)
    context.fillRect(
      x(from),
      lanesTop - 4,
      Math.max(1, x(to) - x(from)),
      height - lanesTop - labelHeight + 2,
    );
  context.globalAlpha = 1;
}

function drawAxis({ context, width, height, style, x }: Pen, { track, shown }: TrackPicture): void {
  context.fillStyle = style.theme.muted;
  context.font = `11px ${style.theme.fontFamily}`;
  context.textBaseline = 'bottom';
  context.textAlign = 'center';
  for (const { at, text } of axisLabels(track.axis, shown, Math.max(2, Math.floor(width / 110)))) {
    const half = context.measureText(text).width / 2;
    context.fillText(
      text,
      Math.min(Math.max(x(at), left + half), width - right - half),
      height - 1,
    );
  }
}

function drawMoney({ context, width, height, style, x }: Pen, { money }: TrackAnswer): void {
  const last = money.usd.at(-1) ?? 0;
  if (last <= 0) return;
  const bottom = height - labelHeight - 3;
  const y = (usd: number): number => bottom - (usd / last) * (moneyHeight - 4);
  context.beginPath();
  context.moveTo(x(money.x[0] ?? 0), y(money.usd[0] ?? 0));
  for (let index = 1; index < money.x.length; index++) {
    context.lineTo(x(money.x[index] ?? 0), y(money.usd[index - 1] ?? 0));
    context.lineTo(x(money.x[index] ?? 0), y(money.usd[index] ?? 0));
  }
  context.lineWidth = 1.25;
  context.strokeStyle = style.theme.muted;
  context.stroke();
  context.textAlign = 'right';
  context.textBaseline = 'bottom';
  context.fillStyle = style.theme.muted;
  context.fillText(formatUsd(last), width - right, y(last) - 1);
}

function drawTurns({ context, style, x }: Pen, { turns }: TrackAnswer): void {
  context.fillStyle = style.theme.muted;
  context.globalAlpha = 0.7;
  for (const at of turns) context.fillRect(Math.round(x(at)), lanesTop - 8, 1, 4);
  context.globalAlpha = 1;
}

/** Returns the name of the run of a bar, or how many runs there are and how many of them failed. */
export const barText = ({ name, count, failed }: TrackBar): string =>
  count === 1 ? name : `${counted(count, 'run')}${failed === 0 ? '' : `, ${failed} failed`}`;

function drawBar({ context, width: all, style, x }: Pen, bar: TrackBar, height: number): void {
  const [from, to] = [Math.max(left, x(bar.from)), Math.min(all - right, x(bar.to))];
  context.fillStyle = style.tones[bar.tone];
  context.beginPath();
  const [top, width] = [lanesTop + bar.lane * height, Math.max(2, to - from - 0.5)];
  context.roundRect(from, top, width, height - 2, 2);
  context.fill();
  if (bar.failed > 0 && bar.tone !== 'bad') {
    // The share of the runs that failed, at the lower edge.
    context.fillStyle = style.tones.bad;
    context.fillRect(from, top + height - 5, Math.max(3, (width * bar.failed) / bar.count), 3);
  }
  if (height < 12 || width < 34) return;
  context.save();
  context.beginPath();
  context.rect(from, top, width - 4, height);
  context.clip();
  context.fillStyle = style.theme.background;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(barText(bar), from + 5, top + (height - 2) / 2 + 0.5);
  context.restore();
}

/** Draws a mark. Each kind has a different shape, so that the meaning does not depend on colour. */
function drawMark({ context, style, x }: Pen, { at, kind, tone }: TrackMark): void {
  const centre = x(at);
  context.beginPath();
  if (kind === 'alarm' || kind === 'refusal') {
    context.moveTo(centre, marksTop - 4.5);
    context.lineTo(centre + 4.5, marksTop + 3.5);
    context.lineTo(centre - 4.5, marksTop + 3.5);
  } else if (kind === 'decision' || kind === 'plan' || kind === 'end') {
    context.moveTo(centre, marksTop - 4.5);
    context.lineTo(centre + 4, marksTop);
    context.lineTo(centre, marksTop + 4.5);
    context.lineTo(centre - 4, marksTop);
  } else if (kind === 'checkpoint' || kind === 'resume' || kind === 'pause') {
    context.rect(centre - 1.5, marksTop - 4, 3, 8);
  } else context.arc(centre, marksTop, 3.25, 0, 7);
  context.closePath();
  context.fillStyle = tone === 'plain' || tone === 'muted' ? style.theme.muted : style.tones[tone];
  context.fill();
}

function drawOver(
  { context, height, style, x }: Pen,
  { playhead, selection, shown }: TrackPicture,
): void {
  if (selection !== undefined) {
    context.fillStyle = style.theme.selection;
    context.globalAlpha = 0.5;
    context.fillRect(
      x(selection.from),
      0,
      x(selection.to) - x(selection.from),
      height - labelHeight,
    );
    context.globalAlpha = 1;
  }
  if (playhead === undefined || playhead < shown.from || playhead > shown.to) return;
  context.fillStyle = style.theme.focus;
  context.fillRect(Math.round(x(playhead)) - 0.75, 0, 1.5, height - labelHeight);
}
