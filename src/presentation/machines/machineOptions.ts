/**
 * The options for adding a machine, declared in one table for the terminal, the chat and VS Code.
 */
import type { MachineKind } from '../../machines/machine.ts';
import { authMethods } from '../../machines/machineEntry.ts';
import {
  amountOf,
  gpuIdsOf,
  minutesOf,
  mountOf,
  numberOf,
  variableOf,
  warningOf,
  wholeNumberOf,
} from './machineValues.ts';

export type RemoteKind = Exclude<MachineKind, 'local'>;

/**
 * Returns the absolute path of a file or folder on this computer. Throws `UserFacing` if it does
 * not exist.
 */
export type LocalPath = (path: string) => string;

export interface MachineOption {
  /** Name of the option without the dashes. */
  readonly name: string;
  /** Placeholder for the value. Default: the option takes no value. */
  readonly value?: string;
  readonly kinds: readonly RemoteKind[];
  /** Name of the field in the machine's entry. */
  readonly field: string;
  readonly about: string;
  /** Example of a value. */
  readonly example: string;
  /** Whether the option may be given several times. */
  readonly isList?: true;
  /** Whether the option may be given several times, each with a name and a value. */
  readonly isRecord?: true;
  /** Converts text to the value of the field; returns `undefined` for invalid text. */
  read(text: string, localPath: LocalPath): unknown;
}

const every = ['ssh', 'slurm', 'container'] as const;
const byLogin = ['ssh', 'slurm'] as const;
const jobs = ['slurm'] as const;
const inside = ['container'] as const;

const text = (value: string): string => value;
const path = (value: string, localPath: LocalPath): string => localPath(value);
const oneOf =
  (choices: readonly string[]) =>
  (value: string): string | undefined =>
    choices.find((choice) => choice === value);

