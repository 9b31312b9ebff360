/**
 * Draws lines on a canvas with chart.js, with the decorations of `decorations.ts`. No other file
 * imports chart.js.
 */
import {
  Chart,
  LinearScale,
  LineController,
  LineElement,
  LogarithmicScale,
  PointElement,
  type ChartDataset,
  type ScaleOptionsByType,
} from 'chart.js';
import type { XAxis } from '../../src/protocol/metricsPanel.ts';
import type { Bounds } from './bounds.ts';
import { paintOver, paintUnder, type Decorations } from './decorations.ts';
import { formatTick, formatX, timeStep } from '../shared/format.ts';
import type { Point } from './series.ts';
import type { Theme } from '../shared/theme.ts';

Chart.register(LineController, LineElement, PointElement, LinearScale, LogarithmicScale);

export interface PlotLine {
  readonly points: Point[];
  readonly colour: string;
  readonly dash: readonly number[];
  readonly width: number;
  /** From 0 to 1. */
  readonly opacity: number;
  /** Drawing order: a line with a higher level is drawn over lines with lower levels. */
  readonly level: number;
}

export interface PlotModel {
  readonly lines: readonly PlotLine[];
  readonly axis: XAxis;
  readonly isLog: boolean;
  readonly decorations: Decorations;
}

/** The area of the lines on the canvas, in CSS pixels. */
export interface PlotArea {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

type LineChart = Chart<'line', Point[]>;

/**
 * A chart on a canvas. Fills its parent element and is not animated; it changes only when a method
 * is called.
 */
export class Plot {
  readonly #chart: LineChart;
  #theme: Theme;
  #model: PlotModel | undefined;
  #bounds: Bounds = { x: { from: 0, to: 1 }, y: { from: 0, to: 1 } };

