/**
 * Watches folders and their subfolders and reports changes, so that views can read the files again.
 */
import { existsSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';

/**
 * Time within which changes (an editor saving a file, a git checkout) are reported as one change.
 */
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
   * Fires when something below the root folders has changed. The folders are watched only while the
   * event has listeners. A missing root folder is not created, but watched as soon as it exists.
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

  /**
   * Reports a change that this process made, without waiting for the system to report that change.
   */
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

  /** Watches `folder` and its subfolders. Skips folders that are already watched. */
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

  /**
   * Watches a folder without its subfolders. Skips a folder that cannot be watched (deleted, or no
   * system handles left).
   */
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
