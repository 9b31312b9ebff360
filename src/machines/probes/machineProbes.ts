/**
 * Probes machines for all watchers. All probes of a machine are sent together, in one query per
 * tick.
 */
import type { Clock } from '../../base/clock.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';
import { MachineFailure } from '../machine.ts';
import { HostProbes } from './hostProbes.ts';
import type { ProbeAnswers, ProbeKind, ProbedMachine, ProbeOf, ProbeSink } from './probe.ts';

/** Maximum number of attempts per probe: a very busy machine may need a second attempt. */
const maxTries = 2;

export class MachineProbes implements Disposable {
  readonly #clock: Clock;
  readonly #hosts = new Map<string, HostProbes>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Probes repeatedly until disposed, and passes each result to the sink. Never calls the sink
   * before `watch` has returned.
   */
  watch<Kind extends ProbeKind>(
    machine: ProbedMachine,
    probe: ProbeOf<Kind>,
    sink: ProbeSink<ProbeAnswers[Kind]>,
  ): Disposable {
    const host = this.#hosts.get(machine.id) ?? new HostProbes(this.#clock);
    this.#hosts.set(machine.id, host);
    const watching = host.add({ machine, probe, sink: sink as ProbeSink<unknown> });
    return toDisposable(() => {
      watching.dispose();
      if (host.isIdle && this.#hosts.get(machine.id) === host) this.#hosts.delete(machine.id);
    });
  }

  /** Probes until there is an answer, at most `maxTries` times. Rejects with `MachineFailure`. */
  once<Kind extends ProbeKind>(
    machine: ProbedMachine,
    probe: ProbeOf<Kind>,
  ): Promise<ProbeAnswers[Kind]> {
    const answer = Promise.withResolvers<ProbeAnswers[Kind]>();
    let failures = 0;
    const watching = this.watch(machine, probe, {
      answer: (value) => answer.resolve(value),
      failed(message) {
        failures += 1;
        if (failures === maxTries)
          answer.reject(new MachineFailure('io', `${machine.id}: ${message}`));
      },
    });
    return answer.promise.finally(() => watching.dispose());
  }

  dispose(): void {
    for (const host of this.#hosts.values()) host.dispose();
    this.#hosts.clear();
  }
}
