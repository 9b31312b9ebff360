/** The metrics panel: draws the data from the extension host, arranged as the user chose. */
import type { MessageConnection } from 'vscode-jsonrpc';
import {
  openRun,
  pointsAdded,
  ready,
  saveCsv,
  saveExport,
  stateChanged,
  type PanelMetric,
  type PanelRun,
  type PanelState,
} from '../../src/protocol/metricsPanel.ts';
import type { StateStore } from '../shared/host.ts';
import { ViewStore } from '../shared/viewStore.ts';
import { Announcer } from './announcer.ts';
import { Card, type CardModel } from './card.ts';
import type { CardLine } from './cardLine.ts';
import { dropdown, textField } from './controls.ts';
import { element, setChildren } from '../shared/dom.ts';
import { chartsAsPng } from './exportImage.ts';
import { RunsTable } from './runsTable.ts';
import { SeriesStore } from './seriesStore.ts';
import { buildShell, messageElement, noMetrics, noRuns, type PageMessage } from './shell.ts';
import {
  lineStyle,
  onThemeChange,
  readTheme,
  type LineStyle,
  type Theme,
} from '../shared/theme.ts';
import { Toolbar } from './toolbar.ts';
import type { Range } from '../shared/range.ts';
import { restoreState, toggled, type ViewState } from './viewState.ts';

const noState: PanelState = { sessionId: '', title: '', runs: [], metrics: [] };

