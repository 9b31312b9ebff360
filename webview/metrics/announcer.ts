/** Announces user actions and new values to screen readers, at a limited rate. */
import type { PanelState } from '../../src/protocol/metricsPanel.ts';
import { element, setText } from '../shared/dom.ts';
import { Spoken } from '../shared/spoken.ts';

const summaryEveryMs = 15_000;

export class Announcer {
  readonly root: HTMLElement;
  readonly #spoken = new Spoken();
  readonly #newest = element('div', {
    'aria-live': 'polite',
    'aria-atomic': 'true',
    class: 'sr-only',
    id: 'newest',
  });
  #lastSummaryMs = Number.NEGATIVE_INFINITY;

  constructor() {
    this.root = element('div', {}, this.#spoken.root, this.#newest);
  }

  /**
   * Announces a user action. If several actions follow quickly, only the last action is announced.
   */
  say(text: string): void {
    this.#spoken.say(text);
  }

  /** Announces the newest values of the running runs, at most every 15 seconds. */
  summarise(state: PanelState, metric: string, nowMs = performance.now()): void {
    if (nowMs - this.#lastSummaryMs < summaryEveryMs) return;
    const running = state.runs.filter((run) => run.isRunning && run.metrics[metric] !== undefined);
    if (running.length === 0) return;
    this.#lastSummaryMs = nowMs;
    const values = running.slice(0, 4).map((run) => `${run.name} ${run.metrics[metric]?.last}`);
    setText(this.#newest, `${metric}: ${values.join(', ')}`);
  }
}
