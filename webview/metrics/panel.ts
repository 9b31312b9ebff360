/** The metrics panel: draws the data from the extension host, arranged as the user chose. */
import type { MessageConnection } from 'vscode-jsonrpc';
import {
  noState,
  openRun,
  pointsAdded,
  ready,
  saveCsv,
  saveExport,
  type PanelMetric,
  type XAxis,
} from '../../src/protocol/metricsPanel.ts';
import { changedState, stateChanged } from '../../src/protocol/panelDelta.ts';
import type { StateStore } from '../shared/host.ts';
import { ViewStore } from '../shared/viewStore.ts';
import { ArrangedItems } from './arrangedItems.ts';
import { saveText } from './annotator.ts';
import { Announcer } from './announcer.ts';
import { Card, type CardModel } from './card.ts';
import { CardGrid } from './cardGrid.ts';
import { cardQuery } from './cardQuery.ts';
import {
  axisOf,
  countersOf,
  freshChoices,
  orderText,
  tableMetricOf,
  withShown,
} from './choices.ts';
import type { CellEvents } from './cells.ts';
import type { Sort } from './columns.ts';
import type { CardLine } from './cardLine.ts';
import { chartsAsPng, fileName } from './exportImage.ts';
import type { ItemList } from './itemList.ts';
import type { Item } from './items.ts';
import { MatteredView } from './mattered/view.ts';
import { OtherSessions } from './otherSessions.ts';
import { SeriesStore } from './seriesStore.ts';
import { Sidebar } from './sidebar.ts';
import {
  buildShell,
  failureMessage,
  messageElement,
  noRuns,
  noRunYet,
  type PageMessage,
} from './shell.ts';
import {
  lineStyle,
  onThemeChange,
  readTheme,
  type LineStyle,
  type Theme,
} from '../shared/theme.ts';
import { StepValues } from './stepValues.ts';
import { axisText, Toolbar } from './toolbar.ts';
import { TrendStore } from './trendStore.ts';
import type { Range } from '../shared/range.ts';
import { viewChoice } from './viewChoice.ts';
import { restoreState, toggled, type ViewState } from './viewState.ts';

