/**
 * The controls of a replay: a slider over the steps, play, step, speed, and a button to show the
 * newest step.
 */
import type { TrackAxis } from '../../src/protocol/sessionView.ts';
import { choiceButtons, iconOnlyButton } from '../shared/buttons.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import { exactTime, span } from './times.ts';
import type { Speed, ViewState } from './viewState.ts';

export interface TransportModel {
  readonly state: ViewState;
  readonly total: number;
  readonly isPlaying: boolean;
  /** Whether the session may still get new steps. */
  readonly isGrowing: boolean;
  readonly atMs: number | undefined;
  readonly startedMs: number;
}

export interface TransportEvents {
  seek(row: number): void;
  step(by: 1 | -1): void;
  togglePlay(): void;
  setSpeed(speed: Speed): void;
  setLive(isLive: boolean): void;
  setAxis(axis: TrackAxis): void;
  zoomBy(factor: number): void;
  resetZoom(): void;
}

export class Transport {
  readonly root: HTMLElement;
  readonly #slider = element('input', {
    type: 'range',
    min: 0,
    step: 1,
    class: 'seek',
    'aria-label': 'Step',
  });
  readonly #place = element('span', { class: 'place number' });
  readonly #play: HTMLButtonElement;
  readonly #back: HTMLButtonElement;
  readonly #forward: HTMLButtonElement;
  readonly #live: HTMLButtonElement;
  readonly #reset: HTMLButtonElement;
  readonly #speed;
  readonly #axis;

  constructor(events: TransportEvents) {
    this.#slider.addEventListener('input', () => events.seek(Number(this.#slider.value)));
    this.#play = iconOnlyButton('Play', 'running', () => events.togglePlay());
    this.#back = iconOnlyButton('Step back', 'stepBack', () => events.step(-1));
    this.#forward = iconOnlyButton('Step forward', 'stepForward', () => events.step(1));
    this.#live = element('button', { type: 'button', class: 'toggle live' }, icon('live'), 'Live');
    this.#live.addEventListener('click', () =>
      events.setLive(this.#live.getAttribute('aria-pressed') !== 'true'),
    );
    this.#speed = choiceButtons<Speed>('Speed', speedChoices, (speed) => events.setSpeed(speed));
    this.#axis = choiceButtons<TrackAxis>('Axis of the overview', axisChoices, (axis) =>
      events.setAxis(axis),
    );
    this.#reset = iconOnlyButton('Show everything', 'reset', () => events.resetZoom());
    const zoom = [
      iconOnlyButton('Zoom out', 'zoomOut', () => events.zoomBy(1 / 0.6)),
      iconOnlyButton('Zoom in', 'zoomIn', () => events.zoomBy(0.6)),
      this.#reset,
    ];
    this.root = element('div', { class: 'transport', role: 'toolbar', 'aria-label': 'Replay' });
    this.root.append(
      element('div', { class: 'group' }, this.#back, this.#play, this.#forward),
      this.#slider,
      this.#place,
      this.#speed.root,
      this.#live,
      element('div', { class: 'group' }, this.#axis.root, ...zoom),
    );
  }

  render({ state, total, isPlaying, isGrowing, atMs, startedMs }: TransportModel): void {
    setAttribute(this.#slider, 'max', Math.max(0, total - 1));
    this.#slider.value = String(state.row);
    this.#slider.style.setProperty('--share', `${(100 * state.row) / Math.max(1, total - 1)}%`);
    const elapsed = atMs === undefined ? '' : ` · ${span(atMs - startedMs)}`;
    setText(this.#place, `${grouped(state.row + 1)} of ${grouped(total)}${elapsed}`);
    setAttribute(this.#place, 'title', atMs === undefined ? undefined : exactTime(atMs));
    setAttribute(this.#slider, 'aria-valuetext', `Step ${state.row + 1} of ${total}${elapsed}`);
    const label = isPlaying ? 'Pause' : 'Play';
    if (this.#play.title !== label)
      this.#play.replaceChildren(icon(isPlaying ? 'pause' : 'running'));
    setAttribute(this.#play, 'title', label);
    setAttribute(this.#play, 'aria-label', label);
    this.#back.disabled = state.row === 0;
    this.#forward.disabled = state.row >= total - 1;
    this.#speed.set(state.speed);
    this.#axis.set(state.axis);
    this.#live.hidden = !isGrowing;
    setAttribute(this.#live, 'aria-pressed', String(state.isLive));
    setAttribute(
      this.#live,
      'title',
      state.isLive ? 'Stop following new steps' : 'Go to the newest step and follow new steps',
    );
    this.#reset.disabled = state.zoom[state.axis] === undefined;
  }
}

const groups = new Intl.NumberFormat('en');
const grouped = (count: number): string => groups.format(count);

const speedChoices = [
  { value: 1, text: '1×', title: 'Real time, with waits of at most 1.5 s' },
  { value: 10, text: '10×' },
  { value: 100, text: '100×' },
  { value: 0, text: 'End', title: 'As fast as possible, to the end' },
] as const;

const axisChoices = [
  { value: 'time', text: 'Time' },
  { value: 'step', text: 'Steps' },
] as const;
