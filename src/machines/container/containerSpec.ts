/**
 * Defines what a container is allowed to do. An agent may run unattended in it, so it gets only
 * what its entry names:
 *
 * - No privileged mode, no devices but the named GPUs, and no namespace of this computer except, on
 *   request, the network's. The engine's own seccomp and AppArmor profiles stay on.
 * - `no-new-privileges`: no program in it gains rights that its user lacks, whatever the mode bits
 *   of the program's file.
 * - All capabilities are dropped. Where commands run as root, these are added again, without which
 *   `apt-get`, `pip` and `tar` do not work and a run cannot be ended: CHOWN, DAC_OVERRIDE, FOWNER,
 *   FSETID, SETGID, SETUID, KILL. They apply to the container's own files and processes, and to
 *   files of writable mounts. None of them reaches the kernel, the network or the devices.
 * - No network, unless the entry names one. Without a network, nothing can be downloaded or sent.
 * - Memory without swap, so that the limit is effective, and a bound on the number of processes, so
 *   that a fork bomb stays inside.
 * - Nothing of this computer is visible except the mounts. They must exist, so that the engine does
 *   not create folders owned by root.
 * - No restart policy: an ended container is never restarted implicitly. Process 1 reaps the child
 *   processes that runs leave behind.
 */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path/posix';
import type Dockerode from 'dockerode';
import type { ContainerEntry } from '../machineEntry.ts';
import { expandHome } from '../ssh/configFile.ts';

export type CreateOptions = Dockerode.ContainerCreateOptions;

/** Labels that identify a container, also to a Helios process that did not create it. */
export const labels = {
  machine: 'helios.machine',
  home: 'helios.home',
  spec: 'helios.spec',
} as const;

/**
 * Path in the container of an engine volume, which keeps what runs have written when the container
 * is removed.
 */
export const heliosFolder = '/helios';

const rootCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID', 'KILL'];
const maxProcesses = 4096;
const bytesPerMb = 2 ** 20;
/**
 * Size of `/dev/shm`, through which data loader workers pass their batches. Counts as memory of the
 * container.
 */
const sharedMemoryMb = 2048;

/** Command of process 1: sleeps until TERM, and then exits at once. */
const waitForEver = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done";

export interface ContainerPlace {
  readonly entry: ContainerEntry;
  /**
   * Identifies the Helios home: two homes with a machine of the same name have one container each.
   */
  readonly homeId: string;
  /** Name of an image that the engine has. */
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
