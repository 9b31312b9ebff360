/**
 * A lease ensures that a session has only one writer. The lease is a lock file whose modification
 * time is updated regularly by its holder (the heartbeat). Another process may replace a dead
 * holder: on the same host when the holder's process is gone; on another host, and on this host when
 * the system cannot show that the holder's process is still the same one, when the heartbeat is old.
 *
 * A live holder may also be asked to hand the lease over. The background process hands over to any
 * window or terminal that asks; a window hands over to another window if the user requests that; a
 * terminal never hands over.
 */
import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { delay, type Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { removeFile } from '../base/heldFiles.ts';
import { claim, type Claim } from './claim.ts';
import {
  liveOwner,
  ownerText,
  readOwner,
  thisProcess,
  tokenOf,
  type LeaseOwner,
  type OwnerKind,
} from './leaseOwner.ts';
import { isRequested, removeRequest, watchLease, writeRequest } from './leaseRequest.ts';
import { makeFolder } from './makeFolder.ts';
import { systemProcesses, type Processes } from './processes.ts';
import { StorageFailure } from './storageFailure.ts';

const heartbeatMs = 5_000;
/**
 * Time that a process waits for the holder to hand over. Longer than the heartbeat interval: if the
 * file system reports no changes, the holder notices the request only at a heartbeat, and must then
 * stop its work.
 */
const handsOverWithinMs = 15_000;
/**
 * Interval at which the requesting process checks the lease. Needed for file systems that report no
 * changes.
 */
const pollEveryMs = 250;

export interface LeaseOptions {
  readonly clock: Clock;
  readonly kind: OwnerKind;
  /**
   * Called when another process has acquired the lease, because this host was suspended for too
   * long. The holder must stop writing.
   */
  onLost(): void;
  /**
   * True when the user asked to open the session in this process. A window that holds the lease is
   * then also asked to hand the lease over.
   */
  readonly takesOver?: boolean;
  /**
   * Called once when a process that may take the lease over requests the lease. The holder should
   * then release the lease soon.
   */
  onWanted?(): void;
  /** Default: the processes of this computer. */
  readonly processes?: Processes;
}

/**
 * Maximum number of attempts. Large, because a lease that passes from a dead process to another
 * process has no owner for a moment.
 */
const maxAttempts = 200;
const maxRequests = 20;

export class Lease {
  /** Last heartbeat of the dead holder that this lease replaced. `undefined` without such a holder. */
  readonly lastSeenMs: number | undefined;
  readonly #file: string;
  readonly #owner: LeaseOwner;
  readonly #options: LeaseOptions;
  readonly #watch: Disposable | undefined;
  #timer: Disposable;
  #isReleased = false;
  #isWanted = false;

  private constructor(file: string, owner: LeaseOwner, terms: LeaseOptions, { lastSeenMs }: Claim) {
    this.lastSeenMs = lastSeenMs;
    this.#file = file;
    this.#owner = owner;
    this.#options = terms;
    this.#timer = this.#nextBeat();
    if (handsOver(owner))
      this.#watch = watchLease(file, () => void this.#check().catch(() => undefined));
  }

  /**
   * Acquires the lease. If the holder may hand the lease over, first asks the holder and waits some
   * seconds. Rejects with `StorageFailure('owned')`, which names the holder, when the holder keeps
   * the lease.
   */
  static async acquire(file: string, terms: LeaseOptions): Promise<Lease> {
    const { clock, kind, processes = systemProcesses } = terms;
    const owner = await thisProcess(kind, processes);
    await makeFolder(path.dirname(file));
    let requests = 0;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const claimed = await claim(file, owner, clock, { processes });
      if (claimed !== undefined) return new Lease(file, owner, terms, claimed);
      const holder = await liveOwner(file, clock, processes);
      if (holder === undefined) continue;
      if (!mayAsk(terms, holder) || requests === maxRequests) throw owned(file, holder);
      requests += 1;
      await askFor(file, holder, { clock, processes });
    }
    throw owned(file, await liveOwner(file, clock, processes));
  }

  /** Returns the live process that holds the lease at `file`, if any. */
  static holder(
    file: string,
    clock: Clock,
    processes: Processes = systemProcesses,
  ): Promise<Pick<LeaseOwner, 'pid' | 'host' | 'kind'> | undefined> {
    return liveOwner(file, clock, processes);
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#timer.dispose();
    this.#watch?.dispose();
    if (await this.#isOurs()) await removeFile(this.#file);
  }

  #nextBeat(): Disposable {
    return this.#options.clock.after(heartbeatMs, () => {
      // An error of the file system does not mean that the lease is lost; the next heartbeat checks
      // again.
      const isOurs = this.#beat().catch(() => true);
      void isOurs.then((holds) => {
        if (this.#isReleased) return;
        if (holds) {
          this.#timer = this.#nextBeat();
          return;
        }
        this.#isReleased = true;
        this.#watch?.dispose();
        this.#options.onLost();
      });
    });
  }

  /** Updates the heartbeat. Resolves with false when another process holds the lease. */
  async #beat(): Promise<boolean> {
    if (!(await this.#isOurs())) return false;
    const now = new Date(this.#options.clock.now());
    await utimes(this.#file, now, now);
    if (handsOver(this.#owner)) await this.#check();
    return true;
  }

  async #isOurs(): Promise<boolean> {
    return tokenOf(await readOwner(this.#file)) === this.#owner.token;
  }

  async #check(): Promise<void> {
    if (this.#isWanted || this.#isReleased || !(await isRequested(this.#file, this.#owner.token)))
      return;
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#options.onWanted?.();
  }
}

const handsOver = ({ kind }: LeaseOwner): boolean => kind === 'detached' || kind === 'window';

function mayAsk({ kind, takesOver = false }: LeaseOptions, holder: LeaseOwner): boolean {
  if (kind === 'detached') return false;
  return holder.kind === 'detached' || (takesOver && kind === 'window' && handsOver(holder));
}

/**
 * Asks `holder` to hand the lease over. Resolves when the holder has released the lease or has
 * died. Rejects when the holder keeps the lease.
 */
async function askFor(
  file: string,
  holder: LeaseOwner,
  { clock, processes }: Required<Pick<LeaseOptions, 'clock' | 'processes'>>,
): Promise<void> {
  const endMs = clock.now() + handsOverWithinMs;
  await writeRequest(file, holder.token);
  try {
    while ((await liveOwner(file, clock, processes))?.token === holder.token) {
      if (clock.now() >= endMs)
        throw owned(file, holder, ' It did not hand the session over when asked.');
      await change(file, clock);
    }
  } finally {
    await removeRequest(file);
  }
}

/** Resolves when the lease or a request for it changes, or after `pollEveryMs`. */
async function change(file: string, clock: Clock): Promise<void> {
  const changed = new AbortController();
  const watch = watchLease(file, () => changed.abort());
  await delay(clock, pollEveryMs, changed.signal).catch(() => undefined);
  watch.dispose();
}

const owned = (file: string, owner: LeaseOwner | undefined, more = ''): StorageFailure =>
  new StorageFailure(
    'owned',
    `This session is in use by ${owner === undefined ? 'another process' : ownerText(owner)} (${file}).${more} Continue there, or end that process first.`,
  );
