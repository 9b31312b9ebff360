/** Shows a session as it works, until it waits, ends, or is no longer watched. Pure: no `vscode` here. */
import type { Session } from '../agent/engine.ts';
import type { JournalEvent } from '../agent/events.ts';
import type { Clock } from '../base/clock.ts';
import { DisposableStore, toDisposable } from '../base/disposable.ts';
import { messageOf } from '../base/errors.ts';
import { Transcript, type ChatPart } from './present/transcript.ts';
import { plain } from './present/words.ts';

/** - `time`: the limit has passed, the session goes on · `cancelled`: the signal was aborted · `failed`: the message was not taken */
export type FollowEnd = 'sleeping' | 'paused' | 'ended' | 'time' | 'cancelled' | 'failed';

export interface FollowOptions {
  readonly show: (part: ChatPart) => void;
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** A message of the person's: it is sent, and what it brings about is followed. */
  readonly say?: string;
  /** Shows what happened before: for a session that was started a moment ago. */
  readonly fromStart?: boolean;
}

/** Never rejects. A session that waits already is not followed, unless there is something to say to it. */
export function followSession(session: Session, options: FollowOptions): Promise<FollowEnd> {
  const { show, clock, signal, say } = options;
  const transcript = new Transcript();
  const showAll = (parts: readonly ChatPart[]): void => parts.forEach(show);
  if (options.fromStart) for (const event of session.events()) showAll(transcript.event(event, session.state));
  const waiting = waitingEnd(session);
  if (say === undefined && waiting !== undefined) return Promise.resolve(waiting);
  return new Promise((resolve) => {
    const owned = new DisposableStore();
    const end = (why: FollowEnd): void => {
      owned.dispose();
      resolve(why);
    };
    owned.add(session.onDidStream((event) => showAll(transcript.stream(event, clock.now()))));
    owned.add(
      session.onDidRecord((event) => {
        showAll(transcript.event(event, session.state));
        const why = endOf(event);
        if (why !== undefined) end(why);
      }),
    );
    owned.add(clock.after(options.limitMs, () => end('time')));
    const onAbort = (): void => end('cancelled');
    signal.addEventListener('abort', onAbort, { once: true });
    owned.add(toDisposable(() => signal.removeEventListener('abort', onAbort)));
    if (signal.aborted) return onAbort();
    if (say === undefined) return;
    session.say(say).catch((error: unknown) => {
      show({ kind: 'line', icon: 'error', markdown: `The message was not taken: ${plain(messageOf(error), 300)}` });
      end('failed');
    });
  });
}

function endOf(event: JournalEvent): FollowEnd | undefined {
  if (event.type === 'sleep.started') return 'sleeping';
  if (event.type === 'session.paused') return 'paused';
  return event.type === 'session.ended' ? 'ended' : undefined;
}

function waitingEnd({ state }: Session): FollowEnd | undefined {
  return state.phase === 'sleeping' || state.phase === 'paused' || state.phase === 'ended' ? state.phase : undefined;
}
