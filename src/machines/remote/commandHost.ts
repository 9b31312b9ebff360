/**
 * Defines how commands reach another place: the SSH connection to a host, or the engine of a
 * container.
 */
import type { Duplex, Readable } from 'node:stream';

/**
 * A running command. Reading returns its stdout, writing feeds its stdin, and ending the writable
 * side closes stdin. Emits `exit` with the code, or with `null` and the name of a signal, when the
 * end is known. Then emits `close`, alone when the connection is lost.
 */
export interface CommandChannel extends Duplex {
  readonly stderr: Readable;
  /** Detaches from the command, which may continue. */
  close(): void;
}

export interface ChannelOptions {
  /** Applies until the command is sent. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `stream`: stays open, and yields where the server allows few sessions; rejects with `denied`
   * when there is no room · `urgent`: ends a process, and skips the queue. Default: queued.
   */
  readonly use?: 'stream' | 'urgent';
}

export interface CommandHost {
  /** Name of the host, for messages. */
  readonly name: string;
  /** Milliseconds for which calls fail without an attempt. */
  readonly retryAfterMs: number;
  /**
   * Runs a command line with a shell. Rejects with `MachineFailure` when the command did not start;
   * with `unreachable`, it may have started. Rejects with the signal's reason while queued.
   * `listen` receives the channel before any of its events.
   */
  exec(
    line: string,
    options: ChannelOptions,
    listen: (channel: CommandChannel) => void,
  ): Promise<unknown>;
}
