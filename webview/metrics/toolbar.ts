import { axisMetric, type XAxis } from '../../src/protocol/metricsPanel.ts';
import { dropdown, iconButton, textField, toggleButton } from './controls.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import { maxSmoothing, type ViewState } from './viewState.ts';

export interface ToolbarEvents {
  setSmoothing(smoothing: number): void;
  setAxis(axis: XAxis): void;
  setGrouped(isGrouped: boolean): void;
  filterCharts(text: string): void;
  setLog(isLog: boolean): void;
  /** Zooms; a factor below 1 zooms in. */
  zoomBy(factor: number): void;
  resetZoom(): void;
  savePng(): void;
  saveCsv(): void;
}

/** The toolbar: display options for all charts, and their export. */
export class Toolbar {
  readonly root: HTMLElement;
  readonly #slider: HTMLInputElement;
  readonly #amount = element('output', { class: 'number', for: 'smoothing' });
  readonly #axis;
  readonly #log: HTMLButtonElement;
  readonly #grouped: HTMLButtonElement;
  readonly #filter;
  readonly #reset: HTMLElement;

  constructor(events: ToolbarEvents) {
    this.#slider = element('input', {
      id: 'smoothing',
      type: 'range',
      min: 0,
      max: maxSmoothing,
      step: 0.01,
    });
    this.#slider.addEventListener('input', () => events.setSmoothing(Number(this.#slider.value)));
    this.#axis = dropdown('Horizontal axis', (text) => events.setAxis(axisNamed(text)));
    const toggleLog = (): void => events.setLog(this.#log.getAttribute('aria-pressed') !== 'true');
    this.#log = toggleButton('Log', toggleLog, 'Logarithmic vertical axis');
    const toggleGrouped = (): void =>
      events.setGrouped(this.#grouped.getAttribute('aria-pressed') !== 'true');
    this.#grouped = toggleButton('Seeds', toggleGrouped, groupedTitle);
    this.#filter = textField('Filter charts', 'Filter charts', (text) => events.filterCharts(text));
    this.#reset = iconButton({
      label: 'Reset zoom',
      icon: 'reset',
      onClick: () => events.resetZoom(),
    });
    const zoomIn = iconButton({
      label: 'Zoom in',
      icon: 'zoomIn',
      onClick: () => events.zoomBy(0.6),
    });
    const zoomOut = iconButton({
      label: 'Zoom out',
      icon: 'zoomOut',
      onClick: () => events.zoomBy(1 / 0.6),
    });
    const exportButtons = [
      actionButton('PNG', () => events.savePng(), 'Save the shown charts as an image'),
      actionButton('CSV', () => events.saveCsv(), 'Save every point of the shown runs as CSV'),
    ];
    this.root = element(
      'div',
      { class: 'toolbar', role: 'toolbar', 'aria-label': 'Charts' },
      element('label', { class: 'smoothing' }, 'Smoothing', this.#slider, this.#amount),
      this.#axis.root,
      element('div', { class: 'segments' }, this.#log),
      element('div', { class: 'segments' }, this.#grouped),
      this.#filter.root,
      element('div', { class: 'group' }, zoomOut, zoomIn, this.#reset),
      element('div', { class: 'group export' }, ...exportButtons),
    );
  }

  /** `counters`: names of the metrics that may be the horizontal axis. */
  render(state: ViewState, counters: readonly string[]): void {
    if (Number(this.#slider.value) !== state.smoothing)
      this.#slider.value = String(state.smoothing);
    this.#slider.style.setProperty('--share', `${(100 * state.smoothing) / maxSmoothing}%`);
    setText(this.#amount, state.smoothing.toFixed(2));
    const texts = [...Object.keys(axes), ...counters.filter((name) => !(name in axes))];
    this.#axis.set(texts, axisText(state.axis));
    setAttribute(this.#log, 'aria-pressed', String(state.isLog));
    this.#filter.set(state.chartFilter);
    setAttribute(this.#grouped, 'aria-pressed', String(state.isGrouped));
    setAttribute(this.#reset, 'disabled', state.zoom[state.axis] === undefined);
  }
}

const axes: Readonly<Record<string, XAxis>> = { Step: 'step', Time: 'time', Clock: 'clock' };

const axisNamed = (text: string): XAxis => axes[text] ?? `metric:${text}`;

/** Returns the name of an axis in the list of axes. */
export const axisText = (axis: XAxis): string =>
  axisMetric(axis) ?? Object.keys(axes).find((text) => axes[text] === axis) ?? '';

const groupedTitle =
  'Draw runs that differ only in their seed as one line: the mean, with a band of one standard deviation';

/** Returns a button without a fill, which would look like a pressed toggle. */
function actionButton(text: string, onClick: () => void, title: string): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'action', title }, icon('save'), text);
  button.addEventListener('click', onClick);
  return button;
}
