/** Events about the target, experiments, imported results, sweeps, and the account of the work. */
import type { RunId } from '../../base/ids.ts';
import type { CodeUpload } from '../../experiments/codeUpload.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import type { ExperimentDecision, ImportedResult } from '../../experiments/ledger.ts';
import type { Target } from '../../experiments/target/target.ts';
import type { AttachmentFile } from '../../storage/attachmentFiles.ts';
import type { SweepEndReason, SweepPlan } from '../../runs/sweep.ts';

export interface ImportOrigin {
  readonly machineId: string;
  /** Absolute path on the machine. */
  readonly path: string;
  /** When the newest of the files was last changed. */
  readonly modifiedMs: number;
  /** File in the session's folder `imports` with the rows of the runs; omitted without runs. */
  readonly rows?: AttachmentFile;
}

/** The best setting meets the target for the first time. Recorded once while that is so. */
export interface TargetReached {
  readonly type: 'target.reached';
  /** The target, in words. */
  readonly target: string;
  /** The comparison: `val_loss 0.018 < 0.02 (run 4)`. */
  readonly text: string;
  /** Numbers of the runs of the setting. */
  readonly runs: readonly number[];
  /**
   * When the last of these runs ended, which may be before the event if Helios was gone. Omitted if
   * something else than their end made them meet the target, and by older versions.
   */
  readonly reachedMs?: number;
}

/** A command that the goal requires to pass was run at a finish, or could not be started. */
export interface CheckEnded {
  readonly type: 'check.ended';
  readonly callId: string;
  readonly machineId: string;
  readonly command: string;
  /** Folder in which the command ran; an absolute path. */
  readonly folder: string;
  /** Experiment whose code the folder contains. */
  readonly experimentId?: string;
  readonly outcome: 'passed' | 'failed' | 'not_started';
  /** `exit code 1`; why the command was not started. */
  readonly text: string;
}

export type ExperimentEvent =
  | TargetReached
  | CheckEnded
  /** The agent or the user stated the target; replaces the target that was read from the goal. */
  | {
      readonly type: 'session.target_changed';
      readonly target: Target;
      readonly by: 'agent' | 'person';
      /** Set if only the baseline was chosen; the author of the conditions is the same. */
      readonly isOnlyBaseline?: true;
    }
  /** A message of the user states another target. The target in force has not changed. */
  | {
      readonly type: 'session.target_kept';
      readonly target: Target;
      readonly stated: Target;
    }
  /** The model wrote its account of the work, for the user who asked for it. */
  | { readonly type: 'account.written'; readonly text: string; readonly model: string }
  /** An experiment is planned. Written before the experiment's first run is planned. */
  | { readonly type: 'experiment.planned'; readonly plan: ExperimentPlan; readonly callId: string }
  /**
   * An experiment, or one of its settings, was decided. If there are several decisions, the last
   * one applies.
   */
  | ({
      readonly type: 'experiment.decided';
      readonly experimentId: string;
    } & Omit<ExperimentDecision, 'atMs'>)
  /**
   * Results that were made outside Helios were imported. They are unverified, and are never ranked
   * together with results that this session measured. The first import of a session is `i1`, and
   * its first result is `i1#1`.
   */
  | {
      readonly type: 'results.imported';
      /** Name of the file or folder, with its machine. */
      readonly source: string;
      readonly results: readonly ImportedResult[];
      /** Default: `person`. */
      readonly by?: 'agent' | 'person';
      /** Set for files on a machine. An earlier import of the same source is then ignored. */
      readonly from?: ImportOrigin;
    }
  /** Code was stored, which a call then sends to a machine. */
  | { readonly type: 'code.uploaded'; readonly upload: CodeUpload; readonly callId: string }
  /**
   * A sweep started. `plan` is the whole plan, written before any point starts; the plans of the
   * runs show which points were launched.
   */
  | { readonly type: 'sweep.started'; readonly plan: SweepPlan; readonly callId: string }
  /** A point of a sweep could not be started and will not be retried. */
  | {
      readonly type: 'sweep.point_skipped';
      readonly sweepId: string;
      readonly index: number;
      readonly why: string;
    }
  /** A planned run waits in line, and starts when a slot or GPU on its machine is free. */
  | { readonly type: 'run.queued'; readonly runId: RunId; readonly why: string }
  /** The sweep launches no points until it is resumed, because its first points failed alike. */
  | {
      readonly type: 'sweep.paused';
      readonly sweepId: string;
      readonly why: string;
      /** The notice for the model, with the error that the points printed. */
      readonly text: string;
    }
  | { readonly type: 'sweep.resumed'; readonly sweepId: string }
  /** The sweep launches no more points. Its active runs may continue. */
  | {
      readonly type: 'sweep.ended';
      readonly sweepId: string;
      readonly why: SweepEndReason;
      /** Result of the sweep as the model sees it, truncated to a maximum length. */
      readonly text: string;
    };
