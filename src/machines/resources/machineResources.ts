/**
 * Samples the resources of machines while a view shows them or runs are active on them. Only
 * connected machines are asked, each separately and one sample at a time, so that a machine that
 * does not answer does not delay the others.
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
  /** Returns the active runs. */
  going(): readonly GoingRun[];
  /** Fires when runs started or ended. */
  readonly onDidChangeRuns: Event<unknown>;
  readonly clock: Clock;
}

const everyMs = 5000;
/**
 * Sampling interval while no view is open, chosen so that a night of sampling costs almost nothing.
 */
const unseenEveryMs = 15_000;
/** Age from which `latest` no longer returns a sample. */
const staleMs = 30_000;

export class MachineResources implements Disposable {
  readonly #ports: ResourcePorts;
  readonly #owned = new DisposableStore();
  readonly #changes = this.#owned.add(new Emitter<string>());
  /** Fires with the id of the machine that has a new sample. */
  readonly onDidChange: Event<string> = this.#changes.event;
  readonly #times = new GpuTimes();
  readonly #samplers = new WeakMap<SampledMachine, Sampler>();
  readonly #latest = new Map<string, ResourceSample>();
  readonly #pending = new Map<string, Promise<ResourceSample>>();
  /**
   * Open views. `machineId`: the machine that the view shows, or `undefined` for all connected
   * machines.
   */
  readonly #watches = new Set<{
    readonly machineId: string | undefined;
    onFailed(message: string): void;
  }>();
  #next: Disposable | undefined;

  constructor(ports: ResourcePorts) {
    this.#ports = ports;
    this.#owned.add(ports.onDidChangeRuns(() => this.#begin()));
  }

  /** Returns the newest sample if it is still current. */
  latest(machineId: string): ResourceSample | undefined {
    const sample = this.#latest.get(machineId);
    return sample && this.#ports.clock.now() - sample.atMs <= staleMs ? sample : undefined;
  }

  /**
   * Resolves with a sample that is at most a few seconds old, or takes a new one. Rejects with
   * `MachineFailure`.
   */
  async take(machine: SampledMachine): Promise<ResourceSample> {
    const sample = this.#latest.get(machine.id);
    if (sample && this.#isFresh(machine.id)) return sample;
    const newSample = await this.#sampled(machine);
    this.#latest.set(machine.id, newSample);
    return newSample;
  }

  /**
   * Returns how long the GPUs of a run were idle while observed; `undefined` when no GPU of the run
   * was observed.
   */
  gpuTime(runId: string): GpuTime | undefined {
    return this.#times.of(runId);
  }

  /**
   * Takes samples until disposed. With `machineId`, samples only that machine, connects it if
   * needed, and passes the reason of each failed sample to `onFailed`. Without `machineId`, samples
   * all machines that are already connected.
   */
  watch(machineId?: string, onFailed: (message: string) => void = () => undefined): Disposable {
    const watch = { machineId, onFailed };
    this.#watches.add(watch);
    if (this.#next !== undefined && this.#watches.size === 1) this.#beatLater();
    this.#begin();
    return toDisposable(() => {
      this.#watches.delete(watch);
      if (!this.#isNeeded()) this.#stop();
    });
  }

  dispose(): void {
    this.#watches.clear();
    this.#stop();
    this.#owned.dispose();
  }

  #stop(): void {
    this.#next?.dispose();
    this.#next = undefined;
  }

  #isNeeded(): boolean {
    return this.#watches.size > 0 || this.#ports.going().length > 0;
  }

  #begin(): void {
    if (!this.#isNeeded()) return;
    if (this.#next === undefined) return this.#beat();
    // Take a sample immediately, so that a new view need not wait for the next interval.
    for (const machine of this.#ports.machines.list())
      if (this.#isSampled(machine) && !this.#isFresh(machine.id)) this.#sample(machine);
  }

  #isFresh(machineId: string): boolean {
    const sample = this.#latest.get(machineId);
    return sample !== undefined && this.#ports.clock.now() - sample.atMs < 2 * everyMs;
  }

  #beat(): void {
    this.#next = undefined;
    if (!this.#isNeeded()) return;
    for (const machine of this.#ports.machines.list())
      if (this.#isSampled(machine)) this.#sample(machine);
    this.#beatLater();
  }

  #beatLater(): void {
    this.#next?.dispose();
    const pauseMs = this.#watches.size > 0 ? everyMs : unseenEveryMs;
    this.#next = this.#ports.clock.after(pauseMs, () => this.#beat());
  }

  #isSampled({ id, kind }: Machine): boolean {
    // Do not sample the login host of a cluster, because runs use other nodes.
    if (kind === 'slurm' || this.#pending.has(id)) return false;
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
      // A failed sample is not an error: the views of the machine are notified, and the last sample
      // becomes outdated.
      .catch((error: unknown) => {
        for (const watch of [...this.#watches])
          if (watch.machineId === id) watch.onFailed(messageOf(error));
      });
  }

  /** Takes at most one sample per machine at a time; concurrent callers share it. */
  #sampled(machine: SampledMachine): Promise<ResourceSample> {
    const pending = this.#pending.get(machine.id);
    if (pending !== undefined) return pending;
    const sampler = this.#samplers.get(machine) ?? new Sampler(machine, this.#ports.clock);
    this.#samplers.set(machine, sampler);
    const sampled = sampler.sample().finally(() => this.#pending.delete(machine.id));
    this.#pending.set(machine.id, sampled);
    return sampled;
  }
}
