import type { JournalEvent, SessionEvent } from '../../src/agent/journal/events.ts';
import { foldSession } from '../../src/agent/journal/fold.ts';
import { ledgerOf } from '../../src/agent/runs/sessionLedger.ts';
import type { RunId, SessionId } from '../../src/base/ids.ts';
import type { Ledger } from '../../src/experiments/ledger.ts';
import type { SeriesColumns } from '../../src/metrics/metric.ts';
import type {
  SessionControls,
  SessionViewSource,
} from '../../src/vscode/sessionView/viewSource.ts';
import { WatchedEmitter } from './watchedEmitter.ts';

/** A session in memory, written by the test as it goes. */
export class MemorySessionSource implements SessionViewSource {
  readonly id = 's-000000001demo' as SessionId;
  readonly #changed = new WatchedEmitter<void>();
  readonly #events: JournalEvent[] = [];
  #added = 0;
  readonly #series = new Map<string, SeriesColumns>();
  readonly onDidChange = this.#changed.event;
  /** What the user did, in words. */
  readonly deeds: string[] = [];
  /** Texts beside the journal, by their path. */
  readonly files = new Map<string, string>();
  isGrowing = true;
  isWatched = false;
  /** Why nothing can be done from here. */
  readOnly: string | undefined;
  /** Set to make every reading of the journal fail with this message. */
  failure: string | undefined;
  /** Of the newest event; each is a second after the one before unless the test says otherwise. */
  atMs: number;

  constructor(goal = 'bring loss < 1', startedMs = Date.UTC(2026, 0, 1, 22)) {
    this.atMs = startedMs;
    const model = { provider: 'demo', model: 'scripted-1' };
    const start = {
      sessionId: this.id,
      goal,
      budget: { usd: 5 },
      ...model,
      workFolder: '/work',
      helios: '0',
    };
    this.add({ type: 'session.started', ...start });
    this.add({ type: 'message.added', origin: 'goal', text: `The goal:\n${goal}` });
  }

  get hasListeners(): boolean {
    return this.#changed.hasListeners;
  }

  add(event: SessionEvent, afterMs = 1_000): this {
    this.atMs += this.#events.length === 0 ? 0 : afterMs;
    this.#events.push({ v: 1, id: `e${(this.#added += 1)}`, at: this.atMs, ...event });
    return this;
  }

  changed(): void {
    this.#changed.fire();
  }

  /**
   * Drops the newest events, as a journal does whose writer took back what was never acknowledged.
   */
  takeBack(count: number): void {
    this.#events.splice(-count, count);
  }

  setSeries(runId: RunId, metric: string, columns: SeriesColumns): void {
    this.#series.set(`${runId}/${metric}`, columns);
  }

  events(): readonly JournalEvent[] {
    if (this.failure !== undefined) throw new Error(this.failure);
    return this.#events;
  }

  ledger(): Ledger {
    const state = foldSession(this.#events);
    if (state === undefined) throw new Error('no session');
    return ledgerOf(state, (run) => run.metrics);
  }

  controls(): SessionControls | string {
    const note = (deed: string): Promise<void> => {
      this.deeds.push(deed);
      return Promise.resolve();
    };
    return (
      this.readOnly ?? {
        answer: (id, answer) => note(`answer ${id}: ${answer}`),
        pin: (text) => note(`pin ${text}`),
        unpin: (number) => note(`unpin ${number}`),
      }
    );
  }

  series(runId: RunId, metric: string): Promise<SeriesColumns | undefined> {
    return Promise.resolve(this.#series.get(`${runId}/${metric}`));
  }

  readFile(path: string, maxChars: number): Promise<string> {
    const text = this.files.get(path);
    return text === undefined
      ? Promise.reject(new Error(`no file ${path}`))
      : Promise.resolve(text.slice(0, maxChars));
  }

  setWatched(isWatched: boolean): void {
    this.isWatched = isWatched;
  }
}
