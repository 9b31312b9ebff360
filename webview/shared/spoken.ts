import { element, setText } from './dom.ts';

const delayMs = 250;

/**
 * Tells screen readers what a user has just done or asked for; only the last of several in quick
 * succession.
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