export class Panel {
  readonly root: HTMLElement;
  readonly #connection: MessageConnection;
  readonly #view: ViewStore<ViewState>;
  readonly #series: SeriesStore;
  readonly #shell = buildShell();
  readonly #toolbar: Toolbar;
  readonly #table: RunsTable;
  readonly #announcer = new Announcer();
  readonly #filter = textField('Filter runs', 'Filter runs', (filter) =>
    this.#view.update({ filter }),
  );
  readonly #metric = dropdown('Metric of the table', (metric) => this.#view.update({ metric }));
  readonly #noMatch = element(
    'p',
    { class: 'no-match muted', hidden: true },
    'No run matches the filter.',
  );
  readonly #cards = new Map<string, Card>();
  readonly #watcher: IntersectionObserver;
  #state = noState;
  #theme: Theme = readTheme();
  #highlight: string | undefined;
  #frame = 0;
  #isJump = true;
  /** Names of the metrics whose cards to redraw; `undefined` to redraw the whole panel. */
  #dirty: Set<string> | undefined;

  constructor(connection: MessageConnection, states: StateStore<ViewState>) {
    this.#connection = connection;
    this.#view = new ViewStore(states, restoreState(states.getState()), () =>
      this.#redraw({ isJump: true }),
    );
    this.#series = new SeriesStore(connection, (metric) => this.#redraw({ isJump: false, metric }));
    this.#toolbar = this.#buildToolbar();
    this.#table = this.#buildTable();
    this.#watcher = new IntersectionObserver((entries) => this.#noteVisible(entries), {
      rootMargin: '200px',
    });
    this.root = this.#shell.root;
    const bar = element('div', { class: 'sidebar-bar' }, this.#filter.root, this.#metric.root);
    const list = element('div', { class: 'runs-box' }, this.#table.root, this.#noMatch);
    this.#shell.sidebar.append(bar, list);
    this.#shell.content.append(this.#toolbar.root, this.#shell.cards, this.#announcer.root);
    this.#filter.set(this.#view.state.filter);
    this.#listen();
  }

  /** Requests all data from the host. If the request fails, shows an error with a retry button. */
  async load(): Promise<void> {
    try {
      this.#state = await this.#connection.sendRequest(ready);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const action = { text: 'Retry', run: () => void this.load() };
      return this.#showMessage({
        title: 'The metrics cannot be shown',
        text,
        isProblem: true,
        action,
      });
    }
    this.#adoptSession();
    this.#series.refresh();
    this.#redraw({ isJump: true });
  }

  #listen(): void {
    this.#connection.onNotification(stateChanged, (state) => {
      this.#state = state;
      this.#announcer.summarise(state, this.#tableMetric());
      this.#redraw({ isJump: false });
    });
    this.#connection.onNotification(pointsAdded, (added) => this.#series.add(added));
    onThemeChange(() => {
      this.#theme = readTheme();
      this.#redraw({ isJump: true });
    });
    new ResizeObserver(() => this.#redraw({ isJump: true })).observe(this.#shell.cards);
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.load();
    });
  }

  /** Resets zoom and selection if the panel now shows another session. */
  #adoptSession(): void {
    const { sessionId } = this.#state;
    const before = this.#view.state.sessionId;
    if (before === sessionId) return;
    this.#view.update({ sessionId, ...(before !== '' && { zoom: {}, filter: '' }) });
    this.#filter.set(this.#view.state.filter);
  }

  /** Redraws the card of `metric` in the next frame; without `metric`, redraws the whole panel. */
  #redraw({ isJump, metric }: { readonly isJump: boolean; readonly metric?: string }): void {
    this.#isJump ||= isJump;
    if (metric === undefined) this.#dirty = undefined;
    else this.#dirty?.add(metric);
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#frame = 0;
    const isJump = this.#isJump;
    const dirty = this.#dirty;
    this.#isJump = false;
    if (this.#state.sessionId === '') return;
    this.#dirty = new Set();
    if (dirty !== undefined) return this.#drawDirty(dirty, isJump);
    if (this.#state.runs.length === 0) return this.#showMessage(noRuns);
    this.#showMessage(undefined);
    this.#drawTable();
    this.#toolbar.render(this.#view.state);
    this.#drawCards(isJump);
  }

  #drawDirty(dirty: ReadonlySet<string>, isJump: boolean): void {
    for (const metric of this.#state.metrics) {
      const card = this.#cards.get(metric.name);
      if (dirty.has(metric.name) && card?.isVisible === true) this.#drawCard(card, metric, isJump);
    }
  }

  #showMessage(message: PageMessage | undefined): void {
    const { root, message: place } = this.#shell;
    root.classList.toggle('is-empty', message !== undefined);
    if (message === undefined) return place.replaceChildren();
    if (place.textContent?.includes(message.text) !== true)
      place.replaceChildren(messageElement(message));
  }

  #drawTable(): void {
    const { pinned, hidden } = this.#view.state;
    const metric = this.#tableMetric();
    const runs = this.#listedRuns();
    const rows = runs.map((run) => ({
      run,
      style: this.#styleOf(run),
      isShown: !hidden.includes(run.id),
      isPinned: pinned.includes(run.id),
    }));
    const names = this.#state.metrics.map(({ name }) => name);
    this.#metric.root.hidden = names.length === 0;
    this.#metric.set(names, metric);
    this.#table.render(rows, metric);
    this.#noMatch.hidden = runs.length > 0;
  }

  #drawCards(isJump: boolean): void {
    const { metrics } = this.#state;
    for (const [name, card] of this.#cards) {
      if (metrics.some((metric) => metric.name === name)) continue;
      this.#watcher.unobserve(card.root);
      card.dispose();
      this.#cards.delete(name);
    }
    const cards = metrics.map(({ name }) => this.#cards.get(name) ?? this.#addCard(name));
    if (cards.length > 0)
      setChildren(
        this.#shell.cards,
        cards.map(({ root }) => root),
      );
    else this.#shell.cards.replaceChildren(messageElement(noMetrics));
    metrics.forEach((metric, index) => {
      const card = cards[index];
      if (card?.isVisible === true) this.#drawCard(card, metric, isJump);
    });
  }

  #drawCard(card: Card, metric: PanelMetric, isJump: boolean): void {
    card.setTheme(this.#theme);
    card.render(this.#cardModel(card, metric), { isJump });
  }

  #cardModel(card: Card, metric: PanelMetric): CardModel {
    const { axis, isLog, zoom, hidden, openValues } = this.#view.state;
    const runs = this.#listedRuns().filter(
      (run) => !hidden.includes(run.id) && metric.name in run.metrics,
    );
    const lines = runs.flatMap((run): CardLine[] => {
      const series = this.#series.want(this.#query(run, metric, card));
      return series === undefined ? [] : [{ run, style: this.#styleOf(run), series }];
    });
    const problems = runs.map((run) => this.#series.problemOf(run.id, metric.name));
    return {
      metric,
      lines,
      axis,
      isLog,
      zoom: zoom[axis],
      highlight: runs.some(({ id }) => id === this.#highlight) ? this.#highlight : undefined,
      problem: problems.find((problem) => problem !== undefined),
      isReading: runs.some((run) => this.#series.isReading(run.id, metric.name)),
      isValuesOpen: openValues.includes(metric.name),
    };
  }

  /**
   * Returns the query for a series. If the user has zoomed in, the query also covers one width of
   * the shown range on each side, so that points are already loaded when the user pans.
   */
  #query(run: PanelRun, { name }: PanelMetric, card: Card) {
    const { axis, smoothing, zoom } = this.#view.state;
    const range = zoom[axis];
    const base = { runId: run.id, metric: name, axis, ...(smoothing > 0 && { smoothing }) };
    if (range === undefined) return { ...base, pixels: card.pixels };
    const room = range.to - range.from;
    return { ...base, from: range.from - room, to: range.to + room, pixels: card.pixels * 3 };
  }

  #addCard(name: string): Card {
    const card: Card = new Card(name, this.#theme, {
      zoomTo: (range) => this.#zoomTo(range),
      moveCursor: (x, from) => this.#cards.forEach((each) => each.setCursor(x, each === from)),
      retry: () => this.#series.retry(name),
      toggleValues: () =>
        this.#view.update({ openValues: toggled(this.#view.state.openValues, name) }),
      savePng: () => this.#savePng([card], name),
      say: (text) => this.#announcer.say(text),
    });
    this.#cards.set(name, card);
    this.#watcher.observe(card.root);
    return card;
  }

  #noteVisible(entries: readonly IntersectionObserverEntry[]): void {
    for (const card of this.#cards.values()) {
      const entry = entries.findLast(({ target }) => target === card.root);
      if (entry !== undefined) card.isVisible = entry.isIntersecting;
    }
    this.#redraw({ isJump: true });
  }

  #zoomTo(range: Range | undefined): void {
    if (range === undefined && this.#view.state.zoom[this.#view.state.axis] === undefined) return;
    this.#view.zoomTo(range);
    this.#announcer.say(range === undefined ? 'Zoom reset' : 'Zoomed');
  }

  #buildToolbar(): Toolbar {
    return new Toolbar({
      setSmoothing: (smoothing) => this.#view.update({ smoothing }),
      setAxis: (axis) => this.#view.update({ axis }),
      setLog: (isLog) => this.#view.update({ isLog }),
      zoomBy: (factor) =>
        [...this.#cards.values()].find(({ isVisible }) => isVisible)?.zoomBy(factor),
      resetZoom: () => this.#zoomTo(undefined),
      savePng: () => this.#savePng([...this.#cards.values()], 'metrics'),
      saveCsv: () => this.#saveCsv(),
    });
  }

  #buildTable(): RunsTable {
    return new RunsTable({
      setShown: (runId, isShown) => {
        const others = this.#view.state.hidden.filter((id) => id !== runId);
        this.#view.update({ hidden: isShown ? others : [...others, runId] });
      },
      setAllShown: (isShown) => {
        const listed = this.#listedRuns().map(({ id }) => id);
        const others = this.#view.state.hidden.filter((id) => !listed.includes(id));
        this.#view.update({ hidden: isShown ? others : [...others, ...listed] });
      },
      togglePin: (runId) => this.#view.update({ pinned: toggled(this.#view.state.pinned, runId) }),
      open: (runId) => void this.#connection.sendNotification(openRun, { runId }),
      highlight: (runId) => {
        if (this.#highlight === runId) return;
        this.#highlight = runId;
        this.#redraw({ isJump: false });
      },
    });
  }

  #savePng(cards: readonly Card[], name: string): void {
    for (const card of cards) {
      const metric = this.#state.metrics.find((each) => this.#cards.get(each.name) === card);
      if (metric !== undefined) this.#drawCard(card, metric, true);
    }
    const drawn = cards.filter(({ model }) => (model?.lines.length ?? 0) > 0);
    if (drawn.length === 0) return this.#announcer.say('There is nothing to save yet');
    const base64 = chartsAsPng(drawn, this.#theme);
    void this.#connection.sendNotification(saveExport, {
      kind: 'png',
      name: fileName(name),
      base64,
    });
  }

  #saveCsv(): void {
    const { hidden } = this.#view.state;
    const runs = this.#listedRuns().filter(({ id }) => !hidden.includes(id));
    void this.#connection.sendNotification(saveCsv, {
      runIds: runs.map(({ id }) => id),
      metrics: this.#state.metrics.map(({ name }) => name),
    });
  }

  #tableMetric(): string {
    const { metrics } = this.#state;
    const wanted = this.#view.state.metric;
    return metrics.some(({ name }) => name === wanted) ? wanted : (metrics[0]?.name ?? '');
  }

  /** Returns the runs to list, pinned runs first. The filter never hides pinned runs. */
  #listedRuns(): readonly PanelRun[] {
    const { pinned, filter } = this.#view.state;
    const isPinned = ({ id }: PanelRun): boolean => pinned.includes(id);
    const others = this.#state.runs.filter((run) => !isPinned(run) && matches(run, filter));
    return [...this.#state.runs.filter(isPinned), ...others];
  }

  #styleOf(run: PanelRun): LineStyle {
    return lineStyle(this.#theme, run.number);
  }
}

/** Whether the run's row contains every word of the filter. */
function matches(run: PanelRun, filter: string): boolean {
  const text = `${run.name} ${run.label} ${run.machine} ${run.status}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const fileName = (name: string): string =>
  name.replaceAll(/[^\p{L}\p{N} _.-]+/gu, '-').slice(0, 100);
