/**
 * What the metrics panel draws in its view What Mattered. All places are shares of an axis, from 0 at
 * its start to 1 at its end, so that the page computes nothing.
 */

export interface MatteredQuery {
  /** The runs that the table shows. */
  readonly runIds: readonly string[];
}

export interface MatteredTick {
  readonly place: number;
  readonly text: string;
}

export interface MatteredAxis {
  readonly name: string;
  readonly kind: 'number' | 'category';
  readonly isLog: boolean;
  readonly ticks: readonly MatteredTick[];
  /** Place of each run, in the order of `runs`; `null` for a run without a value. */
  readonly places: readonly (number | null)[];
  /** Value of each run as the filter compares it; empty for a run without a value. */
  readonly texts: readonly string[];
}

export interface MatteredParameter extends MatteredAxis {
  /** Whether chance does not explain the effect. */
  readonly isClaimed: boolean;
  /** Share of the variance, from 0 to 1, and the ends of its interval. */
  readonly share: number;
  readonly low: number;
  readonly high: number;
  /** Text of what is known: `62 % of the variance (48–71 %), lower is better, 40 runs`. */
  readonly text: string;
  /** A further line: the rank correlation in words. */
  readonly detail: string;
}

export interface MatteredRun {
  readonly id: string;
  readonly name: string;
  readonly isChampion: boolean;
  /** 1 for the best of the runs, 0 for the worst. */
  readonly rank: number;
}

/** The values of the runs in their order, and the best so far. */
export interface MatteredProgress {
  readonly ticks: readonly MatteredTick[];
  /** Place of each run along the order of runs, in the order of `runs`. */
  readonly places: readonly number[];
  /** Corners of the line of the best value so far. */
  readonly line: readonly { readonly x: number; readonly y: number }[];
  /** The same in words. */
  readonly text: string;
}

/** Means over all combinations of two parameters. */
export interface MatteredGrid {
  readonly rowName: string;
  readonly columnName: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly text: string;
    /** In the order of `columns`; `null` for a combination without a run. */
    readonly cells: readonly (MatteredCell | null)[];
  }[];
}

export interface MatteredCell {
  /** Mean over the runs. */
  readonly text: string;
  readonly runs: number;
  /** 1 for the best cell, 0 for the worst. */
  readonly rank: number;
}

export interface MatteredAnswer {
  /** Subject of the view, such as `val_loss, lower is better: 40 runs with 38 settings`. */
  readonly heading: string;
  /** Reasons why something is not shown, and how sure the rest is. */
  readonly notes: readonly string[];
  readonly runs: readonly MatteredRun[];
  /** The deciding metric; omitted if there is none. */
  readonly metric?: MatteredAxis;
  /** The parameters that vary; those that matter first, in each part the largest share first. */
  readonly parameters: readonly MatteredParameter[];
  readonly interaction?: string;
  readonly progress?: MatteredProgress;
  /** Present if exactly two parameters vary. */
  readonly grid?: MatteredGrid;
}
