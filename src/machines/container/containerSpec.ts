/**
 * Defines what a container is allowed to do. An agent may run unattended in it, so it gets only
 * what its entry names:
 *
 * - No privileged mode, no devices except the GPUs that the entry names, and no namespace of this
 *   computer except, if the entry requests it, the network namespace. The engine's own seccomp and
 *   AppArmor profiles stay on.
 * - `no-new-privileges`: no program in the container gains rights that its user lacks, not even
 *   through a setuid bit.
 * - All capabilities are dropped. If commands run as root, some capabilities are added again,
 *   because `apt-get`, `pip` and `tar` do not work without them and runs could not be ended: CHOWN,
 *   DAC_OVERRIDE, FOWNER, FSETID, SETGID, SETUID, KILL. These capabilities apply to the container's
 *   own files and processes, and to files of writable mounts. None of them gives control over the
 *   kernel, the network or devices.
 * - No network, unless the entry names one. Without a network, nothing can be downloaded or sent.
 * - Memory without swap, so that the limit is effective, and a limit on the number of processes, so
 *   that a fork bomb affects only the container.
 * - Nothing of this computer is visible except the mounted folders. These folders must exist,
 *   because the engine would create missing ones with root as the owner.
 * - No restart policy: the engine never restarts a container that has ended. The engine's init
 *   process reaps the child processes that runs leave behind.
 */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import type Dockerode from 'dockerode';
import type { ContainerEntry } from '../machineEntry.ts';
import { expandHome } from '../ssh/configPaths.ts';

export type CreateOptions = Dockerode.ContainerCreateOptions;

/** Labels that identify a container, also to a Helios process that did not create it. */
export const labels = {
  machine: 'helios.machine',
  home: 'helios.home',
  spec: 'helios.spec',
} as const;

/**
 * Mount point of the container's volume. The volume contains the files of runs, and remains when
 * the container is removed.
 */
export const heliosFolder = '/helios';

const rootCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID', 'KILL'];
const maxProcesses = 4096;
const bytesPerMb = 2 ** 20;
/**
 * Size of `/dev/shm`, through which data loader workers pass their batches. Is included in the
 * container's memory limit.
 */
const sharedMemoryMb = 2048;

/** Main command of the container: sleeps until SIGTERM, and then exits immediately. */
const waitForEver = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done";

export interface ContainerPlace {
  readonly entry: ContainerEntry;
  /**
   * Identifies the Helios home: if two homes each list a machine with the same id, each home has
   * its own container.
   */
  readonly homeId: string;
  /** Name of the image, which the engine has when the container is created. */
  readonly image: string;
}

export const homeIdOf = (homeFolder: string): string =>
  createHash('sha256').update(homeFolder).digest('hex').slice(0, 12);

const volumeOf = ({ entry, homeId }: ContainerPlace): string => `helios-${homeId}-${entry.id}`;

/**
 * Returns the options of the container. A label holds their hash, so that a change of the entry or
 * of this file leads to a new container.
 */
export function createOptions(place: ContainerPlace): CreateOptions & { readonly name: string } {
  const { entry, homeId, image } = place;
  const options: CreateOptions = {
    Image: image,
    Entrypoint: ['/bin/sh', '-c', waitForEver],
    Cmd: [],
    ...(entry.user !== undefined && { User: entry.user }),
    ...(entry.workFolder !== undefined && { WorkingDir: entry.workFolder }),
    StopSignal: 'SIGTERM',
    HostConfig: hostConfig(place),
  };
  const spec = createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 12);
  return {
    ...options,
    name: `helios-${homeId}-${entry.id}-${spec}`,
    Labels: { [labels.machine]: entry.id, [labels.home]: homeId, [labels.spec]: spec },
  };
}

function hostConfig(place: ContainerPlace): Dockerode.HostConfig {
  const { mounts = [], network = 'none', cpus, memoryMb, gpus, user } = place.entry;
  const memory = memoryMb === undefined ? undefined : memoryMb * bytesPerMb;
  return {
    Init: true,
    Privileged: false,
    NetworkMode: network,
    SecurityOpt: ['no-new-privileges'],
    CapDrop: ['ALL'],
    ...(isRoot(user) && { CapAdd: rootCapabilities }),
    PidsLimit: maxProcesses,
    RestartPolicy: { Name: 'no' },
    ShmSize: Math.min(sharedMemoryMb, (memoryMb ?? Infinity) / 2) * bytesPerMb,
    ...(memory !== undefined && { Memory: memory, MemorySwap: memory }),
    ...(cpus !== undefined && { NanoCpus: Math.round(cpus * 1e9) }),
    ...(gpus !== undefined && {
      DeviceRequests: [{ Count: gpus === 'all' ? -1 : gpus, Capabilities: [['gpu']] }],
    }),
    Mounts: [
      { Type: 'volume', Source: volumeOf(place), Target: heliosFolder },
      ...mounts.map(({ source, target, isReadOnly = false }) => ({
        Type: 'bind' as const,
        Source: mountSource(source),
        Target: target,
        ReadOnly: isReadOnly,
      })),
    ],
  };
}

/** Returns the absolute path of a mount's source on this computer. */
export const mountSource = (source: string): string =>
  path.normalize(expandHome(source, homedir()));

/**
 * Returns whether commands may run as root. Without a user, the image decides, and its user may be
 * root. Other users have no use for the added capabilities.
 */
const isRoot = (user: string | undefined): boolean =>
  user === undefined || /^(root|0)(:|$)/.test(user);
