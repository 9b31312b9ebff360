/** Follows an append-only file on this computer by file events and, less often, by polling. */
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { coalesced } from '../../base/coalesced.ts';
import type { Disposable } from '../../base/disposable.ts';
import { openRegularFile } from '../../base/regularFile.ts';
import { fileFailure } from './localFiles.ts';
import type { Follow, FollowSink } from '../machine.ts';
import { deliver } from '../pacedDelivery.ts';

/** Size of the first read. Small, because most additions are a line or two. */
const firstChunkBytes = 4096;
const chunkBytes = 256 * 1024;
/** Poll interval on file systems that report no changes, such as network drives. */
const pollMs = 1000;
/**
 * Poll interval while the system reports changes. Polling is then needed only in case the system
 * drops events.
 */
const calmPollMs = 5000;
/**
 * Time after a file event during which the system is assumed to report changes. Longer than the
 * interval between heartbeats in a run's folder, so that the events of heartbeats are enough to
 * keep the long poll interval.
 */
const heardWithinMs = 12_000;

export class LocalFollow implements Follow {
  readonly #path: string;
  readonly #sink: FollowSink;
  readonly #clock: Clock;
  #offset: number;
  #watcher: FSWatcher | undefined;
  #poll: Disposable | undefined;
  #heardMs: number | undefined;
  readonly #read = coalesced(() => this.#readToEnd());
  readonly #disposed = new AbortController();

  constructor(path: string, offset: number, sink: FollowSink, clock: Clock) {
    this.#path = path;
    this.#offset = offset;
    this.#sink = sink;
    this.#clock = clock;
    // Watch the folder before the first read, so that no change in between is missed.
    this.#watcher = this.#watch();
    this.#readSoon();
    this.#pollLater();
  }

  async drain(): Promise<void> {
    try {
      await this.#read();
    } catch (error) {
      throw fileFailure(error, 'read', this.#path);
    }
  }

  dispose(): void {
    this.#disposed.abort();
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#poll?.dispose();
  }

  get #isDisposed(): boolean {
    return this.#disposed.signal.aborted;
  }

  #pollLater(): void {
    const isHeard =
      this.#heardMs !== undefined && this.#clock.now() - this.#heardMs < heardWithinMs;
    this.#poll = this.#clock.after(isHeard ? calmPollMs : pollMs, () => {
      this.#watcher ??= this.#watch();
      void this.#readIfGrown();
      if (!isHeard) this.#sink.onChange();
      if (!this.#isDisposed) this.#pollLater();
    });
  }

  #watch(): FSWatcher | undefined {
    const name = basename(this.#path);
    try {
      const watcher = watch(dirname(this.#path), { persistent: false }, (_event, changed) => {
        if (this.#isDisposed) return;
        this.#heardMs = this.#clock.now();
        if (changed === null || changed === name) this.#readSoon();
        if (changed !== name) this.#sink.onChange(changed ?? undefined);
      });
      watcher.on('error', () => this.#unwatch(watcher));
      return watcher;
    } catch {
      // The folder is missing, or the system's limit of file watchers is reached. Polling reads
      // the file, and tries to watch it again.
      return undefined;
    }
  }

  #unwatch(watcher: FSWatcher): void {
    watcher.close();
    if (this.#watcher === watcher) this.#watcher = undefined;
  }

  /**
   * Reads the file if its size differs. Also reads if `stat` fails, because the reader then reports
   * the failure.
   */
  async #readIfGrown(): Promise<void> {
    const sizeBytes = await stat(this.#path).then(
      ({ size }) => size,
      () => undefined,
    );
    if (sizeBytes !== this.#offset) this.#readSoon();
  }

  #readSoon(): void {
    this.drain().catch((error: unknown) =>
      this.#sink.onError(fileFailure(error, 'read', this.#path)),
    );
  }

  async #readToEnd(): Promise<void> {
    if (this.#isDisposed) return;
    const file = await openRegularFile(this.#path).catch((error: unknown) => {
      if (fileFailure(error, 'read', this.#path).reason === 'missing') return undefined;
      throw error;
    });
    if (file === undefined) return;
    await using opened = file;
    let buffer = Buffer.allocUnsafe(firstChunkBytes);
    while (!this.#isDisposed) {
      const { bytesRead } = await opened.read(buffer, 0, buffer.length, this.#offset);
      if (bytesRead === 0 || this.#isDisposed) return;
      const offset = this.#offset;
      this.#offset += bytesRead;
      await this.#deliver(Uint8Array.prototype.slice.call(buffer, 0, bytesRead), offset);
      if (bytesRead === firstChunkBytes) buffer = Buffer.allocUnsafe(chunkBytes);
    }
  }

  #deliver(bytes: Uint8Array, offset: number): Promise<void> {
    const { signal } = this.#disposed;
    return deliver({ sink: this.#sink, clock: this.#clock, signal }, bytes, offset);
  }
}
