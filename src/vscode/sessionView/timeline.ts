/** The rows of the session view: a row per step, and a bar per run next to the rows. */
import { runEndText, runStatus, runName } from '../../presentation/runs/runText.ts';
import type { JournalEvent } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import type { RunId } from '../../base/ids.ts';
import { maxLanes, type RunBar, type TimelineRow } from '../../protocol/sessionView.ts';
import type { EventOf } from '../../agent/journal/describeEvent.ts';
import { describeEvent, verdictTone } from '../../presentation/events.ts';
import { callCostText } from '../../presentation/sessions/sessionText.ts';
import { cleanText, oneLine } from '../../base/text.ts';

export interface Step {
  readonly row: TimelineRow;
  /** Index in the journal of the event that started the step. */
  readonly startedBy: number;
  /**
   * Index in the journal of an event. When the user selects the step, the view shows the state that
   * the session had after this event.
   */
  readonly shownAt: number;
  /**
   * Index of the event that completed the step. Omitted for an incomplete step and for a step that
   * consists of a single event.
   */
  readonly endedBy?: number;
}

/** The bar of a run, with its times. `toRow` and `endMs` are `undefined` for a running run. */
export type Bar = Omit<RunBar, 'toRow'> & {
  readonly toRow: number | undefined;
  readonly startMs: number;
  readonly endMs: number | undefined;
};

export class Timeline {
  readonly #steps: Step[] = [];
  readonly #bars: Bar[] = [];
  /**
   * Row of each incomplete step. The key is `turn` for a model call, otherwise the id of the tool
   * call, sleep or run.
   */
  readonly #open = new Map<string, number>();
  readonly #barOf = new Map<RunId, number>();
  readonly #busyLanes = new Set<number>();
  #changedFrom = 0;

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Bars of all runs, in order of start. */
  get bars(): readonly Bar[] {
    return this.#bars;
  }

  /**
   * Returns the index of the first row that was changed or added since the last call; the number of
   * rows if there is no such row.
   */
  takeChanged(): number {
    const first = this.#changedFrom;
    this.#changedFrom = this.#steps.length;
    return first;
  }

  /**
   * Adds an event. `index`: index of the event in the journal. `state`: the session's state after
   * the event.
   */
  add(event: JournalEvent, index: number, state: SessionState): void {
    switch (event.type) {
      case 'model.replied':
        return this.#replied(event, index, state);
      case 'tool.finished':
        return this.#complete(event.callId, { event, index }, finishedRow(event));
      case 'sleep.ended':
        return this.#complete(
          event.sleepId,
          { event, index },
          { tone: 'plain', note: line(event.detail) },
        );
      case 'run.ended':
        this.#complete(event.runId, { event, index }, { tone: verdictTone(event.verdict) });
        this.#append(event, index, state);
        return this.#endBar(event, state);
      case 'session.resumed':
        this.#interrupt();
        return this.#append(event, index, state);
      default:
        this.#append(event, index, state);
    }
    if (event.type === 'run.started') this.#startBar(event, state);
  }

  #append(event: JournalEvent, index: number, state: SessionState): void {
    const words = rowOf(event, state);
    if (words === undefined) return;
    const key = keyOf(event);
    if (key !== undefined) this.#open.set(key, this.#steps.length);
    const row: TimelineRow = { ...words, atMs: event.at, turn: state.turns, usd: state.usd };
    this.#steps.push({ row, startedBy: index, shownAt: index });
  }

  #replied(event: EventOf<'model.replied'>, index: number, state: SessionState): void {
    const row = this.#open.get('turn');
    const words = rowOf(event, state);
    if (row === undefined || words === undefined) return this.#append(event, index, state);
    this.#complete('turn', { event, index }, { ...words, usd: state.usd });
    const step = this.#steps[row];
    if (step !== undefined) this.#steps[row] = { ...step, shownAt: index };
  }

  #complete(
    key: string,
    { event, index }: { event: JournalEvent; index: number },
    change: Partial<TimelineRow>,
  ): void {
    const row = this.#open.get(key);
    const step = row === undefined ? undefined : this.#steps[row];
    if (row === undefined || step === undefined) return;
    this.#open.delete(key);
    this.#steps[row] = {
      ...step,
      row: { ...step.row, ...change, endMs: event.at },
      endedBy: index,
    };
    this.#changedFrom = Math.min(this.#changedFrom, row);
  }

  /**
   * Marks incomplete turns and tool calls as interrupted. Called when the session is resumed,
   * because its previous process ended during these steps. A later event can still complete a call.
   */
  #interrupt(): void {
    for (const row of this.#open.values()) {
      const step = this.#steps[row];
      if (step?.row.kind !== 'turn' && step?.row.kind !== 'tool') continue;
      this.#steps[row] = { ...step, row: { ...step.row, tone: 'muted', note: 'interrupted' } };
      this.#changedFrom = Math.min(this.#changedFrom, row);
    }
  }

  #startBar({ runId, process }: EventOf<'run.started'>, state: SessionState): void {
    const run = state.runs.get(runId);
    if (run === undefined || this.#barOf.has(runId)) return;
    const lane = this.#freeLane();
    this.#busyLanes.add(lane);
    this.#barOf.set(runId, this.#bars.length);
    this.#bars.push({
      runId,
      name: runName(run.spec.number),
      label: line(run.spec.label),
      status: runStatus(run),
      tone: 'busy',
      lane,
      fromRow: this.#steps.length - 1,
      toRow: undefined,
      startMs: process.startedMs,
      endMs: undefined,
    });
  }

  #endBar({ runId, verdict, endedMs }: EventOf<'run.ended'>, state: SessionState): void {
    const index = this.#barOf.get(runId);
    const bar = index === undefined ? undefined : this.#bars[index];
    if (index === undefined || bar === undefined) return;
    this.#busyLanes.delete(bar.lane);
    const end = { toRow: this.#steps.length - 1, endMs: endedMs };
    this.#bars[index] = {
      ...bar,
      ...end,
      tone: verdictTone(verdict),
      status: line(runEndText({ runId, verdict }, state)),
    };
  }

  /** Returns a free lane, or the last lane if all lanes are in use. */
  #freeLane(): number {
    for (let lane = 0; lane < maxLanes - 1; lane++) if (!this.#busyLanes.has(lane)) return lane;
    return maxLanes - 1;
  }
}

