/** Says above the table which of many groups the charts draw, with a button to draw all. */
import { element, setText } from '../shared/dom.ts';
import { linkButton } from '../shared/buttons.ts';
import { maxBest, type Choice } from './drawn.ts';
import type { Item } from './items.ts';

export class DrawnNote {
  readonly root = element('div', { class: 'drawn-note muted', hidden: true });
  readonly #text = element('span');

  constructor(drawAll: () => void) {
    this.root.append(this.#text, linkButton('Draw All', drawAll));
  }

  render(
    items: readonly Item[],
    drawn: ReadonlySet<string>,
    { hidden, isAllDrawn }: Pick<Choice, 'hidden' | 'isAllDrawn'>,
  ): void {
    const left = items.filter(({ id }) => !drawn.has(id) && !hidden.includes(id)).length;
    this.root.hidden = isAllDrawn || left === 0;
    const counts = `${drawn.size} of ${items.length.toLocaleString('en')} drawn`;
    setText(this.#text, `${counts}: champion, running, pinned and the ${maxBest} best. `);
  }
}
