/**
 * Defines the entries of `machines.json`, and the short form of a machine that users write:
 * `user@host[:port]`.
 */
import * as z from 'zod';
import { UserFacing } from '../base/errors.ts';
import { hostPattern, networks } from './confinement/policy.ts';
import { variablePattern } from './environment/variables.ts';

export const authMethods = ['agent', 'key', 'password'] as const;
export type AuthMethod = (typeof authMethods)[number];

export const localId = 'local';

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
// A leading dash is refused, because the name may become an argument of `ssh`.
const wordPattern = /^[^\s@/-][^\s@/]*$/;
const word = z.string().regex(wordPattern, 'must be one word that does not start with a dash');

const idSchema = z
  .string()
  .regex(idPattern, 'must be letters, digits, dots, dashes and underscores')
  .refine((id) => id !== localId, '"local" is this computer: choose another id');
const path = z.string().min(1);
const count = z.int().min(1);

/**
 * Address of an SSH server, and how to log in. Omitted fields are read from the ssh config, as
 * `ssh` does.
 */
const place = {
  /** Name or address of the host. */
  host: word.optional(),
  /** Name of a `Host` of the ssh config. */
  alias: word.optional(),
  port: z.int().min(1).max(65_535).optional(),
  user: word.optional(),
  /** Login method. Default: the agent, then the keys of the ssh config, then prompts. */
  auth: z.enum(authMethods).optional(),
  /** Path of a private key on this computer; may begin with `~/`. */
  keyPath: path.optional(),
  /** Folder in which commands start. Default: the home folder on the machine. */
  workFolder: path.optional(),
};

/** Resources that parallel runs share. */
const share = {
  /** Maximum number of parallel runs. Default: unlimited. */
  slots: count.optional(),
  /** GPUs that runs may use, as numbered by `nvidia-smi` or `rocm-smi`. Default: all. */
  gpuIds: z
    .array(z.string().regex(/^[A-Za-z0-9-]+$/))
    .min(1)
    .optional(),
};

/** The environment of commands and runs. */
const environment = {
  /** Variables of every foreground command and run, with their literal values. */
  env: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'),
      z.string(),
    )
    .optional(),
  /**
   * Shell lines that run before the command of every run and foreground command, such as `module
   * load cuda`. Each must succeed.
   */
  prologue: z.array(z.string()).optional(),
};
const hostSchema = z
  .string()
  .regex(hostPattern, 'must be a host such as "pypi.org", "*.hf.co" or "10.0.0.7:5000"');
/** Settings for the confinement of commands and runs. */
const confinement = {
  confinement: z
    .strictObject({
      /** True if commands must never run unconfined, whatever the user's setting is. */
      required: z.boolean().optional(),
      /**
       * Folders that commands may change, in addition to the working folder; may begin with `~/`.
       */
      writable: z.array(z.string().regex(/^(?:\/|~\/)[^\n\t]*$/, 'must be absolute')).optional(),
      /**
       * Network of confined commands; a list: only these hosts. Default: in the permission mode
       * `mandate` the hosts of the mandate, otherwise `all`.
       */
      network: z
        .union([z.enum(networks), z.array(hostSchema)], 'must be all, none, or a list of hosts')
        .optional(),
    })
    .optional(),
};
const passed = {
  ...environment,
  /**
   * Variables of this computer that runs on the machine get: names, or the beginning of names with
   * an asterisk. Default: none.
   */
  passEnvironment: z
    .array(z.string().regex(variablePattern, 'must be a name, or its beginning with *'))
    .optional(),
};

const noPassword = <Entry extends object>(entry: Entry): boolean => !('password' in entry);
const passwordIssue = {
  path: ['password'],
  message: 'passwords are not allowed here. Remove it; Helios asks for the password when needed',
};
const onePlace = { path: ['host'], message: 'set either host or alias (a name in the ssh config)' };

const sshSchema = z
  .looseObject({
    id: idSchema,
    kind: z.literal('ssh'),
    ...place,
    ...share,
    ...passed,
    ...confinement,
  })
  .refine(({ host, alias }) => (host === undefined) !== (alias === undefined), onePlace)
  .refine(noPassword, passwordIssue);

