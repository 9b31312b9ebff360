/**
 * Host side of the session view: keeps the timeline of one session in sync with the journal,
 * validates the webview's requests, and sends the content that is in view.
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
 * Serves one webview for its lifetime, over any number of pages. VS Code destroys a hidden page, so
 * after `setVisible(false)` nothing is read or sent until the next page requests `ready`. Nothing
 * is ever sent before `ready`.
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
        this.#answerReads(connection);
        this.#answerDeeds(connection);
      },
      onGone: () => {
        options.source.setWatched(false);
        this.#frames.dispose();
      },
    });
  }

  /**
   * Connects or disconnects the page. Hiding ends the connection; after showing, the host waits
   * until the new page requests `ready`.
   */
  setVisible(isVisible: boolean): void {
    this.#page.setVisible(isVisible);
  }

  dispose(): void {
    this.#owned.dispose();
    this.#page.dispose();
  }

  #answerReads(connection: MessageConnection): void {
    connection.onRequest(protocol.ready, () => this.#answer(() => this.#start()));
    connection.onRequest(protocol.readRows, (asked: unknown) =>
      this.#answer(() => this.#rows(asked)),
    );
    connection.onRequest(protocol.readTrack, (asked: unknown) =>
      this.#answer(() => this.#track(asked)),
    );
    connection.onRequest(protocol.readStepDetail, (asked: unknown) =>
      this.#answer(() => stepDetailOf(this.#world, checked(requests.stepDetailRequest, asked).row)),
    );
    connection.onRequest(protocol.readWhole, (asked: unknown) =>
      this.#answer(() => {
        const { row, section } = checked(requests.wholeRequest, asked);
        return wholeText(this.#world, row, section);
      }),
    );
    connection.onRequest(protocol.findRow, (asked: unknown) =>
      this.#answer(() => stepAt(this.#timeline.steps, checked(requests.findRequest, asked).atMs)),
    );
    connection.onRequest(protocol.findTurn, (asked: unknown) =>
      this.#answer(() => {
        const { row, step } = checked(requests.turnRequest, asked);
        return turnFrom(this.#timeline.steps, row, step);
      }),
    );
    connection.onRequest(protocol.readLedger, () =>
      this.#answer(() => ledgerTable(this.#options.source.ledger())),
    );
    connection.onRequest(protocol.readInbox, () => this.#answer(() => inboxOf(this.#state)));
  }

  #answerDeeds(connection: MessageConnection): void {
    const { actions } = this.#options;
    connection.onRequest(protocol.answerQuestion, (asked: unknown) =>
      this.#answer(() => {
        const { questionId, answer } = checked(requests.answerRequest, asked);
        return this.#controls.answer(questionId, answer);
      }),
    );
    connection.onRequest(protocol.pinNote, (asked: unknown) =>
      this.#answer(
        async () => void (await this.#controls.pin(checked(requests.pinRequest, asked).text)),
      ),
    );
    connection.onRequest(protocol.unpinNote, (asked: unknown) =>
      this.#answer(
        async () => void (await this.#controls.unpin(checked(requests.unpinRequest, asked).number)),
      ),
    );
    connection.onNotification(protocol.openRunOutput, (asked: unknown) =>
      this.#attempt(() => actions.openRunOutput(checked(requests.runRequest, asked).runId)),
    );
    connection.onNotification(protocol.openMetrics, (asked: unknown) =>
      this.#attempt(() => {
        checked(requests.metricsRequest, asked);
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

  get #world() {
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
      throw new UserFacing('The journal does not begin with the start of a session.');
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

  /** Adds the new events of the journal to the timeline, each once. */
  #catchUp(): void {
    const events = this.#options.source.events();
    const newest = this.#states.events.at(-1);
    // If another process removed unacknowledged events from its journal file, the timeline starts
    // again.
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

  #rows(asked: unknown): RowsAnswer {
    const { from, to } = checked(requests.rowsRequest, asked);
    const { steps } = this.#timeline;
    const rows = steps.slice(from, to).map(({ row }) => row);
    return { from, rows, bars: barsBetween(this.#timeline, from, to), total: steps.length };
  }

  #track(asked: unknown): TrackAnswer {
    const nowMs = this.#isGoing ? this.#options.clock.now() : this.#state.lastEventMs;
    return trackAnswer(this.#timeline, checked(requests.trackRequest, asked), nowMs);
  }

  #sendChange(): void {
    void this.#attempt(() => {
      this.#catchUp();
      const change = { header: this.#header(), firstRow: this.#timeline.takeChanged() };
      return this.#page.current.sendNotification(protocol.sessionChanged, change);
    });
  }

  /** Answers a request. An error sent to the webview includes what the user can do. */
  async #answer<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UserFacing) throw refusal(adviceOf(error));
      throw error;
    }
  }

  /**
   * Runs an action and logs its errors, so that no error of the webview or the source ends the
   * host.
   */
  async #attempt(action: () => void | Promise<void>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#options.logger.warn(`Session view: ${messageOf(error)}`);
    }
  }
}
