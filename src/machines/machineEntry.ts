/** One machine as `machines.json` holds it, and the short form in which people write it: `user@host[:port]`. */
import * as z from 'zod';
import { UserFacing } from '../base/errors.ts';

export const authMethods = ['agent', 'key', 'password'] as const;
export type AuthMethod = (typeof authMethods)[number];

export const localId = 'local';

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
// No leading dash: the name may become an argument of `ssh`.
const wordPattern = /^[^\s@/-][^\s@/]*$/;
const word = z.string().regex(wordPattern, 'must be one word that does not start with a dash');

const sshSchema = z
  .looseObject({
    id: z.string().regex(idPattern, 'must be letters, digits, dots, dashes and underscores'),
    kind: z.literal('ssh', 'is not one that this version knows; it knows ssh'),
    /** Name or address. Everything that is not said here is taken from the ssh config, as `ssh` does. */
    host: word.optional(),
    /** A `Host` of the ssh config. */
    alias: word.optional(),
    port: z.int().min(1).max(65_535).optional(),
    user: word.optional(),
    /** Absent: whatever the ssh config says, then agent, keys, and questions. */
    auth: z.enum(authMethods).optional(),
    /** A private key on this computer; `~/` is the home folder. */
    keyPath: z.string().min(1).optional(),
    /** Where commands start when no folder is named; absent: the home folder there. */
    workFolder: z.string().min(1).optional(),
  })
  .refine(({ id }) => id !== localId, { path: ['id'], message: '"local" is this computer: choose another id' })
  .refine(({ host, alias }) => (host === undefined) !== (alias === undefined), {
    path: ['host'],
    message: 'name either a host or an alias of the ssh config',
  })
  .refine((entry) => !('password' in entry), {
    path: ['password'],
    message: 'a password is never kept here: remove it, it is asked for when it is needed',
  });

/** Fields that this version does not know are kept. */
export type MachineEntry = z.output<typeof sshSchema>;

export const machineEntrySchema = sshSchema;

/** Throws `UserFacing` with what is wrong. */
export function checkedEntry(value: unknown): MachineEntry {
  const parsed = machineEntrySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UserFacing(`This machine cannot be used: ${issueText(parsed.error.issues[0])}.`);
}

export const issueText = (issue: z.core.$ZodIssue | undefined): string =>
  issue === undefined
    ? 'it does not fit'
    : `${issue.path.join('.')}${issue.path.length > 0 ? ': ' : ''}${issue.message}`;

export type MachinePlace = Pick<MachineEntry, 'host' | 'alias' | 'user' | 'port'>;

/**
 * `user@host[:port]`, `host`, `[::1]:2222`, or a name in `aliases`, the hosts of the ssh config. Throws `UserFacing` with
 * an example of what is understood.
 */
export function parseMachineSpec(text: string, aliases: readonly string[] = []): MachinePlace {
  const [, userPart, rest = ''] = /^(?:([^@]*)@)?(.*)$/s.exec(text.trim().replace(/^ssh:\/\//, '')) ?? [];
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
  // Two colons and more without brackets: an IPv6 address and no port.
  if (/^[0-9a-fA-F:.]*:[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(?:%[\w.-]+)?$/.test(text)) return { name: text, port: undefined };
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
    `"${text}" names no host.`,
    'Write user@host, user@host:2222, [::1]:2222, or the name of a host in your ssh config.',
  );

/** The short form again: `ada@gpu1:2222`, or the alias. */
export function placeText({ host, alias, user, port }: MachinePlace): string {
  const name = alias ?? host ?? '';
  const isBracketed = port !== undefined && name.includes(':');
  return `${user === undefined ? '' : `${user}@`}${isBracketed ? `[${name}]` : name}${port === undefined ? '' : `:${port}`}`;
}

/** An id made from the name of the host, other than those `taken`. */
export function suggestedId({ host, alias }: MachinePlace, taken: readonly string[]): string {
  const name = alias ?? host ?? '';
  const isAddress = /^[\d.]+$|:/.test(name);
  const words = (isAddress ? name : (name.split('.')[0] ?? '')).replace(/[^A-Za-z0-9._-]+/g, '-');
  const base = words.replace(/^[^A-Za-z0-9]+/, '').slice(0, 60) || 'machine';
  const isFree = (id: string): boolean => id !== localId && !taken.includes(id);
  if (isFree(base)) return base;
  for (let number = 2; ; number += 1) if (isFree(`${base}-${number}`)) return `${base}-${number}`;
}
