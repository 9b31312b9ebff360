/** Schedules the probes of one machine. */
import type { Clock } from '../../base/clock.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import { backoffMs } from '../../base/retries.ts';
import { askTogether } from './batch.ts';
import { groups, probeKey, partsOf, type ProbePart } from './probeParts.ts';
import type { Probe, ProbedMachine, ProbeSink } from './probe.ts';

export interface Watched {
  readonly machine: ProbedMachine;
  readonly probe: Probe;
  readonly sink: ProbeSink<unknown>;
}

interface Entry extends Watched {
  /** Time of the next probe. */
  dueMs: number;
  /** Number of consecutive failures. */
  failures: number;
  /** Called when nobody watches the probe any more. */
  leave: () => void;
}

/** Minimum interval between two queries of a machine. */
const tickMs = 2000;
/** Time without changed answers after which the interval between queries is `calmTickMs`. */
const calmAfterMs = 2 * 60_000;
const calmTickMs = 4000;
/** Interval between two runs of a command, and between two lists of all processes. */
const commandMs = 5000;
const isCostly = ({ kind }: Probe): boolean => kind === 'command' || kind === 'pattern';
/**
 * Minimum wait after a probe, as a multiple of the probe's duration: a machine that answers slowly
 * is probed less often.
 */
const restPerProbe = 4;
const longestRestMs = 6000;
/** Delays before a probe that was not answered is repeated. */
const patience = { firstMs: tickMs, factor: 2, longestMs: 60_000 };
/** Time limit of a batch. A probe that takes longer is sent separately from then on. */
const withinSeconds = 5;
const slowCommandMs = 20_000;

export class HostProbes implements Disposable {
  readonly #clock: Clock;
  readonly #entries = new Set<Entry>();
  /** Keys of probes that were too slow for a batch. */
  readonly #slow = new Set<string>();
  readonly #lastAnswers = new Map<string, string>();
  #next: Disposable | undefined;
  #isProbing = false;
  #outages = 0;
  #changedMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#changedMs = clock.now();
  }

  get isIdle(): boolean {
    return this.#entries.size === 0;
  }

  add(watched: Watched): Disposable {
    const entry: Entry = { ...watched, dueMs: 0, failures: 0, leave: () => undefined };
    this.#entries.add(entry);
    // While the machine is down, an added probe must not shorten the delay before the next attempt.
    if (!this.#isProbing && (this.#outages === 0 || this.#next === undefined)) this.#probeIn(0);
    return toDisposable(() => {
      this.#entries.delete(entry);
      entry.leave();
      if (this.isIdle) this.dispose();
    });
  }

  dispose(): void {
    const entries = [...this.#entries];
    this.#entries.clear();
    for (const entry of entries) entry.leave();
    this.#next?.dispose();
    this.#next = undefined;
  }

  #probeIn(delayMs: number): void {
    this.#next?.dispose();
    this.#next = this.#clock.after(delayMs, () => {
      this.#next = undefined;
      void this.#probe();
    });
  }

  async #probe(): Promise<void> {
    const startMs = this.#clock.now();
    const due = [...this.#entries].filter(({ dueMs }) => dueMs <= startMs);
    this.#isProbing = true;
    try {
      await this.#ask(due);
      this.#outages = 0;
    } catch (error) {
      this.#outages += 1;
      for (const { sink } of due) sink.failed(messageOf(error));
    }
    this.#isProbing = false;
    if (this.isIdle) return;
    const nowMs = this.#clock.now();
    const isCalm = nowMs - this.#changedMs > calmAfterMs;
    const tookMs = Math.min(nowMs - startMs, longestRestMs / restPerProbe);
    const restMs = Math.max(isCalm ? calmTickMs : tickMs, tookMs * restPerProbe);
    const isNew = [...this.#entries].some(({ dueMs }) => dueMs === 0);
    this.#probeIn(
      this.#outages === 0 && isNew ? 0 : backoffMs({ ...patience, firstMs: restMs }, this.#outages),
    );
  }

  async #ask(due: readonly Entry[]): Promise<void> {
    const isAlone = ({ probe }: Entry): boolean =>
      probe.kind === 'command' && this.#slow.has(probeKey(probe));
    for (const entries of groups(due.filter(isAlone))) void this.#run(entries);
    const together = due.filter((entry) => !isAlone(entry));
    const [first] = together;
    if (first === undefined) return;
    const parts = partsOf(together, (probe) => this.#slow.has(probeKey(probe)));
    const answers = await askTogether(
      first.machine,
      parts.map(({ script }) => script),
      withinSeconds,
    );
    parts.forEach((part, index) => this.#deliver(part, answers[index]));
  }

  #deliver(part: ProbePart<Entry>, text: string | undefined): void {
    const nowMs = this.#clock.now();
    for (const entry of part.entries) {
      const key = probeKey(entry.probe);
      const answer = text === undefined ? undefined : part.read(text, entry);
      if (answer === undefined) this.#defer(entry, nowMs);
      else {
        entry.failures = 0;
        entry.dueMs = isCostly(entry.probe) ? nowMs + commandMs - tickMs / 2 : 1;
        if (part.entries.length === 1) this.#slow.delete(key);
      }
      if (!this.#entries.has(entry)) continue;
      if (answer === undefined)
        entry.sink.failed(
          text === undefined ? `no answer within ${withinSeconds} s` : 'its answer is invalid',
        );
      else if ('problem' in answer) entry.sink.failed(answer.problem);
      else this.#pass(entry, key, answer.value);
    }
  }

  #pass(entry: Entry, key: string, value: unknown): void {
    const shown = JSON.stringify(value);
    if (this.#lastAnswers.get(key) !== shown) this.#changedMs = this.#clock.now();
    this.#lastAnswers.set(key, shown);
    entry.sink.answer(value);
  }

  /**
   * Marks a probe that timed out. From now on, the probe is sent separately, after growing delays.
   * A slow command is run again immediately, with a longer time limit.
   */
  #defer(entry: Entry, nowMs: number): void {
    this.#slow.add(probeKey(entry.probe));
    const pauseMs = entry.probe.kind === 'command' ? 0 : backoffMs(patience, entry.failures);
    entry.failures += 1;
    entry.dueMs = nowMs + pauseMs;
  }

  /**
   * Runs a slow command separately, once for all its watchers. Ends the command when nobody watches
   * it any more.
   */
  async #run(entries: readonly Entry[]): Promise<void> {
    const [first] = entries;
    if (first?.probe.kind !== 'command') return;
    const over = new AbortController();
    for (const entry of entries) {
      entry.dueMs = Infinity;
      entry.leave = () => this.#present(entries).length === 0 && over.abort();
    }
    const startMs = this.#clock.now();
    try {
      const options = { timeoutMs: slowCommandMs, signal: over.signal };
      const { stdout, stderr, outcome } = await first.machine.exec(first.probe.command, options);
      const code = outcome.kind === 'exited' ? outcome.code : undefined;
      for (const entry of this.#present(entries))
        this.#pass(entry, probeKey(entry.probe), { code, stdout, stderr });
    } catch (error) {
      for (const entry of this.#present(entries)) entry.sink.failed(messageOf(error));
    }
    const nowMs = this.#clock.now();
    for (const entry of entries)
      entry.dueMs = nowMs + Math.max(commandMs, (nowMs - startMs) * restPerProbe);
  }

  #present(entries: readonly Entry[]): Entry[] {
    return entries.filter((entry) => this.#entries.has(entry));
  }
}