export const machineOptions: readonly MachineOption[] = [
  {
    name: 'key',
    value: 'FILE',
    kinds: byLogin,
    field: 'keyPath',
    about: 'the file of the private key, on this computer',
    example: '~/.ssh/id_ed25519',
    read: path,
  },
  {
    name: 'auth',
    value: 'HOW',
    kinds: byLogin,
    field: 'auth',
    about: `how to log in: ${authMethods.join(', ')}; default: as in the ssh config`,
    example: 'key',
    read: oneOf(authMethods),
  },
  {
    name: 'work-folder',
    value: 'FOLDER',
    kinds: every,
    field: 'workFolder',
    about: 'working folder of commands',
    example: '~/work',
    read: text,
  },
  {
    name: 'slots',
    value: 'N',
    kinds: ['ssh', 'container'],
    field: 'slots',
    about: 'maximum number of concurrent runs',
    example: '4',
    read: wholeNumberOf,
  },
  {
    name: 'gpus',
    value: '0,1',
    kinds: ['ssh'],
    field: 'gpuIds',
    about: 'the GPUs that runs may use',
    example: '0,1',
    read: gpuIdsOf,
  },
  {
    name: 'partition',
    value: 'NAME',
    kinds: jobs,
    field: 'partition',
    about: 'the partition in which its jobs run',
    example: 'gpu',
    read: text,
  },
  {
    name: 'account',
    value: 'NAME',
    kinds: jobs,
    field: 'account',
    about: 'the account that its jobs are charged to',
    example: 'lab',
    read: text,
  },
  {
    name: 'qos',
    value: 'NAME',
    kinds: jobs,
    field: 'qos',
    about: 'the quality of service of its jobs',
    example: 'normal',
    read: text,
  },
  {
    name: 'time',
    value: 'TIME',
    kinds: jobs,
    field: 'timeLimitMinutes',
    about: 'default time limit of a job',
    example: '24h',
    read: minutesOf,
  },
  {
    name: 'gpus',
    value: 'N',
    kinds: jobs,
    field: 'gpus',
    about: 'default number of GPUs per job',
    example: '1',
    read: (value) => numberOf(value, { isWhole: true, min: 0 }),
  },
  {
    name: 'cpus',
    value: 'N',
    kinds: jobs,
    field: 'cpus',
    about: 'default number of CPUs per job',
    example: '8',
    read: wholeNumberOf,
  },
  {
    name: 'memory',
    value: '32G',
    kinds: jobs,
    field: 'memoryMb',
    about: 'default memory per job',
    example: '32G',
    read: amountOf,
  },
  {
    name: 'flag',
    value: '--FLAG',
    kinds: jobs,
    field: 'flags',
    about: 'an additional argument of sbatch; repeatable',
    example: '--constraint=a100',
    isList: true,
    read: (value) => (value.startsWith('-') ? value : undefined),
  },
  {
    name: 'prologue',
    value: "'LINE'",
    kinds: every,
    field: 'prologue',
    about: 'a shell line that runs before the command of every run and command; repeatable',
    example: "'module load cuda'",
    isList: true,
    read: text,
  },
  {
    name: 'env',
    value: 'NAME=VALUE',
    kinds: every,
    field: 'env',
    about: 'a variable of every run and command; repeatable',
    example: 'HF_HOME=/data/hf',
    isRecord: true,
    read: variableOf,
  },
  {
    name: 'pass-env',
    value: 'NAME',
    kinds: every,
    field: 'passEnvironment',
    about:
      'a variable of this computer that runs on the machine get, such as WANDB_API_KEY; repeatable',
    example: 'WANDB_API_KEY',
    isList: true,
    read: text,
  },
  {
    name: 'warning',
    value: 'USR1@120',
    kinds: jobs,
    field: 'warning',
    about:
      'a signal, and how many seconds before the time limit it is sent, so that the run can save a checkpoint',
    example: 'USR1@120',
    read: warningOf,
  },
  {
    name: 'requeue',
    kinds: jobs,
    field: 'requeue',
    about: 'whether a preempted job may restart',
    example: '',
    read: () => true,
  },
  {
    name: 'runs-folder',
    value: 'FOLDER',
    kinds: jobs,
    field: 'runsFolder',
    about: 'folder of its runs, on a file system that login host and nodes share',
    example: '/shared/runs',
    read: text,
  },
  {
    name: 'image',
    value: 'IMAGE',
    kinds: inside,
    field: 'image',
    about: 'image of the container',
    example: 'python:3.12-slim',
    read: text,
  },
  {
    name: 'dockerfile',
    value: 'FILE',
    kinds: inside,
    field: 'dockerfile',
    about: 'Dockerfile to build the image from, instead of naming an image',
    example: 'Dockerfile',
    read: path,
  },
  {
    name: 'build-context',
    value: 'FOLDER',
    kinds: inside,
    field: 'buildContext',
    about: 'build context of the Dockerfile (default: its folder)',
    example: '.',
    read: path,
  },
  {
    name: 'mount',
    value: 'FROM:TO[:ro]',
    kinds: inside,
    field: 'mounts',
    about: 'a folder of this computer to mount, read-only with :ro; repeatable',
    example: '.:/project',
    isList: true,
    read: mountOf,
  },
  {
    name: 'network',
    value: 'HOW',
    kinds: inside,
    field: 'network',
    about: 'network of the container: none, bridge or host (default: none)',
    example: 'none',
    read: oneOf(['none', 'bridge', 'host']),
  },
  {
    name: 'cpus',
    value: 'N',
    kinds: inside,
    field: 'cpus',
    about: 'maximum number of CPUs of the container; may be a fraction',
    example: '3.5',
    read: (value) => numberOf(value, { isWhole: false, min: Number.MIN_VALUE }),
  },
  {
    name: 'memory',
    value: '16G',
    kinds: inside,
    field: 'memoryMb',
    about: 'maximum memory of the container',
    example: '16G',
    read: amountOf,
  },
  {
    name: 'gpus',
    value: 'all|N',
    kinds: inside,
    field: 'gpus',
    about: 'GPUs available in the container (default: none)',
    example: 'all',
    read: (value) => (value === 'all' ? value : wholeNumberOf(value)),
  },
  {
    name: 'user',
    value: 'USER',
    kinds: inside,
    field: 'user',
    about: "user of the commands: uid[:gid] or a name (default: the image's)",
    example: '1000:1000',
    read: text,
  },
  {
    name: 'engine',
    value: 'ADDRESS',
    kinds: inside,
    field: 'engine',
    about:
      "the Docker engine: a socket's path, npipe://… or tcp://…, which is not encrypted (default: DOCKER_HOST, otherwise the engine that is found here)",
    example: '/run/docker.sock',
    read: text,
  },
];

export const optionsOf = (kind: RemoteKind): readonly MachineOption[] =>
  machineOptions.filter(({ kinds }) => kinds.includes(kind));
