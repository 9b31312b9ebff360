/**
 * Reports changes below some folders. A hint for views: the files themselves are the source of
 * truth.
 */
import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';

/** Time in which a burst of changes (an editor saving, a checkout) counts as one. */
const quietMs = 100;
/** Maximum number of watched folders, each of which costs a system handle. */
const maxFolders = 1000;

export class FolderWatch implements Disposable {
  readonly #roots: readonly string[];
  readonly #clock: Clock;
  readonly #emitter = new Emitter<void>();
  readonly #watchers = new Map<string, FSWatcher>();
  #pending: Disposable | undefined;
  #listeners = 0;

  constructor(roots: readonly string[], clock: Clock) {
    this.#roots = roots;
    this.#clock = clock;
  }

  /**
   * Fires on changes. Folders are watched from the first listener to the last. A missing folder is
   * watched once it exists, and never created.
   */
  readonly onDidChange: Event<void> = (listener) => {
    const subscription = this.#emitter.event(listener);
    this.#listeners += 1;
    if (this.#listeners === 1) this.#watchRoots();
    return toDisposable(() => {
      subscription.dispose();
      this.#listeners -= 1;
      if (this.#listeners === 0) this.#release();
    });
  };

  /** Reports a change by this process at once, before the system reports it. */
  changed(): void {
    this.#pending?.dispose();
    this.#pending = undefined;
    if (this.#listeners > 0) this.#watchRoots();
    this.#emitter.fire();
  }

  dispose(): void {
    this.#release();
    this.#emitter.dispose();
  }

  #release(): void {
    this.#pending?.dispose();
    this.#pending = undefined;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watchRoots(): void {
    for (const root of this.#roots) {
      const parent = dirname(root);
      if (existsSync(root)) this.#watchBelow(root);
      else this.#watchOne(parent, (name) => name === basename(root) && this.#changedOutside(root));
    }
  }

  #changedOutside(folder: string): void {
    this.#watchBelow(folder);
    this.#pending ??= this.#clock.after(quietMs, () => this.changed());
  }

  /** Watches `folder` and its subfolders that are not watched yet. */
  #watchBelow(folder: string): void {
    this.#watchOne(folder, (name) => !name.endsWith('.tmp') && this.#changedOutside(folder));
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (
          entry.isDirectory() &&
          !entry.name.startsWith('.') &&
          !this.#watchers.has(join(folder, entry.name))
        )
          this.#watchBelow(join(folder, entry.name));
    } catch {
      this.#forget(folder);
    }
  }

  /** Skips a folder that cannot be watched (deleted, or no handles left). */
  #watchOne(folder: string, onName: (name: string) => unknown): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= maxFolders) return;
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => onName(name ?? ''));
      watcher.on('error', () => this.#forget(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      this.#forget(folder);
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}
