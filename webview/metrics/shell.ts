/** The layout of the page, and the messages that are shown if there are no runs or no metrics. */
import { textButton } from './controls.ts';
import { element } from '../shared/dom.ts';

export interface Shell {
  readonly root: HTMLElement;
  readonly sidebar: HTMLElement;
  readonly content: HTMLElement;
  readonly message: HTMLElement;
}

export function buildShell(): Shell {
  const sidebar = element('aside', { class: 'sidebar', 'aria-label': 'Runs' });
  const content = element('main', { class: 'content' });
  const message = element('div', { class: 'page-message' });
  const root = element('div', { class: 'panel' }, sidebar, content, message);
  return { root, sidebar, content, message };
}

export interface PageMessage {
  readonly title: string;
  readonly text: string;
  readonly isProblem?: boolean;
  readonly action?: { readonly text: string; run(): void };
}

export function messageElement({
  title,
  text,
  isProblem = false,
  action,
}: PageMessage): HTMLElement {
  const box = element('div', { class: 'message-box', role: isProblem ? 'alert' : 'status' });
  box.append(element('h2', {}, title), element('p', { class: 'muted' }, text));
  if (action !== undefined) box.append(textButton(action.text, () => action.run()));
  return box;
}

export const failureMessage = (error: unknown, retry: () => void): PageMessage => ({
  title: 'The metrics cannot be shown',
  text: error instanceof Error ? error.message : String(error),
  isProblem: true,
  action: { text: 'Retry', run: retry },
});

export const noRuns: PageMessage = {
  title: 'No runs yet',
  text: 'Runs and their metrics appear here as soon as they are launched. Start a goal in the chat, for example: @helios train a small GPT on TinyStories to loss < 1.0',
};

export const noRunYet: PageMessage = {
  title: 'Waiting for the first run',
  text: 'Runs and their metrics appear here as soon as they are launched.',
};

export const noChart: PageMessage = {
  title: 'No chart matches',
  text: 'No metric has a name with these words. Change the filter of the charts.',
};

export const noMetrics: PageMessage = {
  title: 'No metrics yet',
  text: 'A chart appears for each metric that a run prints, such as “step 10 loss 2.31”. Open a run to see its output.',
};
