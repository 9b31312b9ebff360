/** Opens one channel of an SSH connection, and says in our words why there is none. */
import type { Client } from 'ssh2';
import { MachineFailure } from '../machine.ts';

/**
 * RFC 4254: administratively prohibited; connect failed (OpenSSH, for one session too many);
 * resource shortage.
 */
const resourceShortage = 4;
const refusals: readonly unknown[] = [1, 2, resourceShortage];

export interface OpenConnection {
  readonly client: Client;
  /** For messages. */
  readonly host: string;
  /** Whether the connection is the one that is used now. */
  isCurrent(): boolean;
}

type Done<T> = (error: Error | undefined, channel: T) => void;
export type Begin<T> = (client: Client, done: Done<T>) => void;

/**
 * Settles also when the connection is lost before the host has answered. Rejects with
 * `MachineFailure`. `onOpen` is given the channel before the promise settles: the end of a short
 * command comes with its beginning.
 */
export function openChannel<T>(
  connection: OpenConnection,
  begin: Begin<T>,
  onOpen: (channel: T) => void = () => undefined,
): Promise<T> {
  const { client, host } = connection;
  return new Promise((resolve, reject) => {
    const onClose = (): void => reject(connectionLost(host));
    client.once('close', onClose);
    const done: Done<T> = (error, channel) => {
      if (!error) onOpen(channel);
      client.off('close', onClose);
      if (error) reject(openFailure(connection, error));
      else resolve(channel);
    };
    try {
      begin(client, done);
    } catch (error) {
      done(error as Error, undefined as T);
    }
  });
}

function openFailure({ host, isCurrent }: OpenConnection, error: Error): MachineFailure {
  if (!isCurrent() || /not connected|no response/i.test(error.message)) return connectionLost(host);
  // The channel was closed in place of an answer.
  if (error.message === 'Unable to exec')
    return unreachable(host, 'it closed a session at once; whether the command began is not known');
  return new MachineFailure('denied', `${host} opened no session: ${error.message}.`, {
    cause: error,
  });
}

export const unreachable = (host: string, why: string, cause?: unknown): MachineFailure =>
  new MachineFailure('unreachable', `${host} cannot be reached: ${why}.`, { cause });

export const connectionLost = (host: string): MachineFailure =>
  unreachable(host, 'the connection was lost');

export const noRoom = (host: string): MachineFailure =>
  new MachineFailure('denied', `${host} allows too few sessions to keep one open.`, {
    cause: Object.assign(new Error('too few sessions'), { reason: resourceShortage }),
  });

/** Whether there was no room for a session. */
export function isRefusal(error: unknown): boolean {
  const cause = error instanceof MachineFailure ? error.cause : undefined;
  return cause instanceof Error && 'reason' in cause && refusals.includes(cause.reason);
}
