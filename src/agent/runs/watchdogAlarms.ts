/**
 * Carries out the actions of alarms. Each alarm is recorded in the journal before its action, so
 * that a process that resumes the session can repeat an interrupted kill.
 */
import { messageOf } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { Logger } from '../../base/logger.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Finding } from '../../watchdogs/finding.ts';
import { condemnedRuns, goOnAnswer, killAnswer } from './alarms.ts';
import type { Questions } from '../user/questions.ts';
import type { SessionRuns } from './sessionRuns.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { RunState } from '../journal/state.ts';
import { runTitle } from '../../runs/run.ts';

export interface WatchdogAlarmsDeps {
  readonly log: SessionLog;
  readonly sessionRuns: Pick<SessionRuns, 'live' | 'settle'>;
  readonly runs: Pick<Runs, 'kill'>;
  readonly questions: Pick<Questions, 'ask'>;
  /** Wakes a sleeping session if there are alarms that the agent has not read. */
  readonly waiting: { alarm(): void };
  readonly logger: Logger;
  /** Called when an alarm cannot be recorded. */
  onFailed(error: unknown): void;
}

/** Maximum number of alarms per run and kind: repetitions add no information. */
const maxAlarms = 5;
/** Time that the user has to answer whether to kill a run. After that, the run continues. */
const askWithinMs = 3_600_000;
/** Milliseconds between SIGTERM and SIGKILL. Short for a run with NaN: it has nothing to save. */
const graceMs = { nonFinite: 300, other: 5_000 } as const;

export class WatchdogAlarms {
  readonly #deps: WatchdogAlarmsDeps;
  readonly #killing = new Set<RunId>();
  /**
   * The last alarm in the queue. Alarms are recorded one after the other, so that each can be
   * compared with the earlier alarms in the journal.
   */
  #telling: Promise<unknown> = Promise.resolve();

  constructor(deps: WatchdogAlarmsDeps) {
    this.#deps = deps;
  }

  /** Records each finding as an alarm, then carries out the alarm's action. */
  tell(run: Run, findings: readonly Finding[]): void {
    for (const finding of findings) {
      const handled = this.#telling.then(() => this.#alarm(run, finding));
      this.#telling = handled.catch((error: unknown) => this.#deps.onFailed(error));
    }
  }

  /**
   * Kills the runs whose kill was decided. Includes runs whose earlier kill failed because the
   * machine did not answer or Helios was stopped.
   */
  killCondemned(): void {
    const condemned = new Map(
      condemnedRuns(this.#deps.log.state).map(({ spec, alarms }) => [spec.id, alarms]),
    );
    if (condemned.size === 0) return;
    for (const run of this.#deps.sessionRuns.live()) {
      const alarms = condemned.get(run.spec.id);
      if (alarms !== undefined) void this.#kill(run, alarms.at(-1)?.kind);
    }
  }

  async #alarm(run: Run, { kind, detail, action }: Finding): Promise<void> {
    const { log } = this.#deps;
    const { id: runId } = run.spec;
    const state = log.state.runs.get(runId);
    if (state === undefined) return;
    const before = state.alarms.filter((alarm) => alarm.kind === kind);
    if (kind === 'metric_pattern') {
      // The last lines of a run are checked at its end and again after a restart, so the same alarm
      // may come twice.
      if (before.some((alarm) => alarm.detail === detail)) return;
    } else if (isOver(run, state) || before.length >= maxAlarms) return;
    await log.record({ type: 'run.alarmed', runId, kind, detail, action });
    // Do not wait: the kill of this run must not delay alarms of other runs.
    if (action === 'kill') return void this.#kill(run, kind);
    if (action === 'ask') await this.#ask(run, detail);
    this.#deps.waiting.alarm();
  }

  #ask({ spec }: Run, detail: string): Promise<unknown> {
    return this.#deps.questions.ask({
      text: `${runTitle(spec.number)} (${spec.label}): ${detail}. Kill it?`,
      options: [killAnswer, goOnAnswer],
      fallback: goOnAnswer,
      withinMs: askWithinMs,
      runId: spec.id,
    });
  }

  async #kill(run: Run, kind: Finding['kind'] | undefined): Promise<void> {
    const { id, number } = run.spec;
    if (this.#killing.has(id)) return;
    this.#killing.add(id);
    try {
      await this.#deps.runs.kill(run, {
        graceMs: kind === 'non_finite' ? graceMs.nonFinite : graceMs.other,
      });
    } catch (error) {
      this.#deps.logger.warn(`${runTitle(number)} could not be killed yet: ${messageOf(error)}`);
    } finally {
      this.#killing.delete(id);
    }
    // Wake the session only after the run has ended.
    await this.#deps.sessionRuns.settle();
    this.#deps.waiting.alarm();
  }
}

const isOver = ({ liveness }: Run, { verdict }: RunState): boolean =>
  verdict !== undefined || liveness.kind === 'ended';
