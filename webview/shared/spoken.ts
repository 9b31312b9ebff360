import { element, setText } from './dom.ts';

const delayMs = 250;

/**
 * Announces user actions to screen readers. If several actions follow in quick succession, only the
 * last action is announced.
 */
export class Spoken {
  readonly root = element('div', {
    role: 'status',
    'aria-live': 'polite',
    class: 'sr-only',
    id: 'said',
  });
  #pending: ReturnType<typeof setTimeout> | undefined;

  say(text: string): void {
    clearTimeout(this.#pending);
    this.#pending = setTimeout(() => setText(this.root, text), delayMs);
  }
}
