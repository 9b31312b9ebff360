/** The session view: draws the data from the extension host, arranged as the user chose. */
import type { MessageConnection } from 'vscode-jsonrpc';
import * as protocol from '../../src/protocol/sessionView.ts';
import type { SessionHeader } from '../../src/protocol/sessionView.ts';
import { element } from '../shared/dom.ts';
import type { StateStore } from '../shared/host.ts';
import { ViewStore } from '../shared/viewStore.ts';
import { Spoken } from '../shared/spoken.ts';
import { onThemeChange } from '../shared/theme.ts';
import { Inbox } from './inbox.ts';
import { emptyMessage } from './emptyMessage.ts';
import { StepPane } from './stepPane.ts';
import { StepDetailReader } from './stepDetailReader.ts';
import { Player } from './player.ts';
import { RowStore } from './rowStore.ts';
import { Shell } from './shell.ts';
import { TabBar, tabPanel } from './tabBar.ts';
import { TimelineList } from './timelineList.ts';
import { Track } from './track.ts';
import { Transport } from './transport.ts';
import { restoreState, tabs, type ViewState } from './viewState.ts';

/** Minimum time between reads of the overview while the session is running. */
const trackEveryMs = 1000;

export class SessionView {
  readonly root: HTMLElement;
  readonly #connection: MessageConnection;
  readonly #view: ViewStore<ViewState>;
  readonly #shell = new Shell();
  readonly #spoken = new Spoken();
  readonly #tabBar = new TabBar((tab) => this.#view.update({ tab }));
  readonly #timeline = tabPanel('timeline');
  readonly #rows: RowStore;
  readonly #list: TimelineList;
  readonly #track: Track;
  readonly #transport: Transport;
  readonly #pane: StepPane;
  readonly #details: StepDetailReader;
  readonly #inbox: Inbox;
  readonly #player: Player;
  #header: SessionHeader | undefined;
  #frame = 0;
  #trackTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: MessageConnection, states: StateStore<ViewState>) {
    this.#connection = connection;
    this.#view = new ViewStore(states, restoreState(states.getState()), (state, before) =>
      this.#onArranged(state, before),
    );
    this.#rows = new RowStore(connection, {
      changed: () => this.#redraw(),
      failed: (message) => this.#pane.showProblem(message),
    });
    this.#list = new TimelineList({
      select: (row) => this.#select(row),
      nextTurn: (step) => void this.#nextTurn(step),
      want: (from, to) => this.#rows.want(from, to),
    });
    this.#track = new Track(connection, {
      zoomTo: (range) => this.#view.zoomTo(range),
      goTo: (x) => void this.#goTo(x),
      goToRow: (row) => this.#select(row),
      step: (by) => this.#select(this.#view.state.row + by),
    });
    this.#transport = this.#buildTransport();
    this.#pane = new StepPane({
      openRun: (runId) => void connection.sendNotification(protocol.openRunOutput, { runId }),
      openMetrics: () => void connection.sendNotification(protocol.openMetrics, {}),
      readWhole: (row, section) => connection.sendRequest(protocol.readWhole, { row, section }),
    });
    this.#details = new StepDetailReader(
      connection,
      (detail) => this.#pane.render(detail),
      (message) => this.#pane.showProblem(message),
    );
    this.#inbox = new Inbox(connection, { sort: (sort) => this.#view.update({ sort }) });
    this.#player = this.#buildPlayer();
    this.root = this.#shell.root;
    this.#assemble();
    this.#listen();
  }

  /** Requests all data from the host. If the request fails, shows an error with a retry button. */
  async load(): Promise<void> {
    try {
      this.#header = await this.#connection.sendRequest(protocol.ready);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const action = { text: 'Retry', run: () => void this.load() };
      return this.#shell.showMessage(
        emptyMessage({ title: 'The session cannot be shown', text, isProblem: true, action }),
      );
    }
    this.#shell.showMessage(undefined);
    this.#adoptSession(this.#header);
    this.#rows.invalidate(0, this.#header.rows);
    void this.#track.refresh();
    this.#inbox.show(this.#view.state, this.#header);
    this.#details.read(this.#view.state.row);
    this.#redraw();
  }

  /**
   * Makes sure that the selected step exists. Selects the last step if the view follows new steps,
   * or if it now shows another session; for another session, also resets the zoom.
   */
  #adoptSession({ sessionId, rows, isGrowing }: SessionHeader): void {
    const { state } = this.#view;
    const last = Math.max(0, rows - 1);
    if (state.sessionId !== sessionId) {
      const isOther = state.sessionId !== '';
      return this.#view.update({
        sessionId,
        row: last,
        isLive: isGrowing,
        ...(isOther && { zoom: {} }),
      });
    }
    this.#view.update({ row: state.isLive ? last : Math.min(state.row, last) });
  }

  #assemble(): void {
    const columns = element('div', { class: 'columns' }, this.#list.root, this.#pane.root);
    this.#timeline.append(this.#track.root, this.#transport.root, columns);
    this.#shell.header.append(this.#tabBar.root);
    this.#shell.body.append(this.#timeline, ...this.#inbox.panels, this.#spoken.root);
  }

  #listen(): void {
    this.#connection.onNotification(protocol.sessionChanged, (change) => this.#onChanged(change));
    onThemeChange(() => {
      this.#list.setTheme();
      this.#track.setTheme();
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.load();
    });
    this.root.addEventListener('keydown', (event) => this.#onKey(event));
  }

  #onChanged({ header, firstRow }: protocol.SessionChange): void {
    const before = this.#header;
    this.#header = header;
    this.#rows.invalidate(firstRow, header.rows);
    this.#trackTimer ??= setTimeout(() => {
      this.#trackTimer = undefined;
      void this.#track.refresh();
    }, trackEveryMs);
    this.#inbox.show(this.#view.state, header);
    const { isLive, row } = this.#view.state;
    const last = Math.max(0, header.rows - 1);
    if (isLive && row !== last) this.#view.update({ row: last });
    else if (isLive || row >= firstRow) this.#details.read(row);
    if (before !== undefined && header.openQuestions > before.openQuestions)
      this.#spoken.say('A new question is in the inbox');
    this.#redraw();
  }

  #onArranged(state: ViewState, before: ViewState): void {
    if (state.row !== before.row) this.#details.read(state.row);
    if (this.#header !== undefined && (state.tab !== before.tab || state.sort !== before.sort))
      this.#inbox.show(state, this.#header);
    this.#redraw();
  }

  /**
   * Selects a step at the user's request. The view follows new steps if the selected step is the
   * newest; otherwise, it stops following them.
   */
  #select(wanted: number): void {
    const last = Math.max(0, this.#rows.total - 1);
    const row = Math.max(0, Math.min(last, wanted));
    this.#view.update({
      row,
      isLive: row === last && this.#header?.isGrowing === true && !this.#player.isPlaying,
    });
  }

  async #goTo(x: number): Promise<void> {
    if (this.#view.state.axis === 'step') return this.#select(Math.round(x));
    this.#select(await this.#connection.sendRequest(protocol.findRow, { atMs: x }));
  }

  async #nextTurn(step: 1 | -1): Promise<void> {
    this.#select(
      await this.#connection.sendRequest(protocol.findTurn, { row: this.#view.state.row, step }),
    );
  }

  #buildTransport(): Transport {
    return new Transport({
      seek: (row) => this.#view.update({ row, isLive: false }),
      step: (by) => this.#select(this.#view.state.row + by),
      togglePlay: () => this.#togglePlay(),
      setSpeed: (speed) => this.#view.update({ speed }),
      setLive: (isLive) => {
        this.#player.stop();
        this.#view.update(isLive ? { isLive, row: Math.max(0, this.#rows.total - 1) } : { isLive });
      },
      setAxis: (axis) => this.#view.update({ axis }),
      zoomBy: (factor) => this.#track.zoomBy(factor),
      resetZoom: () => this.#view.zoomTo(undefined),
    });
  }

  #buildPlayer(): Player {
    const [rows, view, redraw] = [this.#rows, this.#view, () => this.#redraw()];
    return new Player({
      get count() {
        return rows.total;
      },
      get speed() {
        return view.state.speed;
      },
      get row() {
        return view.state.row;
      },
      timeOf(row) {
        rows.want(row, row + 50);
        return rows.row(row)?.atMs;
      },
      show: (row) => view.update({ row, isLive: false }),
      ended: redraw,
    });
  }

  /** Starts or stops the replay. If the last step is selected, starts from the first step. */
  #togglePlay(): void {
    if (this.#player.isPlaying) this.#player.stop();
    else {
      const isAtEnd = this.#view.state.row >= this.#rows.total - 1;
      this.#view.update({ isLive: false, ...(isAtEnd && { row: 0 }) });
      this.#player.start();
    }
    this.#redraw();
  }

  #onKey(event: KeyboardEvent): void {
    const isTyping =
      event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    const isButton =
      event.target instanceof HTMLButtonElement ||
      (event.target instanceof HTMLElement && event.target.tagName === 'SUMMARY');
    if (event.key !== ' ' || isTyping || isButton || this.#view.state.tab !== 'timeline') return;
    event.preventDefault();
    this.#togglePlay();
  }

  /** Redraws the view in the next frame. */
  #redraw(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#draw());
  }

  #draw(): void {
    this.#frame = 0;
    const header = this.#header;
    if (header === undefined) return;
    const { state } = this.#view;
    const rows = this.#rows;
    this.#shell.render(header);
    this.#tabBar.render(state.tab, {
      inbox: header.openQuestions,
      notes: header.notes,
      ledger: header.experiments,
    });
    for (const tab of tabs) (this.#inbox.panelOf(tab) ?? this.#timeline).hidden = tab !== state.tab;
    if (state.tab !== 'timeline') return;
    rows.want(state.row, state.row + 1);
    const atMs = rows.row(state.row)?.atMs;
    const isPlaying = this.#player.isPlaying;
    this.#list.render({
      total: rows.total,
      selected: state.row,
      isReplaying: isPlaying,
      row: (index) => rows.row(index),
      bars: () => rows.bars(),
    });
    this.#track.render({ axis: state.axis, zoom: state.zoom[state.axis], row: state.row, atMs });
    const { isGrowing, startedMs } = header;
    this.#transport.render({ state, total: rows.total, isPlaying, isGrowing, atMs, startedMs });
  }
}
