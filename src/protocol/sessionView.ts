/**
 * All messages between the session view and its host. The view asks `ready` and draws the answer,
 * then asks for what is in sight: rows of the timeline, an overview at its pixel width, the
 * selected step. Later changes arrive as `sessionChanged`. Texts are never HTML; all are shown as
 * text.
 */
import { NotificationType, RequestType, RequestType0 } from 'vscode-jsonrpc';

export interface ViewProblem {
  readonly message: string;
}

/** The outcome of a thing. `busy`: still in progress. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'muted' | 'plain';

export const rowKinds = [
  'start',
  'message',
  'wake',
  'turn',
  'tool',
  'refusal',
  'run',
  'runEnd',
  'sweep',
  'sleep',
  'alarm',
  'question',
  'answer',
  'plan',
  'decision',
  'checkpoint',
  'note',
  'budget',
  'resume',
  'pause',
  'setting',
  'consult',
  'monitor',
  'end',
] as const;
/** Kind of a timeline step. */
export type RowKind = (typeof rowKinds)[number];

/** A step of the session, in order of start. */
export interface TimelineRow {
  readonly kind: RowKind;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** End of a step that took time and is over, in milliseconds since the epoch. */
  readonly endMs?: number;
  /** A single line. */
  readonly title: string;
  /** A single line next to the title: a result, a verdict, a reason. */
  readonly note?: string;
  readonly tone: Tone;
  readonly turn: number;
  /** Cost of this step, as text: `$0.004`. */
  readonly cost?: string;
  /** US dollars spent by the session so far. */
  readonly usd: number;
  /** The run of the step. */
  readonly runId?: string;
}

/** A run next to the rows during which it was running. */
export interface RunBar {
  readonly runId: string;
  /** `run 7`. */
  readonly name: string;
  readonly label: string;
  readonly status: string;
  readonly tone: Tone;
  /**
   * Index from 0. Concurrent runs have different lanes; the last lane is shared when all are busy.
   */
  readonly lane: number;
  /** Rows of its start and its end; a running run ends at the last row. */
  readonly fromRow: number;
  readonly toRow: number;
}

/** Maximum number of lanes. */
export const maxLanes = 8;

