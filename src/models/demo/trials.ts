/**
 * The tried points and their results. Every value was measured by a run and read from the
 * conversation.
 */
import type { DemoGoal } from './goal.ts';
import { pointText, readPoint, type Point, type Space } from './space.ts';
import { asRecord, fieldsOf, succeeded, type PastCall, type Transcript } from './transcript.ts';

export interface Trial {
  readonly point: Point;
  /** Number of the run within its session. */
  number?: number;
  /** `machine:pid`. */
  handle?: string;
  runId?: string;
  /** For example `e3`. */
  experiment?: string;
  /** For example `ok` or `failed (exit code 1)`; absent while the run is running. */
  verdict?: string;
  /**
   * Last value of the goal's metric: NaN if the run diverged, absent if the run never printed the
   * metric.
   */
  value?: number;
  /** Whether the metrics of the run were read after the run ended. */
  isReviewed: boolean;
  /** Number of launches of this point in the conversation. */
  launches: number;
}

export const isRunning = (trial: Trial): boolean => trial.verdict === undefined;
export const isMeasured = (trial: Trial): trial is Trial & { value: number } =>
  trial.verdict === 'ok' && trial.value !== undefined && Number.isFinite(trial.value);
/** Returns whether the metric became infinite or NaN, because the learning rate was too large. */
export const isDiverged = (trial: Trial): boolean =>
  trial.value !== undefined && !Number.isFinite(trial.value);

/** Returns the name of a trial for use within a sentence. */
export const nameOf = ({ number, point }: Trial): string =>
  number === undefined ? pointText(point) : `run ${number}`;

/**
 * Returns the trials, oldest first, one per point. Omits failed launches, and points whose only run
 * was lost, because these measured nothing.
 */
export function readTrials(transcript: Transcript, space: Space, goal: DemoGoal): Trial[] {
  const book = new TrialBook(space, goal);
  for (let turn = 0; turn <= transcript.turn; turn += 1) {
    for (const { text } of transcript.told.filter((one) => one.turn === turn)) book.readText(text);
    for (const call of transcript.calls.filter((one) => one.turn === turn)) book.readCall(call);
  }
  return book.trials.filter((trial) => trial.launches > 1 || !/^lost\b/.test(trial.verdict ?? ''));
}

class TrialBook {
  readonly #space: Space;
  readonly #goal: DemoGoal;
  readonly #byPoint = new Map<string, Trial>();

  constructor(space: Space, goal: DemoGoal) {
    this.#space = space;
    this.#goal = goal;
  }