export class Panel {
  readonly root: HTMLElement;
  readonly #connection: MessageConnection;
  readonly #view: ViewStore<ViewState>;
  readonly #series: SeriesStore;
  readonly #trends: TrendStore;
  readonly #arranged: ArrangedItems;
  readonly #shell = buildShell();
  readonly #toolbar: Toolbar;
  readonly #sidebar: Sidebar;
  readonly #mattered: MatteredView;
  readonly #others: OtherSessions;
  readonly #announcer = new Announcer();
  readonly #grid = new CardGrid({
    create: (metric) => this.#createCard(metric),
    onDidChangeVisible: () => this.#redraw({ isJump: true }),
    toggleSection: (name) =>
      this.#view.update({ closedSections: toggled(this.#view.state.closedSections, name) }),
  });
  readonly #views = viewChoice((isMattered) => this.#view.update({ isMattered }));
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
    const steps = new StepValues(connection, () => this.#redraw({ isJump: false }));
    this.#arranged = new ArrangedItems(steps);
    this.#trends = new TrendStore(connection, () => this.#sidebar.redraw());
    this.#toolbar = this.#buildToolbar();
    this.#sidebar = this.#buildSidebar();
    this.#mattered = this.#buildMattered(connection);
    this.#others = new OtherSessions(connection, this.#view, (problem) =>
      this.#sidebar.showProblem(problem),
    );
    this.root = this.#shell.root;
    this.#shell.sidebar.append(...this.#sidebar.elements);
    this.#shell.content.append(
      this.#views.root,
      this.#toolbar.root,
      this.#grid.root,
      this.#mattered.root,
      this.#announcer.root,
    );
    this.#listen();
  }

  /** Requests all data from the host. If the request fails, shows an error with a retry button. */
  async load(): Promise<void> {
    try {
      this.#state = await this.#connection.sendRequest(ready);
    } catch (error) {
      return this.#showMessage(failureMessage(error, () => void this.load()));
    }
    this.#adoptSession();
    void this.#others.restore();
    this.#series.refresh();
    this.#redraw({ isJump: true });
  }

  #listen(): void {
    this.#connection.onNotification(stateChanged, (delta) => {
      this.#state = changedState(this.#state, delta);
      this.#announcer.summarise(this.#state, this.#tableMetric());
      this.#redraw({ isJump: false });
    });
    this.#connection.onNotification(pointsAdded, (added) => this.#series.add(added));
    onThemeChange(() => {
      this.#theme = readTheme();
      this.#redraw({ isJump: true });
    });
    new ResizeObserver(() => this.#redraw({ isJump: true })).observe(this.#grid.root);
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.load();
    });
  }

  /** Resets zoom and selection if the panel now shows another session. */
  #adoptSession(): void {
    const { sessionId } = this.#state;
    const before = this.#view.state.sessionId;
    if (before === sessionId) return;
    this.#view.update({ sessionId, ...(before !== '' && freshChoices) });
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
    if (this.#state.runs.length === 0)
      return this.#showMessage(this.#state.isOpen ? noRunYet : noRuns);
    this.#showMessage(undefined);
    this.#drawTable();
    this.#views.set(this.#view.state.isMattered);
    this.root.classList.toggle('is-mattered', this.#view.state.isMattered);
    if (this.#view.state.isMattered) return this.#drawMattered();
    this.#toolbar.render({ ...this.#view.state, axis: this.#axis() }, countersOf(this.#state));
    this.#drawCards(isJump);
  }

  #drawDirty(dirty: ReadonlySet<string>, isJump: boolean): void {
    for (const metric of this.#state.metrics) {
      const card = this.#grid.get(metric.name);
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
    this.root.classList.toggle('is-table', this.#view.state.isTable);
    this.#sidebar.render({
      list: this.#items(),
      view: this.#view.state,
      metrics: this.#state.metrics.flatMap(({ name, isSystem }) => (isSystem ? [] : name)),
      metric: this.#tableMetric(),
      styleOf: (item) => this.#styleOf(item),
    });
  }

  #drawMattered(): void {
    const { hidden, filter, parameter } = this.#view.state;
    const items = this.#items().items.filter(({ id }) => !hidden.includes(id));
    const runIds = [...new Set(items.flatMap((item) => item.runIds))];
    this.#mattered.render({ runIds, state: this.#state, filter, parameter });
  }

  #drawCards(isJump: boolean): void {
    const { metrics } = this.#state;
    this.#grid.render(
      metrics.map(({ name }) => name),
      this.#view.state,
    );
    for (const metric of metrics) {
      const card = this.#grid.get(metric.name);
      if (card?.isVisible === true) this.#drawCard(card, metric, isJump);
    }
  }

  #drawCard(card: Card, metric: PanelMetric, isJump: boolean): void {
    card.setTheme(this.#theme);
    card.render(this.#cardModel(card, metric), { isJump });
  }

  #cardModel(card: Card, metric: PanelMetric): CardModel {
    const { isLog, zoom, openValues } = this.#view.state;
    const axis = axisOf(this.#state, this.#view.state, metric);
    const items = this.#drawnItems().filter(
      (item) => metric.isSystem === true || metric.name in item.metrics,
    );
    const query = { metric: metric.name, axis, view: this.#view.state };
    const lines = items.flatMap((item): CardLine[] => {
      const series = this.#series.want(cardQuery(item, card, query));
      return series === undefined ? [] : [{ item, style: this.#styleOf(item), series }];
    });
    const problems = items.map((item) => this.#series.problemOf(item.runIds, metric.name));
    return {
      metric,
      lines,
      axis,
      isLog,
      zoom: zoom[axis],
      highlight: items.some(({ id }) => id === this.#highlight) ? this.#highlight : undefined,
      problem: problems.find((problem) => problem !== undefined),
      isReading: items.some((item) => this.#series.isReading(item.runIds, metric.name)),
      isValuesOpen: openValues.includes(metric.name),
    };
  }

  #createCard(name: string): Card {
    const card: Card = new Card(name, this.#theme, {
      zoomTo: (range) => this.#zoomTo(range, card.model?.axis),
      moveCursor: (x, from) =>
        this.#grid.all.forEach((each) => {
          const isSameAxis = each.model?.axis === from.model?.axis;
          each.setCursor(isSameAxis ? x : undefined, each === from);
        }),
      retry: () => this.#series.retry(name),
      toggleValues: () =>
        this.#view.update({ openValues: toggled(this.#view.state.openValues, name) }),
      savePng: () => this.#savePng([card], name),
      say: (text) => this.#announcer.say(text),
    });
    return card;
  }

  #zoomTo(range: Range | undefined, axis = this.#axis()): void {
    if (range === undefined && this.#view.state.zoom[axis] === undefined) return;
    this.#view.zoomTo(range, axis);
    this.#announcer.say(range === undefined ? 'Zoom reset' : 'Zoomed');
  }

  #buildToolbar(): Toolbar {
    return new Toolbar({
      setSmoothing: (smoothing) => this.#view.update({ smoothing }),
      setAxis: (axis) => {
        this.#view.update({ axis });
        this.#announcer.say(`Horizontal axis: ${axisText(axis)}`);
      },
      filterCharts: (chartFilter) => this.#view.update({ chartFilter }),
      setGrouped: (isGrouped) => this.#view.update({ isGrouped }),
      setLog: (isLog) => this.#view.update({ isLog }),
      zoomBy: (factor) => this.#grid.all.find(({ isVisible }) => isVisible)?.zoomBy(factor),
      resetZoom: () => this.#zoomTo(undefined),
      savePng: () => this.#savePng(this.#grid.all, 'metrics'),
      saveCsv: () => this.#saveCsv(),
    });
  }

  #buildMattered(connection: MessageConnection): MatteredView {
    return new MatteredView(connection, {
      filter: (filter) => this.#view.update({ filter }),
      choose: (parameter) => this.#view.update({ parameter }),
      openRun: (runId) => void connection.sendNotification(openRun, { runId }),
      say: (text) => this.#announcer.say(text),
    });
  }

  #buildSidebar(): Sidebar {
    return new Sidebar({
      arrange: (change) => this.#view.update(change),
      addSessions: () => void this.#others.choose(),
      rearrange: (view) => this.#view.replace(view),
      say: (text) => this.#announcer.say(text),
      setShown: (id, isShown) => this.#setShown([id], isShown),
      setAllShown: (isShown) =>
        this.#setShown(
          this.#items().items.map(({ id }) => id),
          isShown,
        ),
      sort: (sort) => this.#sort(sort),
      togglePin: (id) => this.#view.update({ pinned: toggled(this.#view.state.pinned, id) }),
      open: (id) => this.#open(id),
      trendOf: (item, metric) => this.#trends.want(item, metric),
      edit: (...edited) => void this.#saveText(...edited),
      highlight: (id) => {
        if (this.#highlight === id) return;
        this.#highlight = id;
        this.#redraw({ isJump: false });
      },
    });
  }

  #setShown(ids: readonly string[], isShown: boolean): void {
    this.#view.update(withShown(this.#view.state, ids, isShown));
  }

  #sort(sort: Sort | undefined): void {
    const { sort: _, ...others } = this.#view.state;
    this.#view.replace({ ...others, ...(sort && { sort }) });
    this.#announcer.say(orderText(sort));
  }

  #open(id: string): void {
    const item = this.#items().items.find((each) => each.id === id);
    if (item?.isExpanded === undefined)
      return void this.#connection.sendNotification(openRun, { runId: id });
    this.#view.update({ expanded: toggled(this.#view.state.expanded, id) });
    this.#announcer.say(item.isExpanded ? `${item.name} collapsed` : `${item.name} expanded`);
  }

  async #saveText(...edited: Parameters<CellEvents['edit']>): Promise<void> {
    const { text, isProblem } = await saveText(this.#connection, ...edited);
    this.#sidebar.showProblem(isProblem ? text : undefined);
    if (!isProblem) this.#announcer.say(text);
  }

  #savePng(cards: readonly Card[], name: string): void {
    for (const card of cards) {
      const metric = this.#state.metrics.find((each) => this.#grid.get(each.name) === card);
      if (metric !== undefined) this.#drawCard(card, metric, true);
    }
    const drawn = cards.filter(({ model }) => (model?.lines.length ?? 0) > 0);
    if (drawn.length === 0) return this.#announcer.say('There is nothing to save yet');
    const base64 = chartsAsPng(drawn, this.#theme);
    const image = { kind: 'png', name: fileName(name), base64 } as const;
    void this.#connection.sendNotification(saveExport, image);
  }

  #saveCsv(): void {
    void this.#connection.sendNotification(saveCsv, {
      runIds: [...new Set(this.#drawnItems().flatMap(({ runIds }) => runIds))],
      metrics: this.#state.metrics.map(({ name }) => name),
    });
  }

  #axis(): XAxis {
    return axisOf(this.#state, this.#view.state);
  }

  #tableMetric(): string {
    return tableMetricOf(this.#state, this.#view.state);
  }

  /** Returns the items as arranged. Computed once for each state and view. */
  #items(): ItemList {
    return this.#arranged.of(this.#state, this.#view.state, this.#tableMetric());
  }

  #drawnItems(): readonly Item[] {
    const { items, drawn } = this.#items();
    return items.filter(({ id }) => drawn.has(id));
  }

  #styleOf({ group, position }: Item): LineStyle {
    return lineStyle(this.#theme, group, position);
  }
}
