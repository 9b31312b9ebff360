/** Plain HTML buttons, for pages that do not load `@vscode/webview-ui-toolkit`. */
import { element } from './dom.ts';
import { icon, type IconName } from './icons.ts';

export function iconOnlyButton(
  label: string,
  name: IconName,
  onClick: () => void,
): HTMLButtonElement {
  const button = element(
    'button',
    { type: 'button', class: 'icon-button', 'aria-label': label, title: label },
    icon(name),
  );
  button.addEventListener('click', onClick);
  return button;
}

export function plainButton(
  text: string,
  onClick: () => void,
  style: 'primary' | 'secondary' = 'secondary',
): HTMLButtonElement {
  const button = element('button', { type: 'button', class: `button button-${style}` }, text);
  button.addEventListener('click', onClick);
  return button;
}

export function linkButton(text: string, onClick: () => void, title?: string): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'link', title }, text);
  button.addEventListener('click', onClick);
  return button;
}

/**
 * Returns a group of toggle buttons. `set` presses the button of a value and releases the others.
 */
export function choiceButtons<Value extends string | number>(
  label: string,
  choices: readonly { readonly value: Value; readonly text: string; readonly title?: string }[],
  onChoose: (value: Value) => void,
) {
  const buttons = choices.map(({ value, text, title }) => {
    const button = element(
      'button',
      { type: 'button', class: 'toggle', 'aria-pressed': 'false', title },
      text,
    );
    button.addEventListener('click', () => onChoose(value));
    return { value, button };
  });
  const root = element('div', { class: 'segments', role: 'group', 'aria-label': label });
  root.append(...buttons.map(({ button }) => button));
  return {
    root,
    set(chosen: Value): void {
      for (const { value, button } of buttons)
        button.setAttribute('aria-pressed', String(value === chosen));
    },
  };
}