/**
 * A Slurm cluster, on which runs are jobs. Slurm commands run on the login host or, if the entry
 * names no host, on this computer.
 */
const slurmSchema = z
  .looseObject({
    id: idSchema,
    kind: z.literal('slurm'),
    ...place,
    ...passed,
    ...confinement,
    partition: word.optional(),
    account: word.optional(),
    qos: word.optional(),
    /** Time limit of jobs that set no limit. Default: the partition's default. */
    timeLimitMinutes: count.optional(),
    gpus: z.int().min(0).optional(),
    cpus: count.optional(),
    memoryMb: count.optional(),
    /** Further arguments of `sbatch`, such as `--constraint=a100`. */
    flags: z.array(z.string().regex(/^-/, 'must begin with a dash')).optional(),
    /**
     * Signal to send to the run before its time limit, so that the run can save a checkpoint.
     * `seconds` is the time between the signal and the time limit.
     */
    warning: z.strictObject({ signal: z.string().regex(/^[A-Z0-9]+$/), seconds: count }).optional(),
    /**
     * True to let the scheduler requeue a preempted job. The same run then restarts and appends to
     * its output.
     */
    requeue: z.boolean().optional(),
    /**
     * Folder of all runs, on a file system that the login host and the nodes share. Default:
     * `~/.helios/runs` on the login host.
     */
    runsFolder: path.optional(),
  })
  .refine(({ host, alias }) => host === undefined || alias === undefined, onePlace)
  .refine(noPassword, passwordIssue);

/**
 * A container of a Docker engine, created on first use. Of this computer's files, the container
 * sees only its mounts.
 */
const containerSchema = z
  .looseObject({
    id: idSchema,
    kind: z.literal('container'),
    image: z.string().min(1).optional(),
    /**
     * Path of the Dockerfile on this computer. The image is built on first use, and again after a
     * change.
     */
    dockerfile: path.optional(),
    /** Build context: a folder on this computer. Default: the folder of the Dockerfile. */
    buildContext: path.optional(),
    mounts: z
      .array(z.strictObject({ source: path, target: path, isReadOnly: z.boolean().optional() }))
      .optional(),
    /** Network of the container. Default: `none`. */
    network: z.enum(['none', 'bridge', 'host']).optional(),
    /** Maximum number of CPUs; may be a fraction. */
    cpus: z.number().positive().optional(),
    memoryMb: count.optional(),
    /** GPUs of the container: `all`, or how many. */
    gpus: z.union([z.literal('all'), count]).optional(),
    /**
     * User that runs commands: `uid[:gid]`, or a name in the image. Default: the user of the image.
     */
    user: z
      .string()
      .regex(/^[\w.-]+(:[\w.-]+)?$/)
      .optional(),
    /**
     * Folder in which commands start. Default: the first mount or, without mounts, the image's
     * working directory.
     */
    workFolder: path.optional(),
    /**
     * Path of the engine's socket, `npipe://…` or `tcp://…`. Default: `DOCKER_HOST` or, if that is
     * not set, the engine that `findEngine` finds.
     */
    engine: z.string().min(1).optional(),
    slots: count.optional(),
    ...passed,
  })
  .refine(({ image, dockerfile }) => (image === undefined) !== (dockerfile === undefined), {
    path: ['image'],
    message: 'set either image or dockerfile',
  });

/** Settings of this computer. */
export const localEntrySchema = z.looseObject({
  id: z.literal(localId),
  kind: z.literal('local'),
  ...environment,
  ...confinement,
});

export type LocalEntry = z.output<typeof localEntrySchema>;
export type SshEntry = z.output<typeof sshSchema>;
export type SlurmEntry = z.output<typeof slurmSchema>;
export type ContainerEntry = z.output<typeof containerSchema>;

/** An entry of `machines.json`. Unknown fields are preserved. */
export type MachineEntry = SshEntry | SlurmEntry | ContainerEntry;

export const remoteKinds = ['ssh', 'slurm', 'container'] as const;

export const machineEntrySchema = z.discriminatedUnion(
  'kind',
  [sshSchema, slurmSchema, containerSchema],
  {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? `is not supported by this version; choose one of ${remoteKinds.join(', ')}`
        : undefined,
  },
);

