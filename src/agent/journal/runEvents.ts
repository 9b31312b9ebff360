/** Events about single runs, and the alarms of their watchdogs. */
import type { RunId } from '../../base/ids.ts';
import type { HostContact } from '../../machines/confinement/hostContacts.ts';
import type { RunAnnotation } from '../../experiments/runAnnotation.ts';
import type { MetricSpec, MetricSummary } from '../../metrics/metric.ts';
import type { RunProcess, RunSpec, Verdict } from '../../runs/run.ts';
import type { Finding } from '../../watchdogs/finding.ts';

/** The kind of problem that was detected in a run. */
export type AlarmKind = Finding['kind'];

export type RunEvent =
  /**
   * A run is planned. The event is written before the run starts: after a crash, the plan shows
   * that the run may exist.
   */
  | { readonly type: 'run.planned'; readonly spec: RunSpec; readonly callId: string }
  | { readonly type: 'run.started'; readonly runId: RunId; readonly process: RunProcess }
  | {
      readonly type: 'run.ended';
      readonly runId: RunId;
      readonly verdict: Verdict;
      readonly endedMs: number;
      readonly metrics: readonly MetricSummary[];
      /**
       * The last lines of the output, cleaned and truncated. Omitted for a successful run of which
       * every metric was read.
       */
      readonly outputTail?: string;
      /** Metrics that the launch named, and that the run never printed. */
      readonly unread?: readonly string[];
      /** The line of output that is most similar to an unread metric. */
      readonly nearestLine?: string;
      /** Variables that were withheld from the run and that its output names, and withheld hosts. */
      readonly withheld?: string;
      /** Hosts that the run asked for; see `tool.finished`. */
      readonly contacts?: readonly HostContact[];
    }
  | { readonly type: 'run.not_started'; readonly runId: RunId; readonly why: string }
  /** The output of a run is read again; `read` is set when all output of an ended run is read. */
  | {
      readonly type: 'run.metrics_changed';
      readonly runId: RunId;
      readonly metrics: MetricSpec;
      readonly read?: readonly MetricSummary[];
    }
  /** The user annotated the run. The tags and the note replace those before. */
  | ({ readonly type: 'run.annotated'; readonly runId: RunId } & RunAnnotation)
  /**
   * A watchdog raised an alarm. The event is recorded before the alarm's action: `kill` ends the
   * run, `ask` asks the user a question, `warn` only wakes a sleeping session.
   */
  | {
      readonly type: 'run.alarmed';
      readonly runId: RunId;
      readonly kind: AlarmKind;
      /** Problem that the watchdog detected, for example `loss became NaN at step 120`. */
      readonly detail: string;
      readonly action: 'warn' | 'kill' | 'ask';
    };
