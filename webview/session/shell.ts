/** The layout of the page: the session's header, the content, and a message in place of both. */
import type { SessionHeader } from '../../src/protocol/sessionView.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { exactTime } from './times.ts';
import { counted } from './labels.ts';

export class Shell {
  readonly root = element('div', { class: 'session' });
  readonly header: HTMLElement;
  readonly body = element('div', { class: 'body' });
  readonly message = element('div', { class: 'page-message', hidden: true });
  readonly #title = element('h1');
  readonly #dot = element('span', { class: 'dot' });
  readonly #phase = element('span', { class: 'phase' });
  readonly #facts = element('span', { class: 'muted number' });

  constructor() {
    const status = element('p', { class: 'status' }, this.#dot, this.#phase, this.#facts);
    this.header = element(
      'header',
      { class: 'header' },
      element('div', { class: 'heading-box' }, this.#title, status),
    );
    this.root.append(this.header, this.body, this.message);
  }

  render({ title, phase, tone, turns, cost, startedMs, readOnly }: SessionHeader): void {
    setText(this.#title, title);
    setAttribute(this.#title, 'title', title);
    setAttribute(this.#dot, 'class', `dot tone-${tone}`);
    setText(this.#phase, phase);
    setText(
      this.#facts,
      [counted(turns, 'turn'), cost, ...(readOnly === undefined ? [] : ['read-only'])].join(' · '),
    );
    setAttribute(
      this.#facts,
      'title',
      `Started ${exactTime(startedMs)}${readOnly === undefined ? '' : `\n${readOnly}`}`,
    );
  }

  showMessage(message: HTMLElement | undefined): void {
    this.message.hidden = message === undefined;
    this.body.hidden = this.header.hidden = message !== undefined;
    this.message.replaceChildren(...(message === undefined ? [] : [message]));
  }
}
