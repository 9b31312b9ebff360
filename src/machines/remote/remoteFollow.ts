/**
 * Follows all files of one host together: one listing of their folders per tick, and reads only of
 * files that grew.
 */
import { basename, dirname } from 'node:path/posix';
import type { Clock } from '../../base/clock.ts';
import { coalesced } from '../../base/coalesced.ts';
import type { Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import { MachineFailure, type Follow, type FollowSink } from '../machine.ts';
import { deliver } from '../pacedDelivery.ts';
import { listScript, parseListing, readScript, type ListedFolder } from './listing.ts';
import type { StandingShell } from './standingShell.ts';
import type { ScriptRunner } from './remoteShell.ts';

export interface RemoteFollowsDeps {
  readonly clock: Clock;
  /** Shell that lists and reads files; disposed while no file is followed. */
  readonly shell: StandingShell;
  /** Milliseconds until the next attempt to connect. Until then, calls fail immediately. */
  retryAfterMs(): number;
}

/** Interval between two listings while files change. */
const beatMs = 200;
/** Interval on hosts where each listing is a separate command. */
const pollMs = 2000;
/** Time without changes after which the interval grows. */
const calmAfterMs = 30_000;
const calmBeatMs = 500;
/**
 * Minimum wait after a listing, as a multiple of its duration: slow listings (on a slow file
 * server) are repeated less often.
 */
const restPerProbe = 4;
const minRetryMs = 250;
const smallBlockBytes = 512;
const largeBlockBytes = 64 * 1024;
const largeReadBytes = 4 * 1024 * 1024;

export class RemoteFollows implements Disposable {
  readonly #deps: RemoteFollowsDeps;
  readonly #follows = new Set<RemoteFollow>();
  readonly refresh = coalesced(() => this.#refresh());
  #folders: ReadonlyMap<string, ListedFolder> = new Map();
  /** Script of the last listing. */
  #listed = '';
  #next: Disposable | undefined;
  #isRefreshing = false;
  /** Duration of the last listing. */
  #listMs = 0;
  #changedMs = 0;
  #isDown = false;
  #isDisposed = false;

  constructor(deps: RemoteFollowsDeps) {
    this.#deps = deps;
  }

  follow(path: string, offset: number, sink: FollowSink): Follow {
    const follow: RemoteFollow = new RemoteFollow(path, offset, sink);
    this.#follows.add(follow);
    this.#beat();
    return {
      drain: async () => {
        if (follow.isDisposed) return;
        await this.refresh();
        if (follow.failure) throw follow.failure;
      },
      dispose: () => {
        follow.dispose();
        this.#follows.delete(follow);
        if (this.#follows.size === 0) this.#stop();
      },
    };
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#follows.clear();
    this.#stop();
  }

  /** Releases the host's shell when no file is followed. */
  #stop(): void {
    this.#next?.dispose();
    this.#drop();
  }

  #drop(): void {
    this.#deps.shell.dispose();
    this.#listed = '';
  }

  #beat(): void {
    this.#next?.dispose();
    if (this.#isRefreshing) return;
    this.#isRefreshing = true;
    this.refresh().then(
      () => this.#beatLater(),
      (error: unknown) => this.#handleFailure(error),
    );
  }

  #beatLater(): void {
    this.#isRefreshing = false;
    this.#isDown = false;
    const isCalm = this.#deps.clock.now() - this.#changedMs > calmAfterMs;
    const minMs = this.#deps.shell.stays ? beatMs : pollMs;
    this.#wait(Math.max(minMs, this.#listMs * restPerProbe, isCalm ? calmBeatMs : 0));
  }

  /**
   * Handles a failed listing: reports an outage once, and retries. When the host answers again,
   * each file is read on from its last position.
   */
  #handleFailure(error: unknown): void {
    this.#isRefreshing = false;
    const failure = asFailure(error);
    if (!this.#isDown) for (const follow of [...this.#follows]) follow.sink.onError(failure);
    this.#isDown = true;
    this.#wait(Math.max(minRetryMs, this.#deps.retryAfterMs()));
  }

  #wait(delayMs: number): void {
    if (this.#isDisposed || this.#follows.size === 0) return;
    this.#next?.dispose();
    this.#next = this.#deps.clock.after(delayMs, () => this.#beat());
  }

  async #refresh(): Promise<void> {
    if (this.#follows.size === 0) return;
    try {
      const startMs = this.#deps.clock.now();
      await this.#list(this.#deps.shell);
      if (this.#follows.size === 0) return this.#drop();
      // Measure the duration before reading files, because only slow listings should be repeated
      // less often.
      this.#listMs = this.#deps.clock.now() - startMs;
      await Promise.all([...this.#follows].map((follow) => this.#read(follow)));
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  async #list(runner: ScriptRunner): Promise<void> {
    const script = listScript([...new Set([...this.#follows].map(({ folder }) => folder))].sort());
    const folders = parseListing((await runner.run(script)).toString('latin1'));
    // `undefined` means unchanged since the previous listing, so it is meaningful only if that
    // listing was of the same folders.
    if (folders === undefined && this.#listed === script) return;
    this.#listed = script;
    if (folders === undefined) return;
    this.#folders = folders;
    this.#changedMs = this.#deps.clock.now();
    for (const follow of [...this.#follows]) follow.notice(folders.get(follow.folder));
  }

  async #read(follow: RemoteFollow): Promise<void> {
    const file = this.#folders.get(follow.folder)?.files.get(follow.name);
    follow.failure = file?.isDirectory
      ? new MachineFailure('io', `Cannot read ${follow.path}: it is a folder.`)
      : undefined;
    if (follow.failure) return follow.complain(follow.failure);
    while (file && !follow.isDisposed && follow.offset < file.sizeBytes) {
      const isAll = await follow.readFrom(this.#deps, file.sizeBytes);
      if (!isAll) return;
    }
  }
}

class RemoteFollow {
  readonly path: string;
  readonly folder: string;
  /** Name of the file in the listing. */
  readonly name: string;
  readonly sink: FollowSink;
  offset: number;
  failure: MachineFailure | undefined;
  readonly #disposed = new AbortController();
  #otherFiles: string | undefined;
  #complaint: string | undefined;

  constructor(path: string, offset: number, sink: FollowSink) {
    this.path = path;
    this.folder = dirname(path);
    this.name = Buffer.from(basename(path)).toString('latin1');
    this.offset = offset;
    this.sink = sink;
  }

  get isDisposed(): boolean {
    return this.#disposed.signal.aborted;
  }

  dispose(): void {
    this.#disposed.abort();
  }

  /**
   * Handles a new listing of the file's folder: reports changes of the other files in the folder.
   */
  notice(folder: ListedFolder | undefined): void {
    const otherFiles = (folder?.lines ?? [])
      .filter((line) => !line.endsWith(` ${this.name}`))
      .join('\n');
    const hasChanged = otherFiles !== this.#otherFiles;
    this.#otherFiles = otherFiles;
    if (hasChanged && !this.isDisposed) this.sink.onChange();
  }

  complain(failure: MachineFailure): void {
    if (this.#complaint === failure.message) return;
    this.#complaint = failure.message;
    this.sink.onError(failure);
  }

  /**
   * Reads the new bytes. Resolves with `false` if nothing was read although the listing showed more
   * bytes.
   */
  async readFrom(
    { shell, clock }: Pick<RemoteFollowsDeps, 'shell' | 'clock'>,
    sizeBytes: number,
  ): Promise<boolean> {
    const start = this.offset;
    const blockBytes = sizeBytes - start > largeBlockBytes ? largeBlockBytes : smallBlockBytes;
    const skip = Math.floor(start / blockBytes);
    const count = Math.min(
      Math.ceil(sizeBytes / blockBytes) - skip,
      Math.ceil(largeReadBytes / blockBytes),
    );
    const blocks = await shell.run(readScript(this.path, skip, { blockBytes, count }));
    const bytes = blocks.subarray(start - skip * blockBytes);
    if (this.isDisposed || this.offset !== start) return false;
    if (bytes.length === 0) {
      this.failure = new MachineFailure(
        'denied',
        `Cannot read ${this.path}: permission denied, or it was deleted.`,
      );
      this.complain(this.failure);
      return false;
    }
    this.#complaint = undefined;
    this.offset += bytes.length;
    await deliver({ sink: this.sink, clock, signal: this.#disposed.signal }, bytes, start);
    return true;
  }
}

const asFailure = (error: unknown): MachineFailure =>
  error instanceof MachineFailure
    ? error
    : new MachineFailure('io', messageOf(error), { cause: error });
