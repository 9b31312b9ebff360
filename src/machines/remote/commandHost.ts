/**
 * Defines the interface for running commands on a host: through an SSH connection, through the
 * engine of a container, or as child processes on this computer.
 */
import type { Duplex, Readable } from 'node:stream';

/**
 * A running command. Reading returns its stdout, writing feeds its stdin, and ending the writable
 * side closes stdin. Emits `exit` with the code, or with `null` and the name of a signal, when it
 * is known how the command ended. Then emits `close`. If the connection is lost, emits only
 * `close`.
 */
export interface CommandChannel extends Duplex {
  readonly stderr: Readable;
  /** Detaches from the command, which may continue. */
  close(): void;
}

export interface ChannelOptions {
  /** Aborts waiting for the command to be sent; has no effect afterwards. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `stream`: a session that stays open, and that is closed or refused (`denied`) if the server
   * allows few sessions · `urgent`: a command that ends a process, and therefore skips the queue.
   * Default: a command that waits in the queue.
   */
  readonly use?: 'stream' | 'urgent';
}

export interface CommandHost {
  /** Name of the host, for messages. */
  readonly name: string;
  /** Milliseconds until the next attempt to connect. Until then, calls fail immediately. */
  readonly retryAfterMs: number;
  /**
   * Runs a command line with a shell. Rejects with `MachineFailure` when the command did not start;
   * after the reason `unreachable`, however, the command may have started. Rejects with the
   * signal's reason if aborted while queued. `listen` receives the channel before the channel emits
   * any event.
   */
  exec(
    line: string,
    options: ChannelOptions,
    listen: (channel: CommandChannel) => void,
  ): Promise<unknown>;
}