  constructor(canvas: HTMLCanvasElement, theme: Theme) {
    this.#theme = theme;
    this.#chart = new Chart<'line', Point[]>(canvas, {
      type: 'line',
      data: { datasets: [] },
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        responsive: true,
        maintainAspectRatio: false,
        events: [],
        layout: { padding: { top: 8, right: 12, bottom: 0, left: 0 } },
        datasets: { line: { pointRadius: 0, spanGaps: false, tension: 0, clip: 2 } },
      },
      plugins: [
        {
          id: 'decorations',
          beforeDatasetsDraw: (chart) => this.#decorate(chart, paintUnder),
          afterDatasetsDraw: (chart) => this.#decorate(chart, paintOver),
        },
      ],
    });
  }

  get area(): PlotArea {
    const { left, right, top, bottom } = this.#chart.chartArea;
    return { left, right, top, bottom };
  }

  get canvas(): HTMLCanvasElement {
    return this.#chart.canvas;
  }

  xAt(pixel: number): number {
    return this.#chart.scales['x']?.getValueForPixel(pixel) ?? Number.NaN;
  }

  pixelAt(x: number): number {
    return this.#chart.scales['x']?.getPixelForValue(x) ?? Number.NaN;
  }

  setTheme(theme: Theme): void {
    this.#theme = theme;
  }

  show(model: PlotModel, bounds: Bounds): void {
    this.#model = model;
    this.#bounds = bounds;
    // Reuses the dataset objects, because chart.js would rebuild every point of a new dataset.
    const { datasets } = this.#chart.data;
    datasets.length = Math.min(datasets.length, model.lines.length);
    model.lines.forEach((line, index) => {
      datasets[index] = Object.assign(datasets[index] ?? { data: line.points }, datasetOf(line));
    });
    this.#chart.options.scales = {
      x: this.#scale('x', model.axis, 'linear'),
      y: this.#scale('y', model.axis, model.isLog ? 'logarithmic' : 'linear'),
    };
    this.#chart.update('none');
  }

  /** Draws new decorations over the same lines. Fast enough for every move of the pointer. */
  decorate(decorations: Decorations): void {
    if (this.#model === undefined) return;
    this.#model = { ...this.#model, decorations };
    this.#chart.render();
  }

  dispose(): void {
    this.#chart.destroy();
  }

  #decorate(chart: Chart, paint: typeof paintOver): void {
    const { x, y } = chart.scales;
    if (this.#model === undefined || x === undefined || y === undefined) return;
    paint(this.#model.decorations, {
      context: chart.ctx,
      area: chart.chartArea,
      theme: this.#theme,
      pixelX: (value) => x.getPixelForValue(value),
      pixelY: (value) => y.getPixelForValue(value),
    });
  }

  #labelY(value: number, ticks: readonly { value: number }[]): string {
    if (this.#model?.isLog !== true) return formatTick(value, stepOf(ticks));
    // Hides the labels at both ends of a logarithmic scale: chart.js always adds them, even if the
    // ends are not round values.
    const { from, to } = this.#bounds.y;
    return value === from || value === to ? '' : formatTick(value, 0);
  }

  #scale(side: 'x' | 'y', axis: XAxis, type: 'linear' | 'logarithmic') {
    const { from, to } = this.#bounds[side];
    const font = { family: this.#theme.fontFamily, size: 11 };
    return {
      type,
      min: from,
      max: to,
      border: { display: false },
      grid: { color: this.#theme.grid, lineWidth: 1, drawTicks: false, display: side === 'y' },
      // With a fixed width, the plots of all cards are aligned and do not move while values get
      // longer.
      ...(side === 'y' && { afterFit: (scale: { width: number }) => void (scale.width = 52) }),
      ...(side === 'x' && axis === 'time' && { afterBuildTicks: labelTimes(0) }),
      ...(side === 'x' &&
        axis === 'clock' && { afterBuildTicks: labelTimes(new Date(from).getTimezoneOffset()) }),
      ticks: {
        color: this.#theme.muted,
        font,
        padding: 6,
        includeBounds: false,
        maxRotation: 0,
        autoSkipPadding: 24,
        maxTicksLimit: side === 'y' ? 6 : 8,
        callback: (value: number | string, _index: number, ticks: readonly { value: number }[]) =>
          side === 'x' ? formatX(Number(value), axis) : this.#labelY(Number(value), ticks),
      },
    } as unknown as ScaleOptionsByType<'linear' | 'logarithmic'>;
  }
}

/**
 * Places the labels of a time axis at round times, such as every 5 minutes. By default, chart.js
 * would place them at round numbers of milliseconds. `offsetMinutes`: from local time to UTC.
 */
function labelTimes(offsetMinutes: number) {
  const origin = offsetMinutes * 60_000;
  return (scale: { min: number; max: number; ticks: { value: number }[] }): void => {
    const step = timeStep(scale.max - scale.min, 7);
    if (step === undefined) return;
    const first = Math.ceil((scale.min - origin) / step);
    const count = Math.floor((scale.max - origin) / step) - first + 1;
    scale.ticks = Array.from({ length: count }, (_, index) => ({
      value: origin + (first + index) * step,
    }));
  };
}

/** Returns the distance between labels; 0 if they are not evenly spaced. */
function stepOf(ticks: readonly { value: number }[]): number {
  const [first, second, third] = ticks.map((tick) => tick.value);
  if (first === undefined || second === undefined) return 0;
  const step = second - first;
  return third === undefined || Math.abs(third - second - step) < step * 1e-6 ? step : 0;
}

const datasetOf = (line: PlotLine): ChartDataset<'line', Point[]> => ({
  data: line.points,
  borderColor: withOpacity(line.colour, line.opacity),
  borderWidth: line.width,
  borderDash: [...line.dash],
  borderJoinStyle: 'round',
  order: -line.level,
});

const withOpacity = (colour: string, opacity: number): string =>
  opacity >= 1
    ? colour
    : `color-mix(in srgb, ${colour} ${Math.round(opacity * 100)}%, transparent)`;
