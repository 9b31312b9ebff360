/** The list of the parameters that vary, with the share of each as a bar with its interval. */
import type { MatteredParameter } from '../../../src/protocol/mattered.ts';
import { element, setChildren, svg } from '../../shared/dom.ts';

export class ParameterList {
  readonly root = element('div', {
    class: 'mattered-list',
    role: 'group',
    'aria-label': 'Parameters',
  });
  readonly #choose: (name: string) => void;

  constructor(choose: (name: string) => void) {
    this.#choose = choose;
    this.root.addEventListener('keydown', (event) => this.#onKey(event));
  }

  render(parameters: readonly MatteredParameter[], chosen: string | undefined): void {
    const focused = document.activeElement?.getAttribute('data-parameter');
    const rows = (isClaimed: boolean) =>
      parameters
        .filter((one) => one.isClaimed === isClaimed)
        .map((one) => this.#row(one, one.name === chosen));
    const [claimed, others] = [rows(true), rows(false)];
    const line = element('h3', { class: 'noise-line' }, 'Not distinguishable from noise');
    setChildren(this.root, [...claimed, ...(others.length === 0 ? [] : [line]), ...others]);
    if (typeof focused === 'string') this.#focus(focused);
  }

  #focus(name: string): void {
    this.#buttons()
      .find((button) => button.dataset['parameter'] === name)
      ?.focus();
  }

  #row(parameter: MatteredParameter, isChosen: boolean): HTMLElement {
    const { name, text, detail, isClaimed } = parameter;
    const button = element(
      'button',
      {
        type: 'button',
        class: isClaimed ? 'parameter' : 'parameter is-noise',
        'aria-pressed': isChosen ? 'true' : 'false',
        'data-parameter': name,
        title: detail,
      },
      element('span', { class: 'parameter-name' }, name),
      element('span', { class: 'sr-only' }, ': '),
      bar(parameter),
      element('span', { class: 'parameter-text' }, text),
      element('span', { class: 'sr-only' }, '. '),
      element('span', { class: 'parameter-detail muted' }, detail),
    );
    button.addEventListener('click', () => this.#choose(name));
    return button;
  }

  #buttons(): HTMLButtonElement[] {
    return [...this.root.querySelectorAll('button')];
  }

  #onKey(event: KeyboardEvent): void {
    const buttons = this.#buttons();
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    buttons[Math.min(buttons.length - 1, Math.max(0, to))]?.focus();
  }
}

/** Draws the share as a bar, and the interval as a line over it. Noise has only the interval. */
function bar({ share, low, high, isClaimed }: MatteredParameter): SVGElement {
  const x = (place: number): number => 1 + 198 * place;
  const [from, to] = [x(isClaimed ? low : 0), x(high)];
  return svg(
    'svg',
    { class: 'share', viewBox: '0 0 200 16', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svg('rect', { class: 'share-room', x: 0.5, y: 2, width: 199, height: 12 }),
    svg('rect', {
      class: 'share-bar',
      x: 1,
      y: 2.5,
      width: isClaimed ? x(share) - 1 : 0,
      height: 11,
    }),
    svg('path', { class: 'share-interval', d: `M${from} 4.500v7M${from} 8H${to}M${to} 4.500v7` }),
  );
}
