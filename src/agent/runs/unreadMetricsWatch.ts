import { messageOf } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import { counted } from '../../base/text.ts';
import { namedMetrics, nearestLine, unreadMetrics } from '../../metrics/unreadMetrics.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Finding } from '../../watchdogs/finding.ts';
import type { SessionState } from '../journal/state.ts';

export interface UnreadMetricsWatchDeps {
  readonly log: { readonly state: SessionState };
  readonly runs: Pick<Runs, 'output'>;
  readonly logger: Logger;
}

/** Number of lines of output after which a metric that the launch named should have been read. */
const expectedWithin = 20;
/** Number of lines, from the end of the output, that are searched for the most similar line. */
const searchedLines = 200;
const shownNames = 5;

/**
 * Detects a run that does not print its metrics under the names that the launch gave. Raises an
 * alarm once per session, and only if no other run printed a metric of these names: many scripts
 * print a metric only at the end.
 */
export class UnreadMetricsWatch {
  readonly #deps: UnreadMetricsWatchDeps;
  /** Runs with enough output → whether they were checked. */
  readonly #runs = new Map<RunId, boolean>();

  constructor(deps: UnreadMetricsWatchDeps) {
    this.#deps = deps;
  }

  /**
   * Checks a run at the second call after its first lines, because patterns are searched with a
   * delay. Never rejects.
   */
  async beat(run: Run): Promise<readonly Finding[]> {
    const { id } = run.spec;
    const isChecked = this.#runs.get(id);
    if (isChecked === true || run.metrics.lines < expectedWithin) return [];
    this.#runs.set(id, isChecked === false);
    if (isChecked === undefined || !this.#isMissing(run)) return [];
    try {
      const { text } = await this.#deps.runs.output(run, { lines: searchedLines });
      return [alarmOf(run, text)];
    } catch (error) {
      this.#deps.logger.warn(`Output of run ${id}: ${messageOf(error)}`);
      return [];
    }
  }

  /**
   * Returns whether none of the metrics was read, neither from this run nor from an earlier run,
   * and no alarm was raised.
   */
  #isMissing({ spec, metrics }: Run): boolean {
    const isUnread = (read: readonly { readonly metric: string }[]): boolean =>
      unreadMetrics(spec.metrics, read).length === namedMetrics(spec.metrics).length;
    const runs = [...this.#deps.log.state.runs.values()];
    return (
      namedMetrics(spec.metrics).length > 0 &&
      isUnread(metrics.summaries()) &&
      runs.every((run) => isUnread(run.metrics)) &&
      !runs.some(({ alarms }) => alarms.some(({ kind }) => kind === 'unread_metric'))
    );
  }
}

function alarmOf({ spec, metrics }: Run, output: string): Finding {
  const names = namedMetrics(spec.metrics);
  const nearest = nearestLine(output, names, spec.metrics);
  const shown = names.slice(0, shownNames).join(', ');
  const line = nearest === undefined ? '' : `; nearest line: ${JSON.stringify(nearest)}`;
  return {
    kind: 'unread_metric',
    detail: `${shown} not read from ${counted(metrics.lines, 'line')} of ${spec.metrics.from?.join(', ') ?? 'output'}${line}. If it is printed in another form, show_metrics with metric_patterns reads the output again`,
    action: 'warn',
  };
}
