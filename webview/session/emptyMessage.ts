import { plainButton } from '../shared/buttons.ts';
import { element } from '../shared/dom.ts';

export interface EmptyMessage {
  readonly title: string;
  readonly text: string;
  readonly isProblem?: boolean;
  readonly action?: { readonly text: string; run(): void };
}

/** Returns a message that is shown in place of content that is missing or cannot be loaded. */
export function emptyMessage({
  title,
  text,
  isProblem = false,
  action,
}: EmptyMessage): HTMLElement {
  const box = element('div', { class: 'message-box', role: isProblem ? 'alert' : 'status' });
  box.append(element('h2', {}, title), element('p', { class: 'muted' }, text));
  if (action !== undefined) box.append(plainButton(action.text, () => action.run(), 'primary'));
  return box;
}