  get trials(): Trial[] {
    return [...this.#byPoint.values()];
  }

  readText(text: string): void {
    this.#readBriefing(text);
    this.#readEnds(text);
    this.#readDigest(text);
  }

  readCall(call: PastCall): void {
    switch (call.name) {
      case 'remote_exec_background':
        return this.#readLaunch(call);
      case 'show_metrics':
        return this.#readMetrics(call);
      case 'task_output':
        return this.#readOutput(call);
      case 'kill_task':
        return this.#readKill(call);
    }
  }

  /** Reads the table of runs in a briefing, which replaces an older conversation. */
  #readBriefing(text: string): void {
    for (const line of text.matchAll(/^- run (\d+) · (.+)$/gm)) {
      const parts = (line[2] ?? '').split(' · ');
      const point =
        readPoint(parts.at(-1) ?? '', this.#space) ??
        parts.map((part) => readPoint(part, this.#space))[0];
      if (point === undefined) continue;
      const trial = this.#at(point);
      trial.number = Number(line[1]);
      const handle = parts.find((part) => /^[\w.-]+:\d+$/.test(part));
      const runId = parts.find((part) => /^r-[0-9a-z]+$/.test(part));
      if (handle !== undefined) trial.handle = handle;
      if (runId !== undefined) trial.runId = runId;
      const verdict = parts.find((part) => verdictPattern.test(part));
      if (verdict === undefined) continue;
      trial.verdict = verdict;
      trial.isReviewed = true;
      this.#readValue(trial, line[2] ?? '');
    }
  }

  #readLaunch(call: PastCall): void {
    const point = readPoint(String(call.input['command'] ?? ''), this.#space);
    if (point === undefined || !succeeded(call)) return;
    const fields = fieldsOf(call.result?.text ?? '');
    const trial = this.#startOver(point);
    const number = /\d+/.exec(String(fields['run'] ?? fields['number'] ?? ''))?.[0];
    const handle = fields['task'] ?? fields['handle'] ?? this.#handleFrom(fields);
    if (number !== undefined) trial.number = Number(number);
    if (typeof handle === 'string') trial.handle = handle;
    if (typeof fields['run_id'] === 'string') trial.runId = fields['run_id'];
    if (typeof fields['experiment'] === 'string') trial.experiment = fields['experiment'];
  }

  /** Reads the lines of a digest: `- run 3  val_loss 1.9  ended: ok after 3 min  40 points · lr=0.1`. */
  #readDigest(text: string): void {
    for (const [, number, rest = ''] of text.matchAll(/^- run (\d+) {2,}(.+)$/gm)) {
      const [, verdict] = / {2}ended: (.+?)(?: after \d[^·]*?)?(?: {2}|$)/.exec(rest) ?? [];
      const trial = this.trials.find((one) => one.number === Number(number));
      if (trial === undefined || verdict === undefined) continue;
      trial.verdict = verdict;
      this.#readValue(trial, rest);
    }
  }

  /** Reads `[Run 3 (lr=0.1) ended: ok · val_loss last 1.9 best 1.8 (40 points)]`. */
  #readEnds(text: string): void {
    for (const [, number, label = '', rest = ''] of text.matchAll(
      /\[Run (\d+) \(([^)]*)\) ended: ([^\]\n]*)/g,
    )) {
      const known = this.trials.find((trial) => trial.number === Number(number));
      const point = known?.point ?? readPoint(label, this.#space);
      if (point === undefined) continue;
      const trial = this.#at(point);
      trial.number = Number(number);
      trial.verdict = rest.split(' · ')[0] ?? rest;
      this.#readValue(trial, rest);
    }
  }

  #readMetrics(call: PastCall): void {
    const trial = this.#byTask(call.input['task_id']);
    if (trial === undefined || isRunning(trial) || call.result === undefined) return;
    trial.isReviewed = true;
    const value = succeeded(call)
      ? lastValueOf(fieldsOf(call.result.text), this.#goal.metric)
      : undefined;
    if (value !== undefined) trial.value = value;
  }

  /** Takes the end of a run from the result of `task_output`, if no message has reported it. */
  #readOutput(call: PastCall): void {
    const trial = this.#byTask(`${String(call.input['machine_id'])}:${String(call.input['pid'])}`);
    if (trial === undefined || !isRunning(trial) || !succeeded(call)) return;
    const fields = fieldsOf(call.result?.text ?? '');
    if (fields['running'] === false)
      trial.verdict = typeof fields['status'] === 'string' ? fields['status'] : 'ok';
  }

  #readKill(call: PastCall): void {
    const trial = this.#byTask(`${String(call.input['machine_id'])}:${String(call.input['pid'])}`);
    if (trial !== undefined && isRunning(trial) && succeeded(call)) trial.verdict = 'killed';
  }

  #at(point: Point): Trial {
    const key = pointText(point);
    const trial = this.#byPoint.get(key) ?? { point, isReviewed: false, launches: 0 };
    this.#byPoint.set(key, trial);
    return trial;
  }

  #startOver(point: Point): Trial {
    const key = pointText(point);
    const trial = {
      point,
      isReviewed: false,
      launches: (this.#byPoint.get(key)?.launches ?? 0) + 1,
    };
    this.#byPoint.set(key, trial);
    return trial;
  }

  #byTask(task: unknown): Trial | undefined {
    return this.trials.find(
      ({ handle, runId }) => task !== undefined && (handle === task || runId === task),
    );
  }

  #handleFrom(fields: Readonly<Record<string, unknown>>): string | undefined {
    const pid = fields['pid'];
    return typeof pid === 'number'
      ? `${String(fields['machine_id'] ?? 'local')}:${pid}`
      : undefined;
  }

  #readValue(trial: Trial, text: string): void {
    const value = new RegExp(
      `(?:^|[\\s·])(?:\\S+/)?${escaped(this.#goal.metric)} (?:last )?(\\S+)`,
      'i',
    ).exec(text)?.[1];
    if (value !== undefined) trial.value = readNumber(value);
  }
}

const verdictPattern =
  /^(?:ok|failed|ended by signal|out of memory|time limit|killed|preempted|lost)\b/;

/** Returns the last value of `metric` in a result of show_metrics; undefined if there is none. */
function lastValueOf(
  fields: Readonly<Record<string, unknown>>,
  metric: string,
): number | undefined {
  const list = Array.isArray(fields['metrics']) ? fields['metrics'].map(asRecord) : [];
  const metricEntry = list.find(
    (entry) => String(entry['name'] ?? entry['metric']).toLowerCase() === metric.toLowerCase(),
  );
  const value = metricEntry?.['latest'] ?? metricEntry?.['last'];
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? readNumber(value) : undefined;
}

const readNumber = (text: string): number => Number(text.replace(/^([-+]?)inf$/i, '$1Infinity'));
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
