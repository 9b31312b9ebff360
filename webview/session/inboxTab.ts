/** The agent's questions: open questions with controls to answer them, then answered questions. */
import type { InboxQuestion } from '../../src/protocol/sessionView.ts';
import { plainButton } from '../shared/buttons.ts';
import { element, setAttribute, setText } from '../shared/dom.ts';
import { emptyMessage } from './emptyMessage.ts';
import { tabPanel } from './tabBar.ts';
import { exactTime, relative } from './times.ts';

export interface InboxModel {
  readonly questions: readonly InboxQuestion[];
  readonly readOnly: string | undefined;
}

/** Sends the answer to a question. Rejects with an error for the user. */
export type AnswerQuestion = (questionId: string, answer: string) => Promise<void>;

export class InboxTab {
  readonly root = tabPanel('inbox');
  readonly #answer: AnswerQuestion;
  /**
   * Cards of open questions by id. A card is reused while its question is open, so that typed text
   * and focus are preserved.
   */
  readonly #cards = new Map<string, OpenQuestion>();
  readonly #readOnly = element('p', { class: 'read-only', hidden: true });
  readonly #open = element('div', { class: 'questions' });
  readonly #answered = element('div', { class: 'answered' });

  constructor(answer: AnswerQuestion) {
    this.#answer = answer;
  }

  render({ questions, readOnly }: InboxModel): void {
    if (questions.length === 0) return this.root.replaceChildren(emptyMessage(noQuestions));
    const open = questions.filter(({ answer }) => answer === undefined);
    const answered = questions.filter(({ answer }) => answer !== undefined).reverse();
    setText(this.#readOnly, readOnly ?? '');
    this.#readOnly.hidden = readOnly === undefined || open.length === 0;
    for (const id of this.#cards.keys())
      if (!open.some((question) => question.id === id)) this.#cards.delete(id);
    const cards = open.map((question) => {
      const card = this.#cards.get(question.id) ?? new OpenQuestion(question, this.#answer);
      this.#cards.set(question.id, card);
      card.render(question, readOnly !== undefined);
      return card.root;
    });
    if (
      cards.some((card, index) => this.#open.children[index] !== card) ||
      this.#open.children.length !== cards.length
    )
      this.#open.replaceChildren(...cards);
    this.#answered.replaceChildren(...(answered.length === 0 ? [] : answeredList(answered)));
    if (this.#open.parentElement !== this.root)
      this.root.replaceChildren(this.#readOnly, this.#open, this.#answered);
  }
}

class OpenQuestion {
  readonly root: HTMLElement;
  readonly #due = element('p', { class: 'muted due' });
  readonly #problem = element('p', { class: 'problem', role: 'alert', hidden: true });
  readonly #field = element('input', {
    type: 'text',
    class: 'field',
    placeholder: 'Other answer…',
  });
  readonly #controls: readonly (HTMLButtonElement | HTMLInputElement)[];
  readonly #id: string;
  readonly #answer: AnswerQuestion;

  constructor({ id, text, options }: InboxQuestion, answer: AnswerQuestion) {
    this.#id = id;
    this.#answer = answer;
    const buttons = options.map((option) => plainButton(option, () => this.#send(option)));
    const send = plainButton('Answer', () => this.#send(this.#field.value), 'primary');
    if (options.length === 0) setAttribute(this.#field, 'placeholder', 'Your answer');
    setAttribute(this.#field, 'aria-label', `Answer to: ${text}`);
    this.#controls = [...buttons, this.#field, send];
    const form = element('form', { class: 'own-answer' }, this.#field, send);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#send(this.#field.value);
    });
    this.root = element('section', { class: 'question', 'aria-label': `Question ${id}` });
    this.root.append(element('p', { class: 'question-text' }, text), this.#due);
    this.root.append(element('div', { class: 'options' }, ...buttons), form, this.#problem);
  }

  render({ fallback, deadlineMs }: InboxQuestion, isReadOnly: boolean): void {
    const due = `Default: ${fallback} · applies ${relative(deadlineMs, Date.now())}`;
    setText(this.#due, due);
    setAttribute(this.#due, 'title', exactTime(deadlineMs));
    for (const control of this.#controls) control.disabled = isReadOnly;
  }

  #send(text: string): void {
    this.#problem.hidden = true;
    if (text.trim() === '') return this.#field.focus();
    this.#answer(this.#id, text.trim()).catch((error: unknown) => {
      setText(this.#problem, error instanceof Error ? error.message : String(error));
      this.#problem.hidden = false;
    });
  }
}

const answeredList = (questions: readonly InboxQuestion[]): HTMLElement[] => [
  element('h3', {}, 'Answered'),
  ...questions.map(({ text, answer, askedMs }) =>
    element(
      'div',
      { class: 'answered-question', title: `Asked ${exactTime(askedMs)}` },
      element('div', {}, text),
      element(
        'div',
        { class: 'muted' },
        `${answer?.text ?? ''}${answer?.isDefault === true ? ' · default, not answered in time' : ' · you'}`,
      ),
    ),
  ),
];

const noQuestions = {
  title: 'No questions',
  text: 'Questions from the agent appear here. The agent never waits for an answer: each question has a default.',
};
