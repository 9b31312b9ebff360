/**
 * All messages between the session view and its host. The view requests `ready` and draws the
 * answer. After that, the view requests what is visible: rows of the timeline, an overview for its
 * width in pixels, the selected step. `sessionChanged` reports later changes. Texts are never HTML
 * and are shown as text.
 */
import { NotificationType, RequestType, RequestType0 } from 'vscode-jsonrpc';

export interface ViewProblem {
  readonly message: string;
}

/** Color of a text, by the quality of the outcome. `busy`: still in progress. */
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
/** Kind of a step in the timeline. */
export type RowKind = (typeof rowKinds)[number];

/** A step of the session. Rows are in order of the steps' start. */
export interface TimelineRow {
  readonly kind: RowKind;
  /** Start of the step, in milliseconds since the epoch. */
  readonly atMs: number;
  /**
   * End of the step, in milliseconds since the epoch. Omitted if the step has no duration or is
   * still in progress.
   */
  readonly endMs?: number;
  /** Title in a single line. */
  readonly title: string;
  /** Text next to the title in a single line: a result, a verdict or a reason. */
  readonly note?: string;
  readonly tone: Tone;
  readonly turn: number;
  /** Cost of this step, as text: `$0.004`. */
  readonly cost?: string;
  /** US dollars that the session had spent up to this step. */
  readonly usd: number;
  /** Id of the run that the step is about. */
  readonly runId?: string;
}

/** A bar for a run, drawn next to the rows during which the run was running. */
export interface RunBar {
  readonly runId: string;
  /** Name, such as `run 7`. */
  readonly name: string;
  readonly label: string;
  readonly status: string;
  readonly tone: Tone;
  /**
   * Index of the bar's lane, from 0. Concurrent runs have different lanes; when all lanes are in
   * use, further runs share the last lane.
   */
  readonly lane: number;
  /** Row in which the run started. */
  readonly fromRow: number;
  /** Row in which the run ended; for a run that is still running, the last row. */
  readonly toRow: number;
}

/** Maximum number of lanes. */
export const maxLanes = 8;

export interface RowsQuery {
  readonly from: number;
  /** End of the range, exclusive. */
  readonly to: number;
}

export interface RowsAnswer {
  readonly from: number;
  readonly rows: readonly TimelineRow[];
  /** Bars that overlap at least one of the rows. */
  readonly bars: readonly RunBar[];
  /** Number of rows in the whole timeline at the time of reading. */
  readonly total: number;
}

export type TrackAxis = 'time' | 'step';

export interface TrackQuery {
  readonly axis: TrackAxis;
  /** Start of the shown range: milliseconds since the epoch, or a row. Default: the first. */
  readonly from?: number;
  /** End of the shown range, in the unit of `from`. Default: the last. */
  readonly to?: number;
  /** Width in device pixels. The answer never has more bars per lane than pixels. */
  readonly pixels: number;
}

/**
 * A bar in the overview. Runs that are too short or too close to be distinguished at this width
 * share one bar, and `count` is their number. The tone of the bar is that of most of its runs.
 */
export interface TrackBar {
  readonly lane: number;
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly count: number;
  /** Number of the bar's runs that failed. */
  readonly failed: number;
  /** Row in which the first of the bar's runs started. */
  readonly row: number;
  readonly name: string;
}

export interface TrackSpan {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** A mark in the overview. Steps of the same kind within a pixel share one mark. */
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
  /** Start of the requested range, at the earliest the start of `full`. */
  readonly from: number;
  /** End of the requested range, at the latest the end of `full`. */
  readonly to: number;
  /** Range of the whole session. */
  readonly full: { readonly from: number; readonly to: number };
  readonly lanes: number;
  readonly bars: readonly TrackBar[];
  readonly sleeps: readonly TrackSpan[];
  readonly marks: readonly TrackMark[];
  /** Starts of turns, at most one per pixel. */
  readonly turns: Float64Array;
  /** The cumulative cost, at most one point per pixel. */
  readonly money: { readonly x: Float64Array; readonly usd: Float64Array };
}

/**
 * A text of a step. The format `markdown` is for texts written by a model, which are shown
 * formatted but without links or images.
 */
export interface TextSection {
  readonly id: string;
  readonly title: string;
  readonly format: 'markdown' | 'plain' | 'code';
  readonly text: string;
  /** Number of characters that were omitted. `readWhole` returns the whole text. */
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

/** A run as it was at a point in time, without any later output. */
export interface RunAt {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly machine: string;
  readonly status: string;
  readonly tone: Tone;
  readonly metrics: readonly MetricAt[];
  /** Downsampled points of the run's first metric; empty if there are none. */
  readonly spark: { readonly metric: string; readonly y: Float64Array };
}

export interface StateAt {
  readonly atMs: number;
  readonly facts: readonly Fact[];
  /** The runs that were running, limited in number. */
  readonly runs: readonly RunAt[];
  /** Number of running runs that `runs` omits. */
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

/** Maximum number of characters that `readWhole` returns. Longer texts are truncated. */
export const maxWholeChars = 2_000_000;

export interface LedgerLine {
  /** Name: `e7`, or `run 7` if the journal has no experiments. */
  readonly name: string;
  readonly number: number;
  /** Hypothesis of the experiment, or label of the run. */
  readonly what: string;
  readonly decision: string;
  readonly tone: Tone;
  readonly why: string;
  /** Best value as text: `0.8312`, followed by `± 0.004` if several runs succeeded. */
  readonly best: string;
  /** Value by which lines are sorted; `undefined` if nothing was measured. */
  readonly bestValue?: number;
  readonly runs: readonly { readonly id: string; readonly name: string }[];
  readonly usd?: number;
  readonly cost: string;
  readonly code: string;
  readonly isChampion: boolean;
  /** Values of the options of `LedgerTable.options`, in the same order; empty where none is named. */
  readonly options: readonly string[];
}

export interface LedgerTable {
  /** Names of the options by which the commands differ. */
  readonly options: readonly string[];
  readonly lines: readonly LedgerLine[];
  /** Name of the deciding metric; empty if there is none. */
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

/** Header of the session view, with the progress of the session. */
export interface SessionHeader {
  readonly sessionId: string;
  readonly title: string;
  /** Phase as text: `Working`, `Sleeping until run 7 ends`, `Goal met`. */
  readonly phase: string;
  readonly tone: Tone;
  readonly rows: number;
  readonly turns: number;
  readonly cost: string;
  readonly startedMs: number;
  /** Whether the session may still get new steps. The view then follows the newest step. */
  readonly isGrowing: boolean;
  readonly openQuestions: number;
  readonly notes: number;
  readonly experiments: number;
  /** Why the user cannot answer questions or add sticky notes; `undefined` if the user can. */
  readonly readOnly?: string;
}

/**
 * A change of the session. `firstRow` is the first new or changed row. Inbox and ledger are not
 * included: the view reads them again while they are visible.
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
/** Returns the whole text of a section of a step. */
export const readWhole = new RequestType<
  { readonly row: number; readonly section: string },
  string,
  ViewProblem
>('whole.read');
/** Returns the last row that started at or before `atMs`. */
export const findRow = new RequestType<{ readonly atMs: number }, number, ViewProblem>('row.find');
/**
 * Returns the row of the next turn after `row` or, if `step` is -1, of the previous turn. Returns
 * `row` if there is no such turn.
 */
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
