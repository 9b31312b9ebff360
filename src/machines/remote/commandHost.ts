/**
 * What commands somewhere else need of the way there: an SSH connection to a host, the engine of a
 * container.
 */
import type { Duplex, Readable } from 'node:stream';

/**
 * One command. Reading gives its stdout, writing feeds its standard input, ending the writing
 * closes that. It emits `exit` with the code, or with `null` and the name of a signal, when its end
 * is known; then, or without that when the way is lost, `close`.
 */
export interface CommandChannel extends Duplex {
  readonly stderr: Readable;
  /** Lets go of it. The command may go on. */
  close(): void;
}

export interface ChannelOptions {
  /** Counts until the command is sent. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `stream`: stays open, and gives way where there is room for few; rejects with `denied` when
   * there is none · `urgent`: ends something, and waits for nobody. Default: waits in turn.
   */
  readonly use?: 'stream' | 'urgent';
}

export interface CommandHost {
  /** For messages: the name of the host. */
  readonly name: string;
  /** How long a call would still fail without a try. */
  readonly retryAfterMs: number;
  /**
   * Runs a command line with a shell. Rejects with `MachineFailure` when it did not begin; with
   * `unreachable`, it may have begun. Rejects with the signal's reason while it waits. `listen` is
   * given the channel before anything that the command does.
   */
  exec(
    line: string,
    options: ChannelOptions,
    listen: (channel: CommandChannel) => void,
  ): Promise<unknown>;
}
