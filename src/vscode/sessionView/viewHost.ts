/**
 * Extension side of the session view: keeps the timeline of one session in sync with the journal,
 * validates the webview's requests, and sends the rows and details that the webview shows.
 */
import 'vscode-jsonrpc/node';
import type { MessageConnection } from 'vscode-jsonrpc';
import type { SessionState } from '../../agent/journal/state.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import { adviceOf, messageOf, UserFacing } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { PanelPort } from '../../protocol/connect.ts';
import * as protocol from '../../protocol/sessionView.ts';
import type { RowsAnswer, SessionHeader, TrackAnswer } from '../../protocol/sessionView.ts';
import { Frames } from '../ui/frames.ts';
import { checked, refusal } from '../webviews/viewRequests.ts';
import { PageConnection } from '../webviews/pageConnection.ts';
import { inboxOf, headerOf } from './header.ts';
import { ledgerTable } from './ledgerTable.ts';
import { stepDetailOf, wholeText } from './stepDetail.ts';
import * as requests from './requests.ts';
import { SessionStates } from './states.ts';
import { barsBetween, stepAt, Timeline, turnFrom } from './timeline.ts';
import { trackAnswer } from './track.ts';
import type { SessionControls, SessionViewActions, SessionViewSource } from './viewSource.ts';

export interface SessionViewHostOptions {
  readonly source: SessionViewSource;
  readonly port: PanelPort;
  readonly actions: SessionViewActions;
  readonly clock: Clock;
  readonly logger: Logger;
}

const frameMs = 200;

/**
 * Serves one webview for its lifetime. VS Code destroys the page of a hidden webview and loads a
 * new page when the webview is shown. Nothing is read for a page or sent to it before the page has
 * requested `ready`.
 */
export class SessionViewHost implements Disposable {
  readonly #options: SessionViewHostOptions;
  readonly #owned = new DisposableStore();
  readonly #frames: Frames;
  #states = new SessionStates();
  #timeline = new Timeline();
  readonly #page: PageConnection;

