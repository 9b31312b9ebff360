/**
 * The pane with the details of the selected step: its facts, its run and its texts, and the state
 * of the session after the step.
 */
import type { Fact, StepDetail, RunAt, TextSection } from '../../src/protocol/sessionView.ts';
import { linkButton } from '../shared/buttons.ts';
import { element, setText } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import { markdown } from './markdown.ts';
import { sparkline } from '../shared/sparkline.ts';
import { exactTime, relative, span } from './times.ts';
import { stepIcon } from './tones.ts';
import { counted } from './labels.ts';

export interface StepPaneEvents {
  openRun(runId: string): void;
  openMetrics(): void;
  /** Returns the whole text of a section. Rejects with an error for the user. */
  readWhole(row: number, section: string): Promise<string>;
}

export class StepPane {
  readonly root = element('main', { class: 'moment', 'aria-label': 'Selected step', tabindex: -1 });
  readonly #events: StepPaneEvents;
  /** Titles of texts that the user expanded (true) or collapsed (false). */
  readonly #folds = new Map<string, boolean>();
  #shown: StepDetail | undefined;

  constructor(events: StepPaneEvents) {
    this.#events = events;
  }

  render(detail: StepDetail): void {
    const isSame = this.#shown?.index === detail.index;
    const { scrollTop } = this.root;
    this.#shown = detail;
    this.root.replaceChildren(
      this.#head(detail),
      factList(detail.facts),
      ...(detail.run === undefined ? [] : [this.#run(detail.run)]),
      ...detail.texts.map((text) => this.#text(text, detail.index)),
      this.#state(detail),
    );
    this.root.scrollTop = isSame ? scrollTop : 0;
  }

  showProblem(text: string): void {
    this.#shown = undefined;
    this.root.replaceChildren(element('p', { class: 'problem', role: 'alert' }, text));
  }

  #head({ row, texts }: StepDetail): HTMLElement {
    const title = element(
      'h2',
      { class: `tone-${row.tone}` },
      icon(stepIcon(row.kind, row.tone)),
      element('span', {}, row.title),
    );
    const took = row.endMs === undefined ? '' : ` · took ${span(row.endMs - row.atMs)}`;
    const cost = row.cost === undefined ? '' : ` · ${row.cost}`;
    const at = element('p', { class: 'muted', title: exactTime(row.atMs) });
    setText(
      at,
      `${exactTime(row.atMs)} · ${relative(row.atMs, Date.now())} · turn ${row.turn}${took}${cost}`,
    );
    // The note is hidden if the step has texts, because the texts include the whole note.
    const note =
      row.note === undefined || row.note === '' || texts.length > 0
        ? []
        : [element('p', { class: 'moment-note' }, row.note)];
    return element('header', {}, title, at, ...note);
  }

  #text(section: TextSection, row: number): HTMLElement {
    const isOpen = this.#folds.get(section.title) ?? section.isFolded !== true;
    const details = element('details', { class: 'text', open: isOpen });
    const body = element('div', { class: 'text-body' }, textOf(section, section.text));
    details.append(element('summary', {}, section.title), body);
    details.addEventListener('toggle', () => this.#folds.set(section.title, details.open));
    if (section.omittedChars > 0) details.append(this.#rest(section, row, body));
    return details;
  }

  #rest(section: TextSection, row: number, body: HTMLElement): HTMLElement {
    const line = element(
      'p',
      { class: 'rest' },
      element('span', { class: 'muted' }, 'The text is truncated. '),
    );
    const show = linkButton('Show All', () => {
      show.disabled = true;
      this.#events.readWhole(row, section.id).then(
        (whole) => {
          body.replaceChildren(
            textOf(
              { ...section, format: section.format === 'markdown' ? 'markdown' : 'code' },
              whole,
            ),
          );
          line.remove();
        },
        (error: unknown) => {
          show.disabled = false;
          setText(
            line.firstElementChild ?? line,
            `${error instanceof Error ? error.message : String(error)} `,
          );
        },
      );
    });
    line.append(show);
    return line;
  }

  #run(run: RunAt): HTMLElement {
    const title = [run.name, run.label].filter((part) => part !== '').join(' · ');
    const links = [
      linkButton('Output', () => this.#events.openRun(run.id), `Open the output of ${run.name}`),
      linkButton(
        'Metrics',
        () => this.#events.openMetrics(),
        `Show ${run.name} in the metrics panel`,
      ),
    ];
    const head = element(
      'div',
      { class: 'run-head' },
      element('span', { class: `dot tone-${run.tone}` }),
    );
    head.append(
      element('span', { class: 'run-title', title }, title),
      element('span', { class: 'run-links' }, ...links),
    );
    const status = element('div', { class: 'muted' }, `${run.machine} · ${run.status}`);
    const curve = sparkline(run.spark.y, `${run.spark.metric} of ${run.name} up to this step`);
    const body = element('div', { class: 'run-body' }, metricTable(run));
    if (curve !== undefined)
      body.append(
        element('figure', {}, curve, element('figcaption', { class: 'muted' }, run.spark.metric)),
      );
    return element('section', { class: 'run-card', 'aria-label': title }, head, status, body);
  }

  #state({ run: own, state: { atMs, facts, runs, moreRuns } }: StepDetail): HTMLElement {
    const others = runs.filter(({ id }) => id !== own?.id);
    const head = element(
      'h3',
      {},
      'State after this step',
      element('span', { class: 'muted number' }, exactTime(atMs)),
    );
    const more =
      moreRuns === 0
        ? []
        : [element('p', { class: 'muted' }, counted(moreRuns, 'more active run'))];
    return element(
      'section',
      { class: 'state' },
      head,
      factList(facts),
      ...others.map((run) => this.#run(run)),
      ...more,
    );
  }
}

function textOf({ format }: Pick<TextSection, 'format'>, text: string): HTMLElement {
  if (format === 'markdown') return markdown(text);
  return format === 'code'
    ? element('pre', {}, element('code', {}, text))
    : element('div', { class: 'plain' }, text);
}

const factList = (facts: readonly Fact[]): HTMLElement =>
  element(
    'dl',
    { class: 'facts' },
    ...facts.flatMap(({ name, value, tone = 'plain' }) => [
      element('dt', {}, name),
      element('dd', { class: `tone-${tone}` }, value),
    ]),
  );

function metricTable({ metrics, name }: RunAt): HTMLElement {
  if (metrics.length === 0)
    return element('p', { class: 'muted' }, 'No metric values up to this step.');
  const heads = ['Metric', 'Last', 'Best', 'Points'].map((text, index) =>
    element('th', { scope: 'col', class: index > 0 ? 'number' : undefined }, text),
  );
  const rows = metrics.map((metric) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, metric.name),
      ...[metric.last, metric.best, String(metric.points)].map((text) =>
        element('td', { class: /NaN|Inf/.test(text) ? 'number not-finite' : 'number' }, text),
      ),
    ),
  );
  const table = element('table', {
    class: 'metrics',
    'aria-label': `Metrics of ${name} up to this step`,
  });
  table.append(element('thead', {}, element('tr', {}, ...heads)), element('tbody', {}, ...rows));
  return table;
}
