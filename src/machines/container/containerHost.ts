/**
 * The one container of a machine: made when it is used first, found again by its labels, and the
 * way commands go in.
 */
import { existsSync } from 'node:fs';
import path from 'node:path/posix';
import type { Clock } from '../../base/clock.ts';
import { retry, type RetryPolicy } from '../../base/retries.ts';
import { MachineFailure } from '../machine.ts';
import type { ContainerEntry } from '../machineEntry.ts';
import type { ChannelOptions, CommandChannel, CommandHost } from '../remote/commandHost.ts';
import { ensureImage, plannedImage } from './containerImage.ts';
import { createOptions, heliosFolder, labels, mountSource } from './containerSpec.ts';
import { engineFailure, engineOf, isHere, openEngine, statusOf, type Docker } from './engine.ts';
import { hasLiveRuns, outputOf, startIn, type Container } from './insideContainer.ts';
import type { OwnEngines } from './ownEngines.ts';
import { containersOf, isRunning, removeIdle, type Listed } from './ownContainers.ts';

export interface ContainerHostOptions {
  readonly entry: ContainerEntry;
  readonly engines: OwnEngines;
  readonly clock: Clock;
}

/** An engine that did not answer is asked again after this. */
const retryMs = 1000;
/** The tries while another Helios is making the container, or removing it. */
const policy: RetryPolicy = { firstMs: 250, maxRetries: 19 };

interface Current {
  readonly container: Container;
  /** It was made from the entry as it was before; runs that began in it are still going on. */
  readonly isFormer: boolean;
}

/**
 * A container that is stopped is started again, one that is gone is made anew; what was in its own
 * file system is lost then, what runs have written is not. When the entry changes, the next
 * container takes its place as soon as no run is going on in the one that is there, which until
 * then is used as it is.
 */
export class ContainerHost implements CommandHost {
  readonly name: string;
  readonly #options: ContainerHostOptions;
  #docker: Promise<Docker> | undefined;
  #current: Promise<Current> | undefined;
  #failedMs = -Infinity;

  constructor(options: ContainerHostOptions) {
    this.name = `container ${options.entry.id}`;
    this.#options = options;
  }

  get retryAfterMs(): number {
    return Math.max(0, this.#failedMs + retryMs - this.#options.clock.now());
  }

  /** Where commands start when the entry does not say. Rejects with `MachineFailure`. */
  async imageFolder(): Promise<string> {
    const { container } = await this.#up();
    const { Config } = await container.inspect().catch((error: unknown) => this.#failed(error));
    return Config.WorkingDir || '/';
  }

  async exec(
    line: string,
    { signal }: ChannelOptions,
    listen: (channel: CommandChannel) => void,
  ): Promise<void> {
    for (let isAgain = false; ; isAgain = true) {
      const { container } = await this.#up();
      signal?.throwIfAborted();
      try {
        return listen(await startIn(container, line));
      } catch (error) {
        this.#current = undefined;
        if (isAgain || !isGone(error)) this.#failed(error);
      }
    }
  }

  #failed(error: unknown): never {
    const failure = engineFailure(error, `${this.name} cannot be used`);
    if (failure.reason === 'unreachable') this.#failedMs = this.#options.clock.now();
    throw failure;
  }

  async #up(): Promise<Current> {
    const asked = (this.#current ??= this.#find());
    try {
      const current = await asked;
      if (!current.isFormer || (await hasLiveRuns(current.container))) return current;
      if (this.#current === asked) this.#current = undefined;
      return await (this.#current ??= this.#find());
    } catch (error) {
      if (this.#current === asked) this.#current = undefined;
      return this.#failed(error);
    }
  }

  #find(): Promise<Current> {
    const again = (error: unknown, backoffMs: number): number | undefined =>
      isGone(error) ? backoffMs : undefined;
    return retry(policy, { clock: this.#options.clock, again }, () => this.#findNow());
  }

  async #findNow(): Promise<Current> {
    const { entry, engines } = this.#options;
    const { homeId } = engines;
    const engine = engineOf(entry.engine);
    checkMounts(entry, engine);
    this.#docker ??= openEngine(engine);
    const docker = await this.#docker;
    const planned = await plannedImage(entry);
    const options = createOptions({ entry, homeId, image: planned.name });
    const all = await containersOf(docker, homeId, entry.id);
    const isSame = ({ Labels }: Listed): boolean =>
      Labels[labels.spec] === options.Labels?.[labels.spec];
    const same = all.find(isSame);
    if (same) {
      const container = docker.getContainer(same.Id);
      if (!isRunning(same)) await start(container);
      return { container, isFormer: false };
    }
    const { busy } = await removeIdle(docker, all);
    if (busy) return { container: busy, isFormer: true };
    await ensureImage(docker, entry, planned);
    await engines.remember(engine);
    return { container: await made(docker, options), isFormer: false };
  }
}

/**
 * Returns true where the container was stopped, removed or made by another since it was looked at.
 */
const isGone = (error: unknown): boolean => [404, 409].includes(statusOf(error) ?? 0);

/** Another Helios may make it at the same time: it has the same name then, and is the same. */
async function made(docker: Docker, options: ReturnType<typeof createOptions>): Promise<Container> {
  const container = await docker.createContainer(options).catch((error: unknown) => {
    if (statusOf(error) === 409) return docker.getContainer(options.name);
    throw error;
  });
  try {
    await start(container);
    // The user of the container may be anyone.
    await outputOf(container, `chmod 1777 ${heliosFolder}`, '0');
  } catch (error) {
    await container.remove({ force: true }).catch(() => undefined);
    throw error;
  }
  return container;
}

async function start(container: Container): Promise<void> {
  await container.start().catch((error: unknown) => {
    // It was started already.
    if (statusOf(error) !== 304) throw error;
  });
}

/**
 * What is missing is never made: it would belong to root. `missing` is not the reason of it: that
 * is said of files there, and of a run whose files are missing it is said that it is lost.
 */
function checkMounts({ id, mounts = [] }: ContainerEntry, engine: string): void {
  for (const { source, target } of mounts) {
    const folder = mountSource(source);
    if (!isHere(engine))
      throw new MachineFailure(
        'unreachable',
        `${id} mounts ${source}, but its engine is on another computer: remove the mount.`,
      );
    if (!path.isAbsolute(folder) || !path.isAbsolute(target))
      throw new MachineFailure(
        'unreachable',
        `${id} mounts ${source} at ${target}: both must be absolute paths.`,
      );
    if (!existsSync(folder))
      throw new MachineFailure(
        'unreachable',
        `${id} mounts ${folder}, which is not there. Make it, or change the mount.`,
      );
  }
}
