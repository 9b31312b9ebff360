/**
 * Manages the one container of a machine: creates it on first use, finds it again by its labels,
 * and runs commands in it.
 */
import { existsSync } from 'node:fs';
import path, { posix } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { retry, type RetryPolicy } from '../../base/retries.ts';
import { MachineFailure } from '../machine.ts';
import type { ContainerEntry } from '../machineEntry.ts';
import type { ChannelOptions, CommandChannel, CommandHost } from '../remote/commandHost.ts';
import { ensureImage, plannedImage } from './containerImage.ts';
import { createOptions, heliosFolder, labels, mountSource } from './containerSpec.ts';
import { engineFailure, isHere, openEngine, statusOf, type Docker } from './engine.ts';
import { findEngine, type FoundEngine } from './findEngine.ts';
import { hasLiveRuns, outputOf, startIn, type Container } from './insideContainer.ts';
import type { OwnEngines } from './ownEngines.ts';
import { containersOf, isRunning, removeIdle, type Listed } from './ownContainers.ts';

export interface ContainerHostOptions {
  readonly entry: ContainerEntry;
  readonly engines: OwnEngines;
  readonly clock: Clock;
}

/** Delay before an engine that did not answer is contacted again. */
const retryMs = 1000;
/** Retries while another process creates or removes the container. */
const policy: RetryPolicy = { firstMs: 250, maxRetries: 59 };

interface Current {
  readonly container: Container;
  /**
   * True if the container was created from an earlier version of the entry and still has active
   * runs.
   */
  readonly isFormer: boolean;
}

/**
 * The container of one machine. A stopped container is started again; a removed container is
 * created again, without the changes to its file system but with the files of its runs, which are
 * in a volume. When the entry changes, the existing container is used until it has no active run,
 * and is then replaced.
 */
export class ContainerHost implements CommandHost {
  readonly name: string;
  readonly #options: ContainerHostOptions;
  #docker: Promise<Docker> | undefined;
  #current: Promise<Current> | undefined;
  #engine: FoundEngine | undefined;
  #failedMs = -Infinity;

  constructor(options: ContainerHostOptions) {
    this.name = `container ${options.entry.id}`;
    this.#options = options;
  }

  get retryAfterMs(): number {
    return Math.max(0, this.#failedMs + retryMs - this.#options.clock.now());
  }

  /**
   * Resolves with the image's working directory, in which commands start if the entry has neither a
   * `workFolder` nor a mount. Rejects with `MachineFailure`.
   */
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
    const channel = await this.#retried(() => this.#start(line, signal), signal).catch(
      (error: unknown) => {
        if (isGone(error)) this.#failed(error);
        throw error;
      },
    );
    listen(channel);
  }

  /** Rejects with the engine's own error if the container is gone, which is worth another attempt. */
  async #start(line: string, signal: AbortSignal | undefined): Promise<CommandChannel> {
    const { container } = await this.#up();
    signal?.throwIfAborted();
    return startIn(container, line).catch((error: unknown) => {
      this.#current = undefined;
      if (!isGone(error)) this.#failed(error);
      throw error;
    });
  }

  #retried<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const again = (error: unknown, backoffMs: number): number | undefined =>
      isGone(error) ? backoffMs : undefined;
    const { clock } = this.#options;
    return retry(policy, { clock, again, ...(signal && { signal }) }, attempt);
  }

  #failed(error: unknown): never {
    const failure = engineFailure(error, `${this.name} cannot be used`, this.#engine?.tried);
    if (failure.reason === 'unreachable') this.#failedMs = this.#options.clock.now();
    throw failure;
  }

  async #up(): Promise<Current> {
    const finding = (this.#current ??= this.#find());
    try {
      const current = await finding;
      if (!current.isFormer || (await hasLiveRuns(current.container))) return current;
      if (this.#current === finding) this.#current = undefined;
      return await (this.#current ??= this.#find());
    } catch (error) {
      if (this.#current === finding) this.#current = undefined;
      return this.#failed(error);
    }
  }

  /** Searches again until there is an engine, which is then used for as long as this object is. */
  #address(): string {
    if (this.#engine?.isFound !== true) {
      this.#engine = findEngine(this.#options.entry.engine);
      this.#docker = undefined;
    }
    return this.#engine.address;
  }

  #find(): Promise<Current> {
    return this.#retried(() => this.#findNow());
  }

  async #findNow(): Promise<Current> {
    const { entry, engines } = this.#options;
    const { homeId } = engines;
    const address = this.#address();
    checkMounts(entry, address);
    this.#docker ??= openEngine(address);
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
    await engines.remember(address);
    return { container: await made(docker, options), isFormer: false };
  }
}

/**
 * Returns true if the error means that another process stopped, removed or created the container
 * after it was listed.
 */
const isGone = (error: unknown): boolean => [404, 409].includes(statusOf(error) ?? 0);

/**
 * Creates and starts the container. If another Helios process creates the same container at the
 * same time, that container is used instead.
 */
async function made(docker: Docker, options: ReturnType<typeof createOptions>): Promise<Container> {
  const container = await docker.createContainer(options).catch((error: unknown) => {
    if (statusOf(error) === 409) return docker.getContainer(options.name);
    throw error;
  });
  try {
    await start(container);
    // Make the folder writable for everyone, because the container may run as any user.
    await outputOf(container, `chmod 1777 ${heliosFolder}`, '0');
  } catch (error) {
    await container.remove({ force: true }).catch(() => undefined);
    throw error;
  }
  return container;
}

async function start(container: Container): Promise<void> {
  await container.start().catch((error: unknown) => {
    // Status 304: already started.
    if (statusOf(error) !== 304) throw error;
  });
}

/**
 * Checks that every mounted folder exists. A missing folder is never created, because root would
 * own it. The failure does not have the reason `missing`: that reason refers to files on the
 * machine, and a run whose files are missing is considered lost.
 */
function checkMounts({ id, mounts = [] }: ContainerEntry, engine: string): void {
  for (const { source, target } of mounts) {
    const folder = mountSource(source);
    if (!isHere(engine))
      throw new MachineFailure(
        'unreachable',
        `${id} mounts ${source}, but its engine is on another computer. Remove the mount.`,
      );
    if (!path.isAbsolute(folder) || !posix.isAbsolute(target))
      throw new MachineFailure(
        'unreachable',
        `${id} mounts ${source} at ${target}: both must be absolute paths.`,
      );
    if (!existsSync(folder))
      throw new MachineFailure(
        'unreachable',
        `${id} mounts ${folder}, which does not exist. Create it, or change the mount.`,
      );
  }
}