export interface RowsQuery {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export interface RowsAnswer {
  readonly from: number;
  readonly rows: readonly TimelineRow[];
  /** Bars that overlap any of the rows. */
  readonly bars: readonly RunBar[];
  /** Number of rows of the whole timeline when it was read. */
  readonly total: number;
}

export type TrackAxis = 'time' | 'step';

export interface TrackQuery {
  readonly axis: TrackAxis;
  /** Shown range: milliseconds since the epoch, or rows. Default: all. */
  readonly from?: number;
  readonly to?: number;
  /** Width in device pixels; no lane has more bars than pixels. */
  readonly pixels: number;
}

/**
 * Runs that are too short or too close to distinguish at this width are merged into one bar with a
 * `count`.
 */
export interface TrackBar {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly count: number;
  /** Row of the first of them. */
  readonly row: number;
  readonly name: string;
}

export interface TrackSpan {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** Steps of one kind within a pixel are merged into one mark. */
export interface TrackMark {
  readonly at: number;
  readonly kind: RowKind;
  readonly tone: Tone;
  readonly count: number;
  readonly row: number;
  readonly title: string;
}

export interface TrackAnswer {
  readonly axis: TrackAxis;
  /** The requested range, within `full`. */
  readonly from: number;
  readonly to: number;
  readonly full: { readonly from: number; readonly to: number };
  readonly lanes: number;
  readonly bars: readonly TrackBar[];
  readonly sleeps: readonly TrackSpan[];
  readonly marks: readonly TrackMark[];
  /** Starts of turns, at most one per pixel. */
  readonly turns: Float64Array;
  /** The running sum of the cost, at most one point per pixel. */
  readonly money: { readonly x: Float64Array; readonly usd: Float64Array };
}

/** `markdown` is written by a model: it is shown as formatted text, without links or images. */
export interface TextSection {
  readonly id: string;
  readonly title: string;
  readonly format: 'markdown' | 'plain' | 'code';
  readonly text: string;
  /** Number of omitted characters; `readWhole` returns them. */
  readonly omittedChars: number;
  /** Whether the text is collapsed until the user expands it. */
  readonly isFolded?: boolean;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly tone?: Tone;
}

export interface MetricAt {
  readonly name: string;
  readonly last: string;
  readonly best: string;
  readonly points: number;
}

/** A run at a point in time, without any later output. */
export interface RunAt {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly machine: string;
  readonly status: string;
  readonly tone: Tone;
  readonly metrics: readonly MetricAt[];
  /** Downsampled points of its first metric; empty where none are available. */
  readonly spark: { readonly metric: string; readonly y: Float64Array };
}

export interface StateAt {
  readonly atMs: number;
  readonly facts: readonly Fact[];
  /** Running runs, limited in number. */
  readonly runs: readonly RunAt[];
  readonly moreRuns: number;
}

export interface StepDetail {
  readonly index: number;
  readonly row: TimelineRow;
  readonly facts: readonly Fact[];
  readonly texts: readonly TextSection[];
  /** The run of the step. */
  readonly run?: RunAt;
  readonly state: StateAt;
}

/** Longer files are truncated even when the whole text is requested. */
export const maxWholeChars = 2_000_000;

export interface LedgerLine {
  /** `e7`, or `run 7` where the journal has no experiments. */
  readonly name: string;
  readonly number: number;
  /** Hypothesis, or label of the run. */
  readonly what: string;
  readonly decision: string;
  readonly tone: Tone;
  readonly why: string;
  /** `0.8312`, with `± 0.004` where several runs ended well. */
  readonly best: string;
  /** Sort key; `undefined` where nothing was measured. */
  readonly bestValue?: number;
  readonly runs: readonly { readonly id: string; readonly name: string }[];
  readonly usd?: number;
  readonly cost: string;
  readonly code: string;
  readonly isChampion: boolean;
}

export interface LedgerTable {
  readonly lines: readonly LedgerLine[];
  /** The deciding metric; empty without one. */
  readonly metric: string;
  readonly direction: 'lower' | 'higher' | 'none';
}

export interface InboxQuestion {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
  readonly fallback: string;
  readonly askedMs: number;
  readonly deadlineMs: number;
  readonly answer?: { readonly text: string; readonly isDefault: boolean };
}

export interface Inbox {
  readonly questions: readonly InboxQuestion[];
  readonly notes: readonly { readonly number: number; readonly text: string }[];
}

/** The header of the view, and the progress of the session. */
export interface SessionHeader {
  readonly sessionId: string;
  readonly title: string;
  /** `Working`, `Sleeping until run 7 ends`, `Goal met`. */
  readonly phase: string;
  readonly tone: Tone;
  readonly rows: number;
  readonly turns: number;
  readonly cost: string;
  readonly startedMs: number;
  /** Whether the session may continue: the view follows the newest step. */
  readonly isGrowing: boolean;
  readonly openQuestions: number;
  readonly notes: number;
  readonly experiments: number;
  /** Why answers and stickies are disabled; `undefined` where they are enabled. */
  readonly readOnly?: string;
}

/**
 * `firstRow`: the first new or changed row. The inbox and the ledger are read again when they are
 * in sight.
 */
export interface SessionChange {
  readonly header: SessionHeader;
  readonly firstRow: number;
}

export const ready = new RequestType0<SessionHeader, ViewProblem>('ready');
export const readRows = new RequestType<RowsQuery, RowsAnswer, ViewProblem>('rows.read');
export const readTrack = new RequestType<TrackQuery, TrackAnswer, ViewProblem>('track.read');
export const readStepDetail = new RequestType<{ readonly row: number }, StepDetail, ViewProblem>(
  'moment.read',
);
/** The whole text of a section of a step. */
export const readWhole = new RequestType<
  { readonly row: number; readonly section: string },
  string,
  ViewProblem
>('whole.read');
/** The last row that started at or before `atMs`. */
export const findRow = new RequestType<{ readonly atMs: number }, number, ViewProblem>('row.find');
/** The next turn after `row`, or the previous one; `row` if there is none. */
export const findTurn = new RequestType<
  { readonly row: number; readonly step: 1 | -1 },
  number,
  ViewProblem
>('turn.find');
export const readLedger = new RequestType0<LedgerTable, ViewProblem>('ledger.read');
export const readInbox = new RequestType0<Inbox, ViewProblem>('inbox.read');
export const answerQuestion = new RequestType<
  { readonly questionId: string; readonly answer: string },
  void,
  ViewProblem
>('question.answered');
export const pinNote = new RequestType<{ readonly text: string }, void, ViewProblem>('note.pinned');
export const unpinNote = new RequestType<{ readonly number: number }, void, ViewProblem>(
  'note.unpinned',
);
export const sessionChanged = new NotificationType<SessionChange>('session.changed');
export const openRunOutput = new NotificationType<{ readonly runId: string }>('run.opened');
export const openMetrics = new NotificationType<Record<string, never>>('metrics.opened');
