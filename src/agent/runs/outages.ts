/** Records when machines with active runs of the session did not answer. */
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Run, RunChange } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionRuns } from './sessionRuns.ts';

export interface OutagesDeps {
  readonly log: Pick<SessionLog, 'record' | 'state'>;
  readonly runs: Pick<Runs, 'onDidChange'>;
  readonly sessionRuns: Pick<SessionRuns, 'live'>;
  readonly clock: Clock;
  /** Called when an event cannot be recorded. */
  onFailed(error: unknown): void;
}

/**
 * Minimum duration of an outage that is recorded, in milliseconds. The last sign of life may be 5 s
 * old when the machine stops answering.
 */
const minOutageMs = 10_000;

export class Outages implements Disposable {
  readonly #deps: OutagesDeps;
  readonly #owned = new DisposableStore();
  /** Machine id → time of its last sign of life before the outage, in milliseconds since the epoch. */
  readonly #sinceMs = new Map<string, number>();

  constructor(deps: OutagesDeps) {
    this.#deps = deps;
    this.#owned.add(deps.runs.onDidChange((change) => this.#heard(change)));
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #heard({ kind, run }: RunChange): void {
    const { log } = this.#deps;
    const { id, machineId } = run.spec;
    if (!log.state.runs.has(id)) return;
    const sinceMs = this.#sinceMs.get(machineId);
    if (kind === 'unknown') this.#sinceMs.set(machineId, sinceMs ?? this.#lastAnswerMs(machineId));
    else if (sinceMs !== undefined && isAnswer(kind, run)) this.#end(machineId, sinceMs);
  }

  /** Returns when the machine last gave a sign of life to a run of the session. */
  #lastAnswerMs(machineId: string): number {
    const { clock, sessionRuns } = this.#deps;
    const answers = sessionRuns
      .live()
      .flatMap(({ spec, lastAnswerMs }) =>
        spec.machineId === machineId && lastAnswerMs !== undefined ? [lastAnswerMs] : [],
      );
    return answers.length > 0 ? Math.max(...answers) : clock.now();
  }

  #end(machineId: string, fromMs: number): void {
    const { clock, log, sessionRuns, onFailed } = this.#deps;
    this.#sinceMs.delete(machineId);
    const toMs = clock.now();
    if (toMs - fromMs < minOutageMs) return;
    const runs = sessionRuns.live().filter(({ spec }) => spec.machineId === machineId).length;
    log
      .record({ type: 'machine.out_of_reach', machineId, fromMs, toMs, runs })
      .catch((error: unknown) => onFailed(error));
  }
}

/** Returns whether a change shows that the machine answers. */
const isAnswer = (kind: RunChange['kind'], { liveness }: Run): boolean =>
  kind === 'recovered' || (kind === 'ended' && liveness.kind === 'ended');
