/** Controls of the metrics panel. No other file imports `@vscode/webview-ui-toolkit`. */
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeDropdown,
  vsCodeOption,
  vsCodeTextField,
  type Checkbox,
  type Dropdown,
  type TextField,
} from '@vscode/webview-ui-toolkit';
import { element, setAttribute } from '../shared/dom.ts';
import { icon, type IconName } from '../shared/icons.ts';

provideVSCodeDesignSystem().register(
  vsCodeButton(),
  vsCodeCheckbox(),
  vsCodeDropdown(),
  vsCodeOption(),
  vsCodeTextField(),
);

export interface IconButtonOptions {
  readonly label: string;
  readonly icon: IconName;
  /** Tooltip. Default: the label. */
  readonly title?: string;
  onClick(): void;
}

export function iconButton(options: IconButtonOptions): HTMLElement {
  const button = document.createElement('vscode-button');
  setAttribute(button, 'appearance', 'icon');
  setAttribute(button, 'aria-label', options.label);
  setAttribute(button, 'title', options.title ?? options.label);
  button.append(icon(options.icon));
  button.addEventListener('click', options.onClick);
  return button;
}

export function textButton(text: string, onClick: () => void): HTMLElement {
  const button = document.createElement('vscode-button');
  button.append(text);
  button.addEventListener('click', onClick);
  return button;
}

export interface CheckboxHandle {
  readonly root: HTMLElement;
  set(state: {
    readonly isChecked: boolean;
    readonly isMixed?: boolean;
    readonly label: string;
  }): void;
}

export function checkbox(onChange: (isChecked: boolean) => void): CheckboxHandle {
  const root = document.createElement('vscode-checkbox') as Checkbox;
  // Setting the control's value from code also fires `change`; this flag suppresses that event.
  let isOurs = false;
  root.addEventListener('change', () => isOurs || onChange(root.checked));
  return {
    root,
    set({ isChecked, isMixed = false, label }) {
      isOurs = true;
      if (root.checked !== isChecked) root.checked = isChecked;
      if (root.indeterminate !== isMixed) root.indeterminate = isMixed;
      isOurs = false;
      setAttribute(root, 'aria-label', label);
      setAttribute(root, 'title', label);
    },
  };
}

export function textField(label: string, placeholder: string, onInput: (text: string) => void) {
  const root = document.createElement('vscode-text-field') as TextField;
  setAttribute(root, 'placeholder', placeholder);
  root.addEventListener('input', () => onInput(root.value));
  return {
    root: root as HTMLElement,
    set(text: string): void {
      // The toolkit replaces the label when the element is added to the page.
      setAttribute(root, 'aria-label', label);
      if (root.value !== text) root.value = text;
    },
  };
}

export function dropdown(label: string, onChange: (value: string) => void) {
  const root = document.createElement('vscode-dropdown') as Dropdown;
  setAttribute(root, 'aria-label', label);
  root.addEventListener('change', () => onChange(root.value));
  let shown = '';
  return {
    root: root as HTMLElement,
    set(options: readonly string[], selected: string): void {
      if (shown !== options.join('\n')) {
        shown = options.join('\n');
        root.replaceChildren(...options.map(option));
      }
      if (root.value !== selected) root.value = selected;
    },
  };
}

function option(value: string): HTMLElement {
  const created = document.createElement('vscode-option');
  setAttribute(created, 'value', value);
  created.append(value);
  return created;
}

export function toggleButton(text: string, onClick: () => void, title?: string): HTMLButtonElement {
  const button = element(
    'button',
    { type: 'button', class: 'toggle', 'aria-pressed': 'false', title },
    text,
  );
  button.addEventListener('click', onClick);
  return button;
}
