/** Opens one channel of an SSH connection, and explains failures. */
import type { Client } from 'ssh2';
import { quotedReason } from '../../base/untrusted.ts';
import { MachineFailure } from '../machine.ts';

/** Code with which a server refuses a session for lack of resources (RFC 4254). */
const resourceShortage = 4;
/**
 * All codes with which a server refuses a session: 1, administratively prohibited; 2, connect
 * failed (OpenSSH, for one session too many); 4, resource shortage.
 */
const refusals: readonly unknown[] = [1, 2, resourceShortage];

export interface OpenConnection {
  readonly client: Client;
  /** Name of the host, for messages. */
  readonly host: string;
  /** Returns whether this connection is still in use. */
  isCurrent(): boolean;
}

type Done<T> = (error: Error | undefined, channel: T) => void;
export type Begin<T> = (client: Client, done: Done<T>) => void;

/**
 * Opens a channel. Rejects with `MachineFailure`, also when the connection is lost before the host
 * answers. `onOpen` receives the channel before the promise settles, because a short command may
 * end right after its start.
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
  // The server closed the channel instead of answering.
  if (error.message === 'Unable to exec')
    return unreachable(host, 'it closed a new session; it is unknown whether the command started');
  return new MachineFailure(
    'denied',
    `${host} did not open a session: ${quotedReason(error.message, host, 'it gave no reason')}.`,
    {
      cause: error,
    },
  );
}

export const unreachable = (host: string, why: string, cause?: unknown): MachineFailure =>
  new MachineFailure('unreachable', `${host} cannot be reached: ${why}.`, { cause });

export const connectionLost = (host: string): MachineFailure =>
  unreachable(host, 'the connection was lost');

export const noRoom = (host: string): MachineFailure =>
  new MachineFailure('denied', `${host} allows too few sessions to keep one open.`, {
    cause: Object.assign(new Error('too few sessions'), { reason: resourceShortage }),
  });

/** Returns whether an error means that the server refused another session. */
export function isRefusal(error: unknown): boolean {
  const cause = error instanceof MachineFailure ? error.cause : undefined;
  return cause instanceof Error && 'reason' in cause && refusals.includes(cause.reason);
}
