/**
 * Extension side of the metrics panel: validates the webview's requests, answers them from a
 * source, and sends changes of the source to the webview.
 */
import 'vscode-jsonrpc/node';
import type { MessageConnection } from 'vscode-jsonrpc';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { PanelPort } from '../../protocol/connect.ts';
import {
  axisMetric,
  openRun,
  pointsAdded,
  readMattered,
  readSeries,
  ready,
  saveCsv,
  saveExport,
  type PanelState,
  type SeriesAnswer,
  type SeriesQuery,
} from '../../protocol/metricsPanel.ts';
import { panelDelta, stateChanged } from '../../protocol/panelDelta.ts';
import { checked, refusal } from '../webviews/viewRequests.ts';
import { PageConnection } from '../webviews/pageConnection.ts';
import { csvParts } from './csv.ts';
import { Frames } from '../ui/frames.ts';
import { answerQuery, type SeriesOfRuns } from './queryAnswer.ts';
import { countOf, type PanelActions, type PanelSource } from './panelSource.ts';
import { csvRequest, exportRequest, matteredQuery, openRequest, seriesQuery } from './requests.ts';
import { pointsSince } from './seriesAnswer.ts';
import { serveTable } from './tableHost.ts';

export interface PanelHostOptions {
  readonly source: PanelSource;
  readonly port: PanelPort;
  readonly actions: PanelActions;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Cursor {
  readonly runId: string;
  readonly metric: string;
  /** Number of points of the series that were already sent to the webview. */
  sent: number;
  isDue: boolean;
}

const frameMs = 100;

/**
 * Serves one webview for its lifetime. VS Code destroys the page of a hidden webview and loads a
 * new page when the webview is shown. Nothing is sent to a page before the page has requested
 * `ready`.
 */
export class PanelHost implements Disposable {
  readonly #options: PanelHostOptions;
  readonly #owned = new DisposableStore();
  readonly #stateFrames: Frames;
  readonly #pointFrames: Frames;
  readonly #cursors = new Map<string, Cursor>();
  readonly #page: PageConnection;
  /** The state that the webview has. */
  #sent: PanelState | undefined;

