import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Session } from '../../../src/agent/contract/sessions.ts';
import type { JournalEvent, SessionEvent, StreamEvent } from '../../../src/agent/journal/events.ts';
import { applyEvent } from '../../../src/agent/journal/fold.ts';
import type { SessionState } from '../../../src/agent/journal/state.ts';
import {
  followSession,
  type FollowEnd,
  type FollowOptions,
} from '../../../src/vscode/chat/follow.ts';
import type { ChatPart } from '../../../src/vscode/sessions/chatPart.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import { WatchedEmitter } from '../../fakes/watchedEmitter.ts';
import { recorded, sessionId, started, stateOf } from './states.ts';

/** As much of a session as following it needs; events are recorded by hand. */
class ToldSession implements Pick<
  Session,
  'id' | 'state' | 'onDidRecord' | 'onDidStream' | 'events' | 'say'
> {
  readonly id = sessionId;
  readonly #records = new WatchedEmitter<JournalEvent>();
  readonly #streams = new WatchedEmitter<StreamEvent>();
  readonly onDidRecord = this.#records.event;
  readonly onDidStream = this.#streams.event;
  readonly said: string[] = [];
  readonly #events: JournalEvent[] = [started()];
  state: SessionState;
  refusal: Error | undefined;

  constructor(state: Partial<SessionState> = {}) {
    this.state = stateOf(state);
  }

  get isHeard(): boolean {
    return this.#records.hasListeners || this.#streams.hasListeners;
  }

  events(): readonly JournalEvent[] {
    return this.#events;
  }

  say(text: string): Promise<void> {
    if (this.refusal !== undefined) return Promise.reject(this.refusal);
    this.said.push(text);
    return Promise.resolve();
  }

  record(event: SessionEvent): void {
    const entry = recorded(event);
    this.#events.push(entry);
    this.state = applyEvent(this.state, entry);
    this.#records.fire(entry);
  }

  stream(event: StreamEvent): void {
    this.#streams.fire(event);
  }
}

const sleep: SessionEvent = {
  type: 'sleep.started',
  sleepId: 's',
  callId: 'c',
  request: { reason: 'a rest', logic: 'any', triggers: [] },
};
const wake: SessionEvent = {
  type: 'sleep.ended',
  sleepId: 's',
  why: 'trigger',
  detail: 'run 1 ended',
};
const end: SessionEvent = { type: 'session.ended', reason: 'goal', summary: '', evidence: [] };
const toolStart: SessionEvent = {
  type: 'tool.started',
  callId: 'c',
  name: 'x',
  effect: 'read',
  title: 'Reads',
};
const toolEnd: SessionEvent = {
  type: 'tool.finished',
  callId: 'c',
  name: 'x',
  text: '',
  isError: false,
  durationMs: 1,
};

function follow(session: ToldSession, options: Partial<FollowOptions> = {}) {
  const clock = new ManualClock();
  const parts: ChatPart[] = [];
  const abort = new AbortController();
  const ended: Promise<FollowEnd> = followSession(session as unknown as Session, {
    show: (part) => parts.push(part),
    clock,
    limitMs: 600_000,
    sleepPatienceMs: 20_000,
    signal: abort.signal,
    ...options,
  });
  return { clock, parts, abort, ended };
}