  constructor(options: SessionViewHostOptions) {
    this.#options = options;
    this.#frames = this.#owned.add(new Frames(options.clock, frameMs, () => this.#sendChange()));
    this.#owned.add(options.source.onDidChange(() => this.#page.isReady && this.#frames.request()));
    this.#page = new PageConnection({
      port: options.port,
      serve: (connection) => {
        this.#serveReads(connection);
        this.#serveActions(connection);
      },
      onGone: () => {
        options.source.setWatched(false);
        this.#frames.dispose();
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

  #serveReads(connection: MessageConnection): void {
    connection.onRequest(protocol.ready, () => this.#answer(() => this.#start()));
    connection.onRequest(protocol.readRows, (request: unknown) =>
      this.#answer(() => this.#rows(request)),
    );
    connection.onRequest(protocol.readTrack, (request: unknown) =>
      this.#answer(() => this.#track(request)),
    );
    connection.onRequest(protocol.readStepDetail, (request: unknown) =>
      this.#answer(() =>
        stepDetailOf(this.#detailDeps, checked(requests.stepDetailRequest, request).row),
      ),
    );
    connection.onRequest(protocol.readWhole, (request: unknown) =>
      this.#answer(() => {
        const { row, section } = checked(requests.wholeRequest, request);
        return wholeText(this.#detailDeps, row, section);
      }),
    );
    connection.onRequest(protocol.findRow, (request: unknown) =>
      this.#answer(() => stepAt(this.#timeline.steps, checked(requests.findRequest, request).atMs)),
    );
    connection.onRequest(protocol.findTurn, (request: unknown) =>
      this.#answer(() => {
        const { row, step } = checked(requests.turnRequest, request);
        return turnFrom(this.#timeline.steps, row, step);
      }),
    );
    connection.onRequest(protocol.readLedger, () =>
      this.#answer(() => ledgerTable(this.#options.source.ledger())),
    );
    connection.onRequest(protocol.readInbox, () => this.#answer(() => inboxOf(this.#state)));
  }

  #serveActions(connection: MessageConnection): void {
    const { actions } = this.#options;
    connection.onRequest(protocol.answerQuestion, (request: unknown) =>
      this.#answer(() => {
        const { questionId, answer } = checked(requests.answerRequest, request);
        return this.#controls.answer(questionId, answer);
      }),
    );
    connection.onRequest(protocol.pinNote, (request: unknown) =>
      this.#answer(
        async () => void (await this.#controls.pin(checked(requests.pinRequest, request).text)),
      ),
    );
    connection.onRequest(protocol.unpinNote, (request: unknown) =>
      this.#answer(
        async () =>
          void (await this.#controls.unpin(checked(requests.unpinRequest, request).number)),
      ),
    );
    connection.onNotification(protocol.openRunOutput, (request: unknown) =>
      this.#attempt(() => actions.openRunOutput(checked(requests.runRequest, request).runId)),
    );
    connection.onNotification(protocol.openMetrics, (request: unknown) =>
      this.#attempt(() => {
        checked(requests.metricsRequest, request);
        actions.openMetrics();
      }),
    );
  }

  #start(): SessionHeader {
    this.#page.begin();
    this.#options.source.setWatched(true);
    this.#catchUp();
    this.#timeline.takeChanged();
    return this.#header();
  }

  get #detailDeps() {
    const nowMs = this.#isGoing ? { nowMs: this.#options.clock.now() } : {};
    return {
      source: this.#options.source,
      states: this.#states,
      timeline: this.#timeline,
      ...nowMs,
    };
  }

  get #state(): SessionState {
    const state = this.#states.last;
    if (state === undefined)
      throw new UserFacing('The journal of this session is damaged: its first event is missing.');
    return state;
  }

  get #isGoing(): boolean {
    return this.#options.source.isGrowing && this.#state.phase !== 'ended';
  }

  get #controls(): SessionControls {
    const controls = this.#options.source.controls();
    if (typeof controls === 'string') throw new UserFacing(controls);
    return controls;
  }

  /** Adds the events that were appended to the journal since the last call to the timeline. */
  #catchUp(): void {
    const events = this.#options.source.events();
    const newest = this.#states.events.at(-1);
    // A process removes new events from the journal if it cannot flush them to disk. If this window
    // has read such events, builds the timeline again from the first event.
    if (newest !== undefined && events[this.#states.events.length - 1]?.id !== newest.id) {
      this.#states = new SessionStates();
      this.#timeline = new Timeline();
    }
    for (let index = this.#states.events.length; index < events.length; index++) {
      const event = events[index];
      const state = event && this.#states.add(event);
      if (event !== undefined && state !== undefined) this.#timeline.add(event, index, state);
    }
  }

  #header(): SessionHeader {
    return headerOf(this.#options.source, this.#state, this.#timeline.steps.length);
  }

  #rows(request: unknown): RowsAnswer {
    const { from, to } = checked(requests.rowsRequest, request);
    const { steps } = this.#timeline;
    const rows = steps.slice(from, to).map(({ row }) => row);
    return { from, rows, bars: barsBetween(this.#timeline, from, to), total: steps.length };
  }

  #track(request: unknown): TrackAnswer {
    const nowMs = this.#isGoing ? this.#options.clock.now() : this.#state.lastEventMs;
    return trackAnswer(this.#timeline, checked(requests.trackRequest, request), nowMs);
  }

  #sendChange(): void {
    void this.#attempt(() => {
      this.#catchUp();
      const change = { header: this.#header(), firstRow: this.#timeline.takeChanged() };
      return this.#page.current.sendNotification(protocol.sessionChanged, change);
    });
  }

  /** Runs the work of a request. Adds the advice of a `UserFacing` error to the error message. */
  async #answer<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UserFacing) throw refusal(adviceOf(error));
      throw error;
    }
  }

  /**
   * Runs an action and logs its errors, so that an error of the webview or the source does not
   * break the session view.
   */
  async #attempt(action: () => void | Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#options.logger.warn(`Session view: ${messageOf(error)}`);
    }
  }
}
