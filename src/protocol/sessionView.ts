/**
 * The whole conversation between the session view and its host. The view asks `ready` and draws the
 * answer, then asks for what is in sight: rows of the timeline, an overview as wide as its pixels,
 * the moment that is selected. What happens later comes as `sessionChanged`. Nothing here is HTML;
 * every text is shown as text.
 */
import { NotificationType, RequestType, RequestType0 } from 'vscode-jsonrpc';

export interface ViewProblem {
  readonly message: string;
}

/** How a thing went. `busy`: it goes on. */
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
/** What a step of the timeline is. */
export type RowKind = (typeof rowKinds)[number];

/** One step of the session, in the order in which steps began. */
export interface TimelineRow {
  readonly kind: RowKind;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** Of what took time and is over. */
  readonly endMs?: number;
  /** One line. */
  readonly title: string;
  /** One line beside it: a result, a verdict, a reason. */
  readonly note?: string;
  readonly tone: Tone;
  readonly turn: number;
  /** Cost of this step, as text: `$0.004`. */
  readonly cost?: string;
  /** US dollars of the session up to here. */
  readonly usd: number;
  /** The run that it is about. */
  readonly runId?: string;
}

/** A run beside the rows during which it went on. */
export interface RunBar {
  readonly runId: string;
  /** `run 7`. */
  readonly name: string;
  readonly label: string;
  readonly status: string;
  readonly tone: Tone;
  /**
   * From 0; runs that go on side by side have different ones, up to the last, which the rest share.
   */
  readonly lane: number;
  /** Rows of its start and its end; the end of one that goes on is the last row. */
  readonly fromRow: number;
  readonly toRow: number;
}

/** Bars have so many lanes at most. */
export const maxLanes = 8;

export interface RowsQuery {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export interface RowsAnswer {
  readonly from: number;
  readonly rows: readonly TimelineRow[];
  /** Those that go on during any of the rows. */
  readonly bars: readonly RunBar[];
  /** Rows of the whole timeline when this was read. */
  readonly total: number;
}

export type TrackAxis = 'time' | 'step';

export interface TrackQuery {
  readonly axis: TrackAxis;
  /** Shown range: milliseconds since the epoch, or rows. Absent: all. */
  readonly from?: number;
  readonly to?: number;
  /** Width in device pixels: no lane has more bars than pixels. */
  readonly pixels: number;
}

/**
 * Runs that are too short, or too close, to be told apart at this width are one bar with a `count`.
 */
export interface TrackBar {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly count: number;
  /** Of the first of them. */
  readonly row: number;
  readonly name: string;
}

export interface TrackSpan {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** Steps of one kind that fall into one pixel are one mark. */
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
  /** What was asked for, within `full`. */
  readonly from: number;
  readonly to: number;
  readonly full: { readonly from: number; readonly to: number };
  readonly lanes: number;
  readonly bars: readonly TrackBar[];
  readonly sleeps: readonly TrackSpan[];
  readonly marks: readonly TrackMark[];
  /** Where turns began, at most one for each pixel. */
  readonly turns: Float64Array;
  /** The running sum of money, at most one point for each pixel. */
  readonly money: { readonly x: Float64Array; readonly usd: Float64Array };
}

/**
 * `markdown` is written by a model; it is shown as text with looks, and nothing in it is followed
 * or loaded.
 */
export interface TextSection {
  readonly id: string;
  readonly title: string;
  readonly format: 'markdown' | 'plain' | 'code';
  readonly text: string;
  /** Characters that are left out; `readWhole` has them. */
  readonly omittedChars: number;
  /** Closed until the user opens it. */
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

/** A run as it was at a moment: nothing that was printed later is in it. */
export interface RunAt {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly machine: string;
  readonly status: string;
  readonly tone: Tone;
  readonly metrics: readonly MetricAt[];
  /** Of its first metric, thinned; empty where no points are at hand. */
  readonly spark: { readonly metric: string; readonly y: Float64Array };
}

export interface StateAt {
  readonly atMs: number;
  readonly facts: readonly Fact[];
  /** Those that go on; bounded. */
  readonly runs: readonly RunAt[];
  readonly moreRuns: number;
}

export interface StepDetail {
  readonly index: number;
  readonly row: TimelineRow;
  readonly facts: readonly Fact[];
  readonly texts: readonly TextSection[];
  /** The run that the step is about. */
  readonly run?: RunAt;
  readonly state: StateAt;
}

/** A file that was longer than this is cut even when all of it was asked for. */
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
  /** To sort by; absent where nothing was measured. */
  readonly bestValue?: number;
  readonly runs: readonly { readonly id: string; readonly name: string }[];
  readonly usd?: number;
  readonly cost: string;
  readonly code: string;
  readonly isChampion: boolean;
}

export interface LedgerTable {
  readonly lines: readonly LedgerLine[];
  /** The metric that decides; empty where there is none. */
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

/** What stands above everything else, and how far the session has come. */
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
  /** It may go on: the view follows the newest step. */
  readonly isGrowing: boolean;
  readonly openQuestions: number;
  readonly notes: number;
  readonly experiments: number;
  /** Why nothing can be answered or pinned here; absent where it can. */
  readonly readOnly?: string;
}

/**
 * `firstRow`: rows from here on are new or different. The component and the ledger are asked anew
 * when they are in sight.
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
/** The whole text of a section of a moment. */
export const readWhole = new RequestType<
  { readonly row: number; readonly section: string },
  string,
  ViewProblem
>('whole.read');
/** The last row that began at `atMs` or before. */
export const findRow = new RequestType<{ readonly atMs: number }, number, ViewProblem>('row.find');
/** The next row of this kind after `row`, or before it; `row` where there is none. */
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
