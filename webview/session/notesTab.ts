/** The tab of sticky notes, where the user adds and removes texts that the model always sees. */
import { iconOnlyButton, plainButton } from '../shared/buttons.ts';
import { element, setText } from '../shared/dom.ts';
import { tabPanel } from './tabBar.ts';

export interface NotesModel {
  readonly notes: readonly { readonly number: number; readonly text: string }[];
  readonly readOnly: string | undefined;
}

/** Adds and removes sticky notes. Both methods reject with an error for the user. */
export interface NotesEvents {
  pin(text: string): Promise<void>;
  unpin(number: number): Promise<void>;
}

export class NotesTab {
  readonly root = tabPanel('notes');
  readonly #events: NotesEvents;
  readonly #field = element('textarea', {
    class: 'field',
    rows: 2,
    'aria-label': 'New sticky note',
    placeholder: 'Text that the model always sees, for example: never use more than one GPU',
  });
  readonly #pin = plainButton('Add', () => this.#send(), 'primary');
  readonly #problem = element('p', { class: 'problem', role: 'alert', hidden: true });
  readonly #why = element('p', { class: 'read-only', hidden: true });
  readonly #list = element('ul', { class: 'notes', 'aria-label': 'Sticky notes' });
  readonly #form = element('div', { class: 'new-note' });
  #shown = '';

  constructor(events: NotesEvents) {
    this.#events = events;
    this.#form.append(this.#field, this.#pin);
    this.#field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.#send();
    });
  }

  render({ notes, readOnly }: NotesModel): void {
    if (this.#form.parentElement !== this.root)
      this.root.replaceChildren(this.#why, this.#form, this.#problem, this.#list);
    setText(this.#why, readOnly ?? '');
    this.#why.hidden = readOnly === undefined;
    this.#field.disabled = this.#pin.disabled = readOnly !== undefined;
    const shown = JSON.stringify([notes, readOnly === undefined]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#list.replaceChildren(
      ...notes.map(({ number, text }) => {
        const remove = iconOnlyButton(`Remove sticky note ${number}`, 'close', () =>
          this.#attempt(this.#events.unpin(number)),
        );
        remove.disabled = readOnly !== undefined;
        return element(
          'li',
          {},
          element('span', { class: 'muted number' }, String(number)),
          element('span', { class: 'note-text' }, text),
          remove,
        );
      }),
      ...(notes.length === 0
        ? [element('li', { class: 'muted' }, 'There are no sticky notes.')]
        : []),
    );
  }

  #send(): void {
    const text = this.#field.value.trim();
    if (text === '') return this.#field.focus();
    this.#attempt(
      this.#events.pin(text).then(() => {
        this.#field.value = '';
      }),
    );
  }

  #attempt(work: Promise<void>): void {
    this.#problem.hidden = true;
    work.catch((error: unknown) => {
      setText(this.#problem, error instanceof Error ? error.message : String(error));
      this.#problem.hidden = false;
    });
  }
}