type RowText = Pick<TimelineRow, 'kind' | 'title' | 'note' | 'tone' | 'cost' | 'runId'>;

export const line = (text: string): string => oneLine(cleanText(text), 240);

function rowOf(event: JournalEvent, state: SessionState): RowText | undefined {
  const description = describeEvent(event, state);
  if (description === undefined) return undefined;
  const { kind, title, detail = '', facts = [], tone } = description;
  const note = [line(detail), ...facts.map(line)].filter((part) => part !== '').join(' · ');
  return {
    kind,
    title: line(title),
    note,
    tone,
    ...('cost' in event && { cost: callCostText(event.cost) }),
    ...('runId' in event && event.runId !== undefined && { runId: event.runId }),
  };
}

/**
 * Returns the key under which `#open` stores the step that the event starts; `undefined` if no
 * later event completes the step.
 */
function keyOf(event: JournalEvent): string | undefined {
  switch (event.type) {
    case 'model.requested':
      return 'turn';
    case 'tool.started':
      return event.callId;
    case 'sleep.started':
      return event.sleepId;
    case 'run.started':
      return event.runId;
    default:
      return undefined;
  }
}

const finishedRow = ({
  isError,
  summary,
  text,
  runId,
}: EventOf<'tool.finished'>): Partial<TimelineRow> => ({
  tone: isError ? 'bad' : 'plain',
  note: line(isError ? text : (summary ?? '')),
  ...(runId !== undefined && { runId }),
});

/** Returns the bars that overlap the rows from `from` up to, but not including, `to`. */
export function barsBetween(timeline: Timeline, from: number, to: number): RunBar[] {
  const last = timeline.steps.length - 1;
  return timeline.bars.flatMap(({ startMs: _start, endMs: _end, ...bar }) => {
    const toRow = bar.toRow ?? last;
    return bar.fromRow < to && toRow >= from ? [{ ...bar, toRow }] : [];
  });
}

/**
 * Returns the index of the last step that started at or before `atMs`; 0 if all steps started
 * later.
 */
export function stepAt(steps: readonly Step[], atMs: number): number {
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((steps[middle]?.row.atMs ?? 0) <= atMs) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/**
 * Returns the row of the nearest turn after `row` if `step` is 1, or before `row` if `step` is -1.
 * Returns `row` if there is no such turn.
 */
export function turnFrom(steps: readonly Step[], row: number, step: 1 | -1): number {
  for (let index = row + step; index >= 0 && index < steps.length; index += step)
    if (steps[index]?.row.kind === 'turn') return index;
  return row;
}
