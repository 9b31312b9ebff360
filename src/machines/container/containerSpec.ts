/**
 * What a container is allowed. It is the place where an agent may be let loose, so it gets what it
 * was given and nothing else:
 *
 * - No privileged mode, no devices but the GPUs that are named, no namespace of this computer but,
 *   when it is asked for, the network's. The engine's own seccomp and AppArmor profiles stay on.
 * - `no-new-privileges`: no program in it gains rights that its user has not, whatever bits the
 *   program's file has.
 * - All capabilities are dropped. Where commands run as root, those come back without which
 *   `apt-get`, `pip` and `tar` do not work and a run cannot be ended: CHOWN, DAC_OVERRIDE, FOWNER,
 *   FSETID, SETGID, SETUID, KILL. They hold for the container's own files and processes, and for
 *   files of what is mounted writable. None of them reaches the kernel, the network or the devices.
 * - No network, unless one is named. Without one, nothing can be fetched, and nothing can be sent
 *   anywhere.
 * - Memory without swap, so that the limit is one; a bound on the number of processes, so that a
 *   fork bomb ends in it.
 * - Nothing of this computer is seen but the mounts. They must exist: the engine makes no folder of
 *   root's in their place.
 * - No restart policy: what has ended was not started again behind anybody's back. Process 1 is a
 *   reaper, for a run leaves children behind.
 */
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path/posix';
import type Dockerode from 'dockerode';
import type { ContainerEntry } from '../machineEntry.ts';
import { expandHome } from '../ssh/configFile.ts';

export type CreateOptions = Dockerode.ContainerCreateOptions;

/** By them a container is found again, also by a Helios that did not make it. */
export const labels = {
  machine: 'helios.machine',
  home: 'helios.home',
  spec: 'helios.spec',
} as const;

/**
 * In the container. A volume of the engine: what runs have written is still there when the
 * container is not.
 */
export const heliosFolder = '/helios';

const rootCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID', 'KILL'];
const maxProcesses = 4096;
const bytesPerMb = 2 ** 20;
/**
 * Of `/dev/shm`, where the workers of data loaders pass their batches; it counts as the container's
 * memory.
 */
const sharedMemoryMb = 2048;

/** Stays until it is told to go, at once then. */
const waitForEver = "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done";

export interface ContainerPlace {
  readonly entry: ContainerEntry;
  /** Of the Helios home: two homes with a machine of the same name have a container each. */
  readonly homeId: string;
  /** What is on the engine now. */
  readonly image: string;
}

export const homeIdOf = (homeFolder: string): string =>
  createHash('sha256').update(homeFolder).digest('hex').slice(0, 12);

const volumeOf = ({ entry, homeId }: ContainerPlace): string => `helios-${homeId}-${entry.id}`;

/**
 * With the hash of all that it says among its labels: another entry, or another version of this
 * text, is another one.
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

/** On this computer, absolute. */
export const mountSource = (source: string): string =>
  path.normalize(expandHome(source, homedir()));

/**
 * Without a user it is the image's own, which may be root: to others, what is added is of no use.
 */
const isRoot = (user: string | undefined): boolean =>
  user === undefined || /^(root|0)(:|$)/.test(user);
