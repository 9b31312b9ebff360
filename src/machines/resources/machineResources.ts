/**
 * What the machines are busy with, sampled while somebody looks or runs are going on there. Only
 * machines that are connected are asked, each by itself and one question at a time: one that does
 * not answer holds nobody up.
 */
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable.ts';
import { Emitter, type Event } from '../../base/emitter.ts';
import { messageOf } from '../../base/errors.ts';
import type { Machine, Machines } from '../machine.ts';
import { GpuTimes, type GoingRun, type GpuTime } from './gpuTimes.ts';
import type { ResourceSample } from './resourceSample.ts';
import { Sampler, type SampledMachine } from './sampler.ts';

export interface ResourcePorts {
  readonly machines: Machines;
  /** The runs that are going on now. */
  going(): readonly GoingRun[];
  /** Runs began or ended. */
  readonly onDidChangeRuns: Event<unknown>;
  readonly clock: Clock;
}

const everyMs = 5000;
/** While only runs are watched over and nobody looks: a night of it costs next to nothing. */
const unseenEveryMs = 15_000;
/** Older than this, a sample says nothing of the present. */
const staleMs = 30_000;

export class MachineResources implements Disposable {
  readonly #ports: ResourcePorts;
  readonly #owned = new DisposableStore();
  readonly #changes = this.#owned.add(new Emitter<string>());
  /** The id of the machine of which there is a new sample. */
  readonly onDidChange: Event<string> = this.#changes.event;
  readonly #times = new GpuTimes();
  readonly #samplers = new WeakMap<SampledMachine, Sampler>();
  readonly #latest = new Map<string, ResourceSample>();
  readonly #asking = new Map<string, Promise<ResourceSample>>();
  /** Who looks: at a machine, or at all that are connected. */
  readonly #watches = new Set<{
    readonly machineId: string | undefined;
    onFailed(message: string): void;
  }>();
  #next: Disposable | undefined;

  constructor(ports: ResourcePorts) {
    this.#ports = ports;
    this.#owned.add(ports.onDidChangeRuns(() => this.#begin()));
  }

  /** The newest sample, unless it is too old to tell of the present. */
  latest(machineId: string): ResourceSample | undefined {
    const sample = this.#latest.get(machineId);
    return sample && this.#ports.clock.now() - sample.atMs <= staleMs ? sample : undefined;
  }

  /** What is known of the last seconds, or else a sample of now. Rejects with `MachineFailure`. */
  async take(machine: SampledMachine): Promise<ResourceSample> {
    const sample = this.#latest.get(machine.id);
    if (sample && this.#isFresh(machine.id)) return sample;
    const taken = await this.#sampled(machine);
    this.#latest.set(machine.id, taken);
    return taken;
  }

  /**
   * How long the GPUs of a run were idle while it was watched; `undefined` when it held none that
   * was seen.
   */
  gpuTime(runId: string): GpuTime | undefined {
    return this.#times.of(runId);
  }

  /**
   * Samples until disposed: the machine, which may be connected to for it, or all that are
   * connected. `onFailed` hears each time that the machine did not answer, and why.
   */
  watch(machineId?: string, onFailed: (message: string) => void = () => undefined): Disposable {
    const watch = { machineId, onFailed };
    this.#watches.add(watch);
    if (this.#next !== undefined && this.#watches.size === 1) this.#beatLater();
    this.#begin();
    return toDisposable(() => {
      this.#watches.delete(watch);
      if (!this.#isWanted()) this.#rest();
    });
  }

  dispose(): void {
    this.#watches.clear();
    this.#rest();
    this.#owned.dispose();
  }

  #rest(): void {
    this.#next?.dispose();
    this.#next = undefined;
  }

  #isWanted(): boolean {
    return this.#watches.size > 0 || this.#ports.going().length > 0;
  }

  #begin(): void {
    if (!this.#isWanted()) return;
    if (this.#next === undefined) return this.#beat();
    // Who comes between two beats need not wait for the next one.
    for (const machine of this.#ports.machines.list())
      if (this.#isMeant(machine) && !this.#isFresh(machine.id)) this.#sample(machine);
  }

  #isFresh(machineId: string): boolean {
    const sample = this.#latest.get(machineId);
    return sample !== undefined && this.#ports.clock.now() - sample.atMs < 2 * everyMs;
  }

  #beat(): void {
    this.#next = undefined;
    if (!this.#isWanted()) return;
    for (const machine of this.#ports.machines.list())
      if (this.#isMeant(machine)) this.#sample(machine);
    this.#beatLater();
  }

  #beatLater(): void {
    this.#next?.dispose();
    const pauseMs = this.#watches.size > 0 ? everyMs : unseenEveryMs;
    this.#next = this.#ports.clock.after(pauseMs, () => this.#beat());
  }

  #isMeant({ id, kind }: Machine): boolean {
    // A login host is not the nodes on which the runs are.
    if (kind === 'slurm' || this.#asking.has(id)) return false;
    const watched = [...this.#watches].map(({ machineId }) => machineId);
    if (watched.includes(id)) return true;
    const isConnected = (this.#ports.machines.status?.(id).kind ?? 'connected') === 'connected';
    return (
      isConnected &&
      (watched.includes(undefined) || this.#ports.going().some((run) => run.machineId === id))
    );
  }

  #sample(machine: Machine): void {
    const { id } = machine;
    this.#sampled(machine)
      .then((sample) => {
        this.#latest.set(id, sample);
        this.#times.add(
          sample,
          this.#ports.going().filter((run) => run.machineId === id),
        );
        this.#changes.fire(id);
      })
      // It says so by its status, too; its last sample grows old.
      .catch((error: unknown) => {
        for (const watch of [...this.#watches])
          if (watch.machineId === id) watch.onFailed(messageOf(error));
      });
  }

  /** One sample at a time of each: who asks meanwhile shares it. */
  #sampled(machine: SampledMachine): Promise<ResourceSample> {
    const asked = this.#asking.get(machine.id);
    if (asked !== undefined) return asked;
    const sampler = this.#samplers.get(machine) ?? new Sampler(machine, this.#ports.clock);
    this.#samplers.set(machine, sampler);
    const sampled = sampler.sample().finally(() => this.#asking.delete(machine.id));
    this.#asking.set(machine.id, sampled);
    return sampled;
  }
}