/** Validates an entry. Throws `UserFacing` with the first error. */
export function checkedEntry(value: unknown): MachineEntry {
  const parsed = machineEntrySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UserFacing(`This machine is invalid: ${issueText(parsed.error.issues[0])}.`);
}

export const issueText = (issue: z.core.$ZodIssue | undefined): string =>
  issue === undefined
    ? 'it is invalid'
    : `${issue.path.join('.')}${issue.path.length > 0 ? ': ' : ''}${issue.message}`;

export type MachinePlace = Pick<SshEntry, 'host' | 'alias' | 'user' | 'port'>;

/**
 * Parses `user@host[:port]`, `host`, `[::1]:2222`, or a name in `aliases`, the hosts of the ssh
 * config. Throws `UserFacing` with examples of valid forms.
 */
export function parseMachineSpec(text: string, aliases: readonly string[] = []): MachinePlace {
  const [, userPart, rest = ''] =
    /^(?:([^@]*)@)?(.*)$/s.exec(text.trim().replace(/^ssh:\/\//, '')) ?? [];
  const { name, port } = hostAndPort(rest);
  const isWord = wordPattern.test(name) && (userPart === undefined || wordPattern.test(userPart));
  if (!isWord || port === 'wrong') throw notUnderstood(text);
  return {
    ...(aliases.includes(name) ? { alias: name } : { host: name }),
    ...(userPart !== undefined && { user: userPart }),
    ...(port !== undefined && { port }),
  };
}

function hostAndPort(text: string): { name: string; port: number | 'wrong' | undefined } {
  const bracketed = /^\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\](?::(.*))?$/.exec(text);
  if (bracketed !== null) return { name: bracketed[1] ?? '', port: portOf(bracketed[2]) };
  // Two or more colons without brackets: an IPv6 address without a port.
  if (/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(?:%[\w.-]+)?$/.test(text))
    return { name: text, port: undefined };
  const [, name = '', port] = /^([^:[\]]*)(?::(.*))?$/.exec(text) ?? [];
  return { name, port: portOf(port) };
}

function portOf(text: string | undefined): number | 'wrong' | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : 'wrong';
}

const notUnderstood = (text: string): UserFacing =>
  new UserFacing(
    `"${text}" is not a host.`,
    'Write user@host, user@host:2222, [::1]:2222, or the name of a host in your ssh config.',
  );

/** Returns the short form of an address: `ada@gpu1:2222`, or the alias. */
export function placeText({ host, alias, user, port }: MachinePlace): string {
  const name = alias ?? host ?? '';
  const isBracketed = port !== undefined && name.includes(':');
  return `${user === undefined ? '' : `${user}@`}${isBracketed ? `[${name}]` : name}${port === undefined ? '' : `:${port}`}`;
}

/**
 * Returns whether the entry names a host to connect to: false for a container, and for a cluster
 * whose login host is this computer.
 */
export const hasHost = (entry: MachineEntry): entry is SshEntry | SlurmEntry =>
  entry.kind !== 'container' && (entry.host ?? entry.alias) !== undefined;

/**
 * Returns a short text that locates the machine: its address, or the image or Dockerfile of its
 * container.
 */
export function entryText(entry: MachineEntry): string {
  switch (entry.kind) {
    case 'ssh':
      return placeText(entry);
    case 'slurm':
      return placeText(entry) || 'this computer';
    case 'container':
      return entry.image ?? entry.dockerfile ?? '';
  }
}

/** Returns an id that is made from the host name and is not in `usedIds`. */
export function suggestedId({ host, alias }: MachinePlace, usedIds: readonly string[]): string {
  const name = alias ?? host ?? '';
  const isAddress = /^[\d.]+$|:/.test(name);
  const words = (isAddress ? name : (name.split('.')[0] ?? '')).replace(/[^A-Za-z0-9._-]+/g, '-');
  const base = words.replace(/^[^A-Za-z0-9]+/, '').slice(0, 60) || 'machine';
  const isFree = (id: string): boolean => id !== localId && !usedIds.includes(id);
  if (isFree(base)) return base;
  for (let number = 2; ; number += 1) if (isFree(`${base}-${number}`)) return `${base}-${number}`;
}