  constructor(options: PanelHostOptions) {
    this.#options = options;
    this.#stateFrames = this.#owned.add(
      new Frames(options.clock, frameMs, () => this.#sendState()),
    );
    this.#pointFrames = this.#owned.add(
      new Frames(options.clock, frameMs, () => void this.#sendPoints()),
    );
    this.#owned.add(
      options.source.onDidChangeState(() => this.#page.isReady && this.#stateFrames.request()),
    );
    this.#owned.add(
      options.source.onDidAddPoints(({ runId, metric }) => this.#noteAdded(runId, metric)),
    );
    this.#page = new PageConnection({
      port: options.port,
      serve: (connection) => this.#serve(connection),
      onGone: () => {
        options.source.setWatched?.(false);
        this.#cursors.clear();
        this.#sent = undefined;
        this.#stateFrames.dispose();
        this.#pointFrames.dispose();
      },
    });
  }

  /**
   * Called when the webview is shown or hidden. Hiding ends the connection to the page; after
   * showing, the host waits until the new page requests `ready`.
   */
  setVisible(isVisible: boolean): void {
    this.#page.setVisible(isVisible);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#page.dispose();
  }

  #serve(connection: MessageConnection): void {
    connection.onRequest(ready, () => this.#start());
    connection.onRequest(readSeries, (query: unknown) => this.#readSeries(query));
    serveTable(connection, this.#options.source, this.#options.actions);
    connection.onRequest(readMattered, (query: unknown) =>
      this.#options.source.mattered(checked(matteredQuery, query).runIds),
    );
    connection.onNotification(openRun, (request: unknown) =>
      this.#attempt(() => this.#options.actions.openRun(checked(openRequest, request).runId)),
    );
    connection.onNotification(saveExport, (request: unknown) =>
      this.#attempt(() => this.#saveExport(request)),
    );
    connection.onNotification(saveCsv, (request: unknown) =>
      this.#attempt(() => this.#saveCsv(request)),
    );
  }

  #start(): PanelState {
    this.#cursors.clear();
    this.#page.begin();
    this.#options.source.setWatched?.(true);
    this.#sent = this.#options.source.state();
    return this.#sent;
  }

  async #readSeries(request: unknown): Promise<SeriesAnswer> {
    const query: SeriesQuery = checked(seriesQuery, request);
    const connection = this.#page.current;
    const { runIds, metric } = query;
    const counter = axisMetric(query.axis);
    const all = await this.#seriesOf(runIds, metric);
    if (all.every((one) => one === undefined)) throw refusal(`There is no series ${metric}.`);
    const counters = counter === undefined ? [] : await this.#seriesOf(runIds, counter);
    const answer = await answerQuery(query, all, counters);
    if (connection !== this.#page.current) return answer;
    this.#noteRead(runIds, metric, all);
    if (counter !== undefined) this.#noteRead(runIds, counter, counters, true);
    return answer;
  }

  #seriesOf(runIds: readonly string[], metric: string): Promise<SeriesOfRuns> {
    return Promise.all(runIds.map(async (id) => this.#options.source.series(id, metric)));
  }

  /**
   * Sends the points that are added from now on. A mean, and a series over a counter, are read
   * again; their points are not sent.
   */
  #noteRead(
    runIds: readonly string[],
    metric: string,
    all: SeriesOfRuns,
    isReadAgain = runIds.length > 1,
  ): void {
    runIds.forEach((runId, index) => {
      const key = keyOf(runId, metric);
      const series = all[index];
      if (isReadAgain && this.#cursors.has(key)) return;
      const sent = series === undefined ? 0 : countOf(series);
      this.#cursors.set(key, { runId, metric, sent, isDue: false });
    });
  }

  #noteAdded(runId: string, metric: string): void {
    const cursor = this.#cursors.get(keyOf(runId, metric));
    if (cursor === undefined) return;
    cursor.isDue = true;
    this.#pointFrames.request();
  }

  #sendState(): void {
    void this.#attempt(async () => {
      const state = this.#options.source.state();
      const delta = this.#sent && panelDelta(this.#sent, state);
      if (delta === undefined) return;
      this.#sent = state;
      await this.#page.current.sendNotification(stateChanged, delta);
    });
  }

  async #sendPoints(): Promise<void> {
    const dueCursors = [...this.#cursors.values()].filter((cursor) => cursor.isDue);
    for (const cursor of dueCursors) {
      cursor.isDue = false;
      await this.#attempt(() => this.#sendPointsOf(cursor));
    }
  }

  async #sendPointsOf(cursor: Cursor): Promise<void> {
    const series = await this.#options.source.series(cursor.runId, cursor.metric);
    const isCurrent = this.#cursors.get(keyOf(cursor.runId, cursor.metric)) === cursor;
    if (series === undefined || !isCurrent || countOf(series) === cursor.sent) return;
    const added = pointsSince(series, cursor.sent);
    const total = countOf(series);
    cursor.sent = total;
    this.#notify(() =>
      this.#page.current.sendNotification(pointsAdded, {
        runId: cursor.runId,
        metric: cursor.metric,
        ...added,
        total,
      }),
    );
  }

  async #saveExport(request: unknown): Promise<void> {
    const { kind, name, base64 } = checked(exportRequest, request);
    await this.#options.actions.save({ kind, name, parts: once(Buffer.from(base64, 'base64')) });
  }

  async #saveCsv(request: unknown): Promise<void> {
    const { source, actions } = this.#options;
    const { runIds, metrics } = checked(csvRequest, request);
    const runs = source.state().runs.filter((run) => runIds.includes(run.id));
    await actions.save({ kind: 'csv', name: 'metrics', parts: csvParts(source, runs, metrics) });
  }

  #notify(send: () => Promise<void>): void {
    void this.#attempt(send);
  }

  /**
   * Runs an action and logs its errors, so that an error of the webview or the source does not
   * break the panel.
   */
  async #attempt(action: () => void | Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#options.logger.warn(`Metrics panel: ${messageOf(error)}`);
    }
  }
}

const keyOf = (runId: string, metric: string): string => `${runId}\n${metric}`;

async function* once(part: Uint8Array): AsyncIterable<Uint8Array> {
  yield part;
}
