/** Takes the samples of one machine. */
import type { Clock } from '../../base/clock.ts';
import { backoffMs } from '../../base/retries.ts';
import { askTogether } from '../probes/batch.ts';
import type { Machine } from '../machine.ts';
import { parseDisks, parseGpus, parseHost, type Counters } from './parseSample.ts';
import type { ResourceSample } from './resourceSample.ts';
import { diskScript, gpuScript, hostScript } from './sampleScript.ts';

/** Time limit of a sample. Long, because GPU drivers may respond only after seconds. */
const withinSeconds = 10;
/** Growing delays before a GPU driver or file server that did not answer is queried again. */
const policy = { firstMs: 60_000, factor: 2, longestMs: 30 * 60_000 };

export type SampledMachine = Pick<Machine, 'id' | 'ready' | 'query' | 'runsFolder' | 'workFolder'>;

export class Sampler {
  readonly #machine: SampledMachine;
  readonly #clock: Clock;
  readonly #gpus = new Patience();
  readonly #disks = new Patience();
  #before: Counters | undefined;

  constructor(machine: SampledMachine, clock: Clock) {
    this.#machine = machine;
    this.#clock = clock;
  }

  /**
   * Takes a sample, in which parts without an answer are absent. Rejects with `MachineFailure` when
   * the machine does not answer.
   */
  async sample(): Promise<ResourceSample> {
    await this.#machine.ready?.();
    const folders = [this.#machine.runsFolder, this.#machine.workFolder];
    const nowMs = this.#clock.now();
    const scripts = [
      hostScript,
      this.#gpus.isOver(nowMs) ? gpuScript : 'echo late',
      this.#disks.isOver(nowMs) ? diskScript(folders) : 'echo late',
    ];
    const [host, gpuText, diskText] = await askTogether(this.#machine, scripts, withinSeconds);
    const atMs = this.#clock.now();
    const { counters, ...numbers } = parseHost(host ?? '', this.#before);
    this.#before = counters;
    const gpus = this.#gpus.judge(gpuText, atMs);
    const disks = this.#disks.judge(diskText, atMs);
    return {
      atMs,
      ...numbers,
      ...(gpus !== undefined && { gpus: parseGpus(gpus) }),
      ...(disks !== undefined && { disks: parseDisks(disks) }),
    };
  }
}

/** Decides when to query a part of the sample (GPUs or disks) again after a timeout. */
class Patience {
  #untilMs = 0;
  #failures = 0;

  isOver(nowMs: number): boolean {
    return nowMs >= this.#untilMs;
  }

  /** Returns the answer. A missing answer postpones the next query, longer each time. */
  judge(answer: string | undefined, nowMs: number): string | undefined {
    if (!this.isOver(nowMs)) return undefined;
    if (answer !== undefined) {
      this.#failures = 0;
      return answer;
    }
    this.#untilMs = nowMs + backoffMs(policy, this.#failures++);
    return undefined;
  }
}
