/**
 * Pipes content from one machine to another, without storing it in between.
 */
import { PassThrough } from 'node:stream';
import { MachineFailure, type Machine } from '../machine.ts';
import type { Push, Sink, Source, SourceEnded } from './end.ts';
import { inOnePiece, shellLine, type Answer, type Bytes } from './ends.ts';

/** Size of the buffer between the two sides, from which the source is paused. */
const maxHeldBytes = 1024 * 1024;

export interface RelayOptions {
  readonly signal?: AbortSignal | undefined;
  onBytes(count: number): void;
}

/** Returns the output of a script on a machine as content. */
export const commandSource =
  (machine: Machine, script: string, stdin: Bytes = ''): Source =>
  async (push, signal) => {
    const { outcome, stderr } = await machine.stream(shellLine(script), {
      cwd: '/',
      stdin: inOnePiece(stdin),
      onStdout: push,
      signal,
    });
    if (outcome.kind === 'exited') return { code: outcome.code, stderr };
    if (signal.aborted) return undefined;
    // A killed command has not written everything: its end must not be mistaken for the end of
    // the content.
    throw new MachineFailure('io', `${machine.id} did not send everything. Retry the transfer.`);
  };

/**
 * Pipes a source to the sink at the destination; resolves when both have ended. The sink sees the
 * end of its input only after the source has ended. If the sink ends early, the source is ended, and
 * `source` is absent. Rejects with `MachineFailure`, also when there is more content
 * than `maxBytes`, or with the signal's reason.
 */
export async function relay(
  from: { readonly machine: Machine; readonly source: Source; readonly maxBytes: number },
  sink: Sink,
  { signal, onBytes }: RelayOptions,
): Promise<{ readonly source: SourceEnded | undefined; readonly target: Answer }> {
  const cut = new AbortController();
  const both = signal ? AbortSignal.any([signal, cut.signal]) : cut.signal;
  const line = new PassThrough({ highWaterMark: maxHeldBytes });
  let wake = (): void => undefined;
  for (const event of ['drain', 'close', 'error']) line.on(event, () => wake());
  let length = 0;
  const push: Push = (bytes) => {
    length += bytes.length;
    if (length > from.maxBytes)
      throw new MachineFailure('io', `${from.machine.id} sent more than it listed.`);
    onBytes(bytes.length);
    if (!line.destroyed && !line.write(bytes)) return new Promise((resolve) => (wake = resolve));
  };
  const read = from.source(push, both);
  read.then(
    (ended) => (ended ? line.end() : line.destroy(both.reason as Error)),
    (error: unknown) => line.destroy(error as Error),
  );
  const written = sink(line, both);
  const end = (code: number): void => {
    if (code !== 0) cut.abort();
    // Discard what the source still sends, such as the padding of an archive, so that the source
    // can finish.
    line.destroy();
  };
  written.then(
    ({ code }) => end(code),
    () => end(1),
  );
  const [source, target] = await Promise.allSettled([read, written]);
  signal?.throwIfAborted();
  if (source.status === 'rejected') throw source.reason;
  if (target.status === 'rejected') throw target.reason;
  return { source: source.value, target: target.value };
}