describe('following a session', () => {
  it('shows what happens until the end, and lets go of everything then', async () => {
    const session = new ToldSession({ phase: 'thinking' });
    const { ended, parts, clock } = follow(session);
    session.record(toolStart);
    session.record(toolEnd);
    session.record(end);
    assert.equal(await ended, 'ended');
    assert.deepEqual(
      parts.map(({ kind }) => kind),
      ['line', 'line'],
    );
    assert.equal(session.isHeard, false);
    assert.equal(clock.pendingTimers, 0);
  });

  it('follows through a short sleep and returns from a long one', async () => {
    const session = new ToldSession({ phase: 'thinking' });
    const { ended, clock } = follow(session);
    session.record(sleep);
    await clock.advance(19_000);
    session.record(wake);
    await clock.advance(60_000);
    assert.equal(session.isHeard, true);
    session.record(sleep);
    await clock.advance(20_000);
    assert.equal(await ended, 'sleeping');
    assert.equal(clock.pendingTimers, 0);
  });

  it('returns within a second when VS Code asks for it, whatever the session waits for', async () => {
    for (const phase of ['thinking', 'acting', 'sleeping'] as const) {
      const session = new ToldSession({ phase });
      let isRequested = false;
      const { ended, clock } = follow(session, { isYieldRequested: () => isRequested });
      await clock.advance(5_000);
      assert.equal(session.isHeard, true);
      isRequested = true;
      await clock.advance(1_000);
      assert.equal(await ended, 'yielded');
      assert.deepEqual([session.isHeard, clock.pendingTimers], [false, 0]);
    }
  });

  it('waits as long for a session that sleeps already', async () => {
    const { ended, clock } = follow(new ToldSession({ phase: 'sleeping' }));
    await clock.advance(20_000);
    assert.equal(await ended, 'sleeping');
  });

  it('does not wait for a session that is paused or ended', async () => {
    for (const phase of ['paused', 'ended'] as const) {
      const session = new ToldSession({ phase });
      assert.equal(await follow(session).ended, phase);
      assert.equal(session.isHeard, false);
    }
  });

  it('says a message and follows what comes of it, also where the session was paused', async () => {
    const session = new ToldSession({ phase: 'paused' });
    const { ended } = follow(session, { say: 'try a smaller rate' });
    assert.deepEqual(session.said, ['try a smaller rate']);
    session.record(end);
    assert.equal(await ended, 'ended');
  });

  it('tells when a message was not taken', async () => {
    const session = new ToldSession();
    session.refusal = new Error('the journal is full');
    const { ended, parts } = follow(session, { say: 'x' });
    assert.equal(await ended, 'failed');
    assert.match(JSON.stringify(parts), /journal is full/);
  });

  it('stops at the limit and when it is cancelled', async () => {
    const limited = follow(new ToldSession({ phase: 'thinking' }), { limitMs: 1_000 });
    await limited.clock.advance(1_000);
    assert.equal(await limited.ended, 'time');
    const cancelled = follow(new ToldSession({ phase: 'thinking' }));
    cancelled.abort.abort();
    assert.equal(await cancelled.ended, 'cancelled');
  });

  it('shows progress only where nothing else comes for two seconds', async () => {
    const session = new ToldSession({ phase: 'acting' });
    const { parts, clock, abort } = follow(session);
    session.record(toolStart);
    await clock.advance(1_900);
    session.record(toolEnd);
    session.record(toolStart);
    await clock.advance(2_000);
    assert.deepEqual(
      parts.map(({ kind }) => kind),
      ['line', 'progress'],
    );
    abort.abort();
    assert.equal(clock.pendingTimers, 0);
  });

  it('counts down to the next call of the model, until something else comes', async () => {
    const session = new ToldSession({ phase: 'thinking' });
    const { clock, parts } = follow(session);
    session.stream({ type: 'text.discarded', why: 'Lab is limiting requests', retryMs: 25_000 });
    await clock.advance(20_000);
    session.record(toolEnd);
    await clock.advance(30_000);
    assert.deepEqual(
      parts.map((part) => (part.kind === 'retry' ? part.retryMs : part.kind)),
      [25_000, 15_000, 5_000, 'line'],
    );
    session.record(end);
  });

  it('shows what happened before, for a session that was just started', async () => {
    const session = new ToldSession({ phase: 'thinking' });
    session.record({ type: 'model.requested', turn: 1, provider: 'p', model: 'm' });
    const { parts, abort } = follow(session, { fromStart: true });
    session.stream({ type: 'text.delta', text: 'Plan' });
    assert.deepEqual(parts.slice(1), [{ kind: 'text', markdown: 'Plan' }]);
    abort.abort();
  });
});
