/**
 * Measures how long the session has worked without progress: a run, a change on any machine, a
 * decision, or new output of a command.
 */
import { createHash } from 'node:crypto';
import type { JournalEvent } from '../journal/events.ts';
import { growingFold } from '../journal/growingFold.ts';

/**
 * Number that a turn without a tool call adds to the score of idleness. A turn with tool calls but
 * without progress adds 1.
 */
const talkWeight = 6;

export interface Idleness {
  /** Consecutive turns without a tool call. */
  readonly talkTurns: number;
  /** Sum of the scores of the turns since the last progress: see `talkWeight`. */
  readonly score: number;
  /** True if the model was warned since the last progress. */
  readonly isWarned: boolean;
}

/**
 * Minimum duration of a sleep, with an active run, that is treated as progress. A shorter sleep is
 * treated as polling.
 */
const patientMs = 60_000;

/**
 * Returns for how many turns the session has been idle since its last progress. A message of the
 * user resets the count.
 */
export function idleness(events: readonly JournalEvent[]): Idleness {
  const { talkTurns, score, isWarned } = countOf(events);
  return { talkTurns, score, isWarned };
}

interface Count {
  talkTurns: number;
  score: number;
  isWarned: boolean;
  readonly waits: Waits;
  readonly calls: Calls;
  /** Runs of the user, which are no progress of the session. */
  readonly reproductions: Set<string>;
}

const countOf = growingFold<JournalEvent, Count>(
  () => ({
    talkTurns: 0,
    score: 0,
    isWarned: false,
    waits: new Waits(),
    calls: new Calls(),
    reproductions: new Set(),
  }),
  (count, event) => {
    const isPatient = count.waits.endsPatiently(event);
    const isNew = count.calls.changeSomething(event);
    if (event.type === 'run.planned' && event.spec.isReproduction)
      count.reproductions.add(event.spec.id);
    if (isPatient || isNew || isProgress(event, count.reproductions)) {
      count.talkTurns = 0;
      count.score = 0;
      count.isWarned = false;
    } else if (isWarning(event)) {
      count.isWarned = true;
    } else if (
      event.type === 'model.replied' &&
      event.stop !== 'error' &&
      event.stop !== 'aborted'
    ) {
      const hasCalls = event.content.some((block) => block.type === 'tool_call');
      count.talkTurns = hasCalls ? 0 : count.talkTurns + 1;
      count.score += hasCalls ? 1 : talkWeight;
    }
  },
);

const warning = 'No progress for some time';
/** Turns before the end at which the model is warned. */
const warnTurns = 5;

/** Returns the warning that is due before the session ends; `undefined` if none is. */
export function idleWarning(idle: Idleness, idleTurns: number): string | undefined {
  const isDue = idle.score >= Math.max(1, idleTurns - warnTurns) * talkWeight;
  if (!isDue || idle.isWarned || idleTurns <= warnTurns) return undefined;
  return `${warning}: no run, no change on any machine, no decision and no new output. If this goes on, the session ends soon. Launch, change or decide something, or call finish.`;
}

const isWarning = (event: JournalEvent): boolean =>
  event.type === 'message.added' && event.origin === 'reminder' && event.text.startsWith(warning);

export const isIdleTooLong = (idle: Pick<Idleness, 'score'>, idleTurns: number): boolean =>
  idle.score >= idleTurns * talkWeight;

function isProgress(event: JournalEvent, reproductions: ReadonlySet<string>): boolean {
  switch (event.type) {
    case 'session.started':
    case 'experiment.decided':
      return true;
    case 'run.planned':
      return !reproductions.has(event.spec.id);
    case 'run.ended':
      return !reproductions.has(event.runId);
    case 'message.added':
      return event.origin === 'person';
    default:
      return false;
  }
}

/**
 * Maximum number of turns in a row that count as progress only because of new output of commands.
 */
const maxCommandTurns = 60;
const maxShapes = 10_000;

/**
 * Detects calls that change something: a file, a note, a commit or a transfer on any machine, or
 * output of a command that differs from all before in more than numbers and times.
 */
class Calls {
  readonly #effects = new Map<string, string>();
  readonly #shapes = new Set<string>();
  #commandTurns = 0;

  changeSomething(event: JournalEvent): boolean {
    if (event.type === 'model.replied') this.#commandTurns += 1;
    if (event.type === 'tool.started') this.#effects.set(event.callId, event.effect);
    if (event.type !== 'tool.finished') return false;
    const effect = this.#effects.get(event.callId);
    this.#effects.delete(event.callId);
    if (event.isError) return false;
    const isWrite = effect === 'write' || event.changedFiles !== undefined;
    if (isWrite) this.#commandTurns = 0;
    return isWrite || (effect === 'execute' && this.#isNewOutput(event.name, event.text));
  }

  #isNewOutput(name: string, text: string): boolean {
    const shape = hash(`${name} ${text.replaceAll(/\d+/g, '0')}`);
    if (this.#shapes.has(shape) || this.#shapes.size >= maxShapes) return false;
    this.#shapes.add(shape);
    return this.#commandTurns <= maxCommandTurns;
  }
}

const hash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16);

/** Detects sleeps during which the session waited for an active run. */
class Waits {
  readonly #going = new Set<string>();
  #sleepId = '';
  #sinceMs: number | undefined;

  /**
   * Returns true for the end of a sleep that lasted at least `patientMs` and began while a run was
   * active. If a check-in interrupted the sleep, its earlier parts count, too.
   */
  endsPatiently(event: JournalEvent): boolean {
    if (event.type === 'run.started') this.#going.add(event.runId);
    if (event.type === 'run.ended') this.#going.delete(event.runId);
    if (event.type === 'sleep.started' && event.sleepId !== this.#sleepId) {
      this.#sleepId = event.sleepId;
      this.#sinceMs = this.#going.size > 0 ? event.at : undefined;
    }
    if (event.type !== 'sleep.ended' || this.#sinceMs === undefined) return false;
    return event.at - this.#sinceMs >= patientMs;
  }
}
