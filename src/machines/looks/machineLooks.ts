/** Looks at machines for everybody who waits for something there: all looks of a machine together, in one query a tick. */
import type { Clock } from '../../base/clock.ts';
import { toDisposable, type Disposable } from '../../base/disposable.ts';
import { MachineFailure } from '../machine.ts';
import { HostLooks } from './hostLooks.ts';
import type { LookAnswers, LookKind, LookMachine, LookOf, LookSink } from './look.ts';

/** A machine that is very busy may need a second look. */
const mostTries = 2;

export class MachineLooks implements Disposable {
  readonly #clock: Clock;
  readonly #hosts = new Map<string, HostLooks>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells again and again, as long as it is not disposed; never before this returns. */
  watch<Kind extends LookKind>(
    machine: LookMachine,
    look: LookOf<Kind>,
    sink: LookSink<LookAnswers[Kind]>,
  ): Disposable {
    const host = this.#hosts.get(machine.id) ?? new HostLooks(this.#clock);
    this.#hosts.set(machine.id, host);
    const watching = host.add({ machine, look, sink: sink as LookSink<unknown> });
    return toDisposable(() => {
      watching.dispose();
      if (host.isIdle && this.#hosts.get(machine.id) === host) this.#hosts.delete(machine.id);
    });
  }

  /** Looks once. Rejects with `MachineFailure`. */
  once<Kind extends LookKind>(machine: LookMachine, look: LookOf<Kind>): Promise<LookAnswers[Kind]> {
    const answer = Promise.withResolvers<LookAnswers[Kind]>();
    let failures = 0;
    const watching = this.watch(machine, look, {
      answer: (given) => answer.resolve(given),
      failed(message) {
        failures += 1;
        if (failures === mostTries) answer.reject(new MachineFailure('io', `${machine.id}: ${message}`));
      },
    });
    return answer.promise.finally(() => watching.dispose());
  }

  dispose(): void {
    for (const host of this.#hosts.values()) host.dispose();
    this.#hosts.clear();
  }
}
