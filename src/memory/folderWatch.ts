/** Tells that something below some folders has changed. A hint for views: whoever needs the truth looks at the files. */
import { mkdirSync, readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { toDisposable, type Disposable } from '../base/disposable.ts';
import { Emitter, type Event } from '../base/emitter.ts';

/** A burst of changes (an editor saving, a checkout) is one change. */
const quietMs = 100;
/** Folders watched at most: each costs the system a handle. */
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

  /** Folders are watched from the first listener to the last, and made if they are missing. */
  readonly onDidChange: Event<void> = (listener) => {
    const subscription = this.#emitter.event(listener);
    this.#listeners += 1;
    if (this.#listeners === 1) for (const root of this.#roots) this.#watchBelow(root, true);
    return toDisposable(() => {
      subscription.dispose();
      this.#listeners -= 1;
      if (this.#listeners === 0) this.#release();
    });
  };

  /** We changed something ourselves: told at once, not when the system notices. */
  changed(): void {
    this.#pending?.dispose();
    this.#pending = undefined;
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

  #changedOutside(folder: string): void {
    this.#watchBelow(folder, false);
    this.#pending ??= this.#clock.after(quietMs, () => this.changed());
  }

  /** Watches `folder` and those below it that are not watched yet. A folder that cannot be watched is left out. */
  #watchBelow(folder: string, isRoot: boolean): void {
    try {
      if (isRoot) mkdirSync(folder, { recursive: true });
      this.#watchOne(folder);
      for (const entry of readdirSync(folder, { withFileTypes: true }))
        if (entry.isDirectory() && !entry.name.startsWith('.') && !this.#watchers.has(join(folder, entry.name)))
          this.#watchBelow(join(folder, entry.name), false);
    } catch {
      this.#forget(folder);
    }
  }

  #watchOne(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= maxFolders) return;
    const watcher = watch(folder, { persistent: false }, (_, name) => {
      if (!name?.endsWith('.tmp')) this.#changedOutside(folder);
    });
    watcher.on('error', () => this.#forget(folder));
    this.#watchers.set(folder, watcher);
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }
}
