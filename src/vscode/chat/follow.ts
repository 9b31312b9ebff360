/**
 * Streams a session to the chat until the session sleeps, pauses or ends, or the chat request is
 * cancelled.
 */
import type { Attachment } from '../../agent/contract/attachment.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable.ts';
import { adviceOf } from '../../base/errors.ts';
import type { ChatPart } from '../sessions/chatPart.ts';
import { Transcript } from '../sessions/transcript.ts';
import { plain } from '../../base/markdown.ts';

/**
 * Reason why following a session ended.
 * - `time`: `limitMs` has passed; the session continues
 * - `cancelled`: the signal was aborted
 * - `yielded`: the user wrote another message, which VS Code delivers when this request has ended
 * - `failed`: the user's message (`say`) could not be sent to the session
 */
export type FollowEnd =
  'sleeping' | 'paused' | 'ended' | 'time' | 'cancelled' | 'yielded' | 'failed';

export interface FollowOptions {
  readonly show: (part: ChatPart) => void;
  readonly clock: Clock;
  readonly limitMs: number;
  /**
   * Time that the session may sleep before following ends. During a shorter sleep, following
   * continues.
   */
  readonly sleepPatienceMs: number;
  readonly signal: AbortSignal;
  /** Returns whether another message of the user waits for the end of this request. */
  readonly isYieldRequested?: () => boolean;
  /** Message of the user, which is sent to the session first. */
  readonly say?: string;
  readonly attachments?: readonly Attachment[];
  /** Whether to show the session's earlier events too. Set for a session that was just started. */
  readonly fromStart?: boolean;
}

/**
 * Time without other output after which a progress message is shown. Not shown immediately, because
 * VS Code collapses everything before the last progress message when the response is complete.
 */
const progressAfterMs = 2_000;
/** Interval of the count down. Longer than a second for the same reason. */
const countDownMs = 10_000;
/** Interval at which VS Code's request to yield is looked for; it fires no event. */
const yieldCheckMs = 300;

/**
 * Follows a session and resolves with the reason why following ended. Never rejects. For a paused
 * or ended session, resolves immediately unless there is a message to send.
 */
export function followSession(session: Session, options: FollowOptions): Promise<FollowEnd> {
  const { phase } = session.state;
  const following = new Following(session, options);
  if (options.say === undefined && (phase === 'paused' || phase === 'ended')) {
    following.dispose();
    return Promise.resolve(phase);
  }
  return following.ended;
}

class Following implements Disposable {
  readonly #session: Session;
  readonly #options: FollowOptions;
  readonly #transcript = new Transcript();
  readonly #owned = new DisposableStore();
  readonly #ended = Promise.withResolvers<FollowEnd>();
  readonly ended = this.#ended.promise;
  #progress: Disposable | undefined;
  #sleep: Disposable | undefined;
  #yield: Disposable | undefined;

  constructor(session: Session, options: FollowOptions) {
    this.#session = session;
    this.#options = options;
    const { clock, signal } = options;
    if (options.fromStart)
      for (const event of session.events())
        this.#show(this.#transcript.event(event, session.state));
    this.#owned.add(session.onDidStream((event) => this.#show(this.#transcript.stream(event))));
    this.#owned.add(session.onDidRecord((event) => this.#onEvent(event)));
    this.#owned.add(clock.after(options.limitMs, () => this.#end('time')));
    this.#watchYield();
    const onAbort = (): void => this.#end('cancelled');
    signal.addEventListener('abort', onAbort, { once: true });
    this.#owned.add(toDisposable(() => signal.removeEventListener('abort', onAbort)));
    if (signal.aborted) onAbort();
    else if (options.say !== undefined) this.#say(options.say);
    else if (session.state.phase === 'sleeping') this.#waitForWake();
  }

  dispose(): void {
    this.#progress?.dispose();
    this.#sleep?.dispose();
    this.#yield?.dispose();
    this.#owned.dispose();
  }

  #watchYield(): void {
    const { clock, isYieldRequested } = this.#options;
    if (isYieldRequested === undefined) return;
    this.#yield = clock.after(yieldCheckMs, () => {
      if (isYieldRequested()) this.#end('yielded');
      else this.#watchYield();
    });
  }

  #say(text: string): void {
    this.#session.say(text, this.#options.attachments).catch((error: unknown) => {
      const markdown = `The message was not sent: ${plain(adviceOf(error), 300)}`;
      this.#show([{ kind: 'line', icon: 'error', markdown }]);
      this.#end('failed');
    });
  }

  #onEvent(event: JournalEvent): void {
    this.#show(this.#transcript.event(event, this.#session.state));
    if (event.type === 'session.paused') this.#end('paused');
    if (event.type === 'session.ended') this.#end('ended');
    if (event.type === 'sleep.started') this.#waitForWake();
    if (event.type === 'sleep.ended') this.#sleep?.dispose();
  }

  #waitForWake(): void {
    const { clock, sleepPatienceMs } = this.#options;
    this.#sleep?.dispose();
    this.#sleep = clock.after(sleepPatienceMs, () => this.#end('sleeping'));
  }

  #show(parts: readonly ChatPart[]): void {
    for (const part of parts) {
      this.#progress?.dispose();
      if (part.kind === 'retry') this.#countDown(part);
      else if (part.kind === 'progress')
        this.#progress = this.#options.clock.after(progressAfterMs, () => this.#options.show(part));
      else this.#options.show(part);
    }
  }

  /** Shows the time until the next try again and again, until another part follows. */
  #countDown(part: ChatPart & { kind: 'retry' }): void {
    this.#options.show(part);
    const retryMs = part.retryMs - countDownMs;
    this.#progress =
      retryMs > 0
        ? this.#options.clock.after(countDownMs, () => this.#countDown({ ...part, retryMs }))
        : undefined;
  }

  #end(end: FollowEnd): void {
    this.dispose();
    this.#ended.resolve(end);
  }
}
