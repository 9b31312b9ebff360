/** The view What Mattered: which parameters of the shown runs explain the deciding metric. */
import type { MessageConnection } from 'vscode-jsonrpc';
import type {
  MatteredAnswer,
  MatteredAxis,
  MatteredParameter,
} from '../../../src/protocol/mattered.ts';
import type { PanelState } from '../../../src/protocol/metricsPanel.ts';
import { linkButton } from '../../shared/buttons.ts';
import { element, setChildren, setText } from '../../shared/dom.ts';
import { withComparisons } from './brush.ts';
import { gridTable } from './gridTable.ts';
import { Parallel } from './parallel.ts';
import { ParameterList } from './parameterList.ts';
import { progress, scatter } from './plots.ts';
import { factsOf, MatteredReader } from './reader.ts';

export interface MatteredEvents {
  /** Called when the user brushes; `filter` is the whole filter of the table. */
  filter(text: string): void;
  /** Called when the user chooses the parameter of the scatter. */
  choose(parameter: string): void;
  openRun(id: string): void;
  say(text: string): void;
}

export interface MatteredModel {
  /** The runs that the table shows, without hidden ones. */
  readonly runIds: readonly string[];
  readonly state: PanelState;
  readonly filter: string;
  /** Name of the chosen parameter; empty for the first. */
  readonly parameter: string;
}

export class MatteredView {
  readonly root = element('div', {
    class: 'mattered',
    'aria-label': 'What Mattered',
    role: 'region',
  });
  readonly #events: MatteredEvents;
  readonly #reader: MatteredReader;
  readonly #list: ParameterList;
  readonly #heading = element('h2', {});
  readonly #notes = element('div', { class: 'mattered-notes muted', role: 'status' });
  readonly #body = element('div', { class: 'mattered-body' });
  readonly #scatter = section('');
  readonly #progress = section('Best So Far');
  readonly #parallel = section('All Parameters');
  readonly #grid = section('Grid');
  #model: MatteredModel | undefined;
  #drawn: MatteredAnswer | undefined;
  #drawnParameter = '';

  constructor(connection: MessageConnection, events: MatteredEvents) {
    this.#events = events;
    this.#list = new ParameterList((name) => events.choose(name));
    this.#reader = new MatteredReader(connection, () => this.#draw());
    this.#parallel.append(
      element('p', { class: 'muted' }, brushHint),
      linkButton('Clear Filter', () => events.filter('')),
    );
    this.#body.append(this.#list.root, this.#scatter, this.#progress, this.#grid, this.#parallel);
    this.root.append(this.#heading, this.#notes, this.#body);
  }

  render(model: MatteredModel): void {
    this.#model = model;
    this.#reader.want(factsOf(model.state, model.runIds), model.runIds);
    this.#draw();
  }

  #draw(): void {
    const { answer, problem } = this.#reader;
    if (problem !== undefined) return this.#showProblem(problem);
    if (answer === undefined || this.#model === undefined) return;
    const { parameter } = this.#model;
    if (answer === this.#drawn && parameter === this.#drawnParameter) return;
    const isNew = answer !== this.#drawn;
    [this.#drawn, this.#drawnParameter] = [answer, parameter];
    const { metric, parameters } = answer;
    const chosen = parameters.find(({ name }) => name === parameter) ?? parameters[0];
    setText(this.#heading, answer.heading);
    if (isNew) this.#drawNotes(answer);
    this.#list.render(parameters, chosen?.name);
    this.#list.root.hidden = parameters.length === 0;
    this.#drawScatter(answer, chosen);
    if (isNew) this.#drawRest(answer, metric);
  }

  #drawScatter(answer: MatteredAnswer, chosen: MatteredParameter | undefined): void {
    const { metric } = answer;
    this.#scatter.hidden = chosen === undefined || metric === undefined;
    if (chosen === undefined || metric === undefined) return;
    const drawing = scatter(answer, chosen, metric, this.#events.openRun);
    replaceDrawing(this.#scatter, drawing, `${metric.name} by ${chosen.name}`);
  }

  #drawNotes({ notes, interaction }: MatteredAnswer): void {
    const lines = [...(interaction === undefined ? [] : [interaction]), ...notes];
    setChildren(
      this.#notes,
      lines.map((text) => element('p', {}, text)),
    );
  }

  #drawRest(answer: MatteredAnswer, metric: MatteredAxis | undefined): void {
    const { progress: best, grid, parameters } = answer;
    this.#progress.hidden = best === undefined || metric === undefined;
    this.#grid.hidden = grid === undefined || metric === undefined;
    this.#parallel.hidden = parameters.length === 0 || metric === undefined;
    if (metric === undefined) return;
    if (best !== undefined)
      replaceDrawing(this.#progress, progress(answer, best, metric, this.#events.openRun));
    if (grid !== undefined) replaceDrawing(this.#grid, gridTable(grid, metric.name));
    if (parameters.length === 0) return;
    const parallel = new Parallel(answer, metric, {
      choose: (name, comparisons) => this.#brush(name, comparisons),
      say: this.#events.say,
    });
    replaceDrawing(this.#parallel, parallel.root);
  }

  #brush(name: string, comparisons: string): void {
    const filter = withComparisons(this.#model?.filter ?? '', name, comparisons);
    this.#events.filter(filter);
    this.#events.say(filter === '' ? 'Filter cleared' : `Filter: ${filter}`);
  }

  #showProblem(problem: string): void {
    setText(this.#heading, 'What mattered cannot be shown');
    const retry = linkButton('Retry', () => this.#retry());
    setChildren(this.#notes, [element('p', { role: 'alert' }, problem), retry]);
  }

  #retry(): void {
    this.#drawn = undefined;
    this.#reader.retry();
    if (this.#model !== undefined) this.render(this.#model);
  }
}

const brushHint =
  'Drag along an axis to filter the runs. With the keyboard: arrow keys move the upper end of the range, with Shift the lower end; Enter filters, Delete removes the filter of the axis. ';

function section(title: string): HTMLElement {
  const heading = element('h3', {}, title);
  return element('section', { class: 'mattered-section', hidden: true }, heading);
}

/** Replaces the drawing of a section, and keeps what else is in it. */
function replaceDrawing(into: HTMLElement, drawing: Element, title?: string): void {
  const [heading] = into.children;
  if (heading !== undefined && title !== undefined) setText(heading, title);
  const focused = into.contains(document.activeElement)
    ? document.activeElement?.getAttribute('aria-label')
    : undefined;
  into.querySelector(':scope > .drawing')?.remove();
  heading?.after(element('div', { class: 'drawing' }, drawing));
  if (typeof focused !== 'string') return;
  const again = [...into.querySelectorAll<SVGElement | HTMLElement>('[aria-label]')].find(
    (one) => one.getAttribute('aria-label') === focused,
  );
  again?.focus();
}
