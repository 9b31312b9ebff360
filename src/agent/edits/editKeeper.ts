/**
 * Stores the content of files of this computer before a tool call changes them, and records what
 * the call changed. Of the files in the home folder of Helios, keeps those in worktrees of the
 * session only.
 */
import { removeFile } from '../../base/heldFiles.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import {
  indexedFiles,
  trackedChanges,
  type TrackedChanges,
} from '../../experiments/git/trackedFiles.ts';
import { isInFolder } from '../../machines/absolutePath.ts';
import type { Machine } from '../../machines/machine.ts';
import type { Access } from '../../permissions/access.ts';
import type { AttachmentFiles } from '../../storage/attachmentFiles.ts';
import type { SessionEvent } from '../journal/events.ts';
import { isSameVersion, type ChangedFile, type FileVersion } from '../journal/fileEvents.ts';
import { realPlace, storeContent, storePresent } from './versions.ts';

export interface EditKeeperDeps {
  /** Working folder of the session. Absolute path. */
  readonly workFolder: string;
  /** Home folder of Helios. Absolute path. */
  readonly heliosFolder: string;
  /** Folder with the worktrees of the session. Absolute path. */
  readonly worktrees: string;
  readonly files: AttachmentFiles;
  /** Returns the machine `local`. */
  local(): Machine;
  readonly clock: Clock;
  readonly logger: Logger;
  record(event: SessionEvent): Promise<void>;
  /** Stores the checkout of the working folder, before the first call that may change it. */
  storeCheckout(): Promise<void>;
}

/** Files whose content is stored because a call may change them. */
export interface OpenEdit {
  /** Records what the call has changed. Never rejects. */
  end(): Promise<void>;
}

type Versions = ReadonlyMap<string, FileVersion>;

const none: OpenEdit = { end: () => Promise.resolve() };

export class EditKeeper {
  readonly #deps: EditKeeperDeps;
  #checkout: Promise<void> | undefined;

  constructor(deps: EditKeeperDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves when the content of each file that the call may change is on the disk and in the
   * journal. Rejects with `ToolFailure` if the content cannot be stored; the call must then not be
   * executed.
   */
  async begin(callId: string, accesses: readonly Access[]): Promise<OpenEdit> {
    try {
      const isCommand = accesses.some(mayChangeTracked);
      const paths = accesses.flatMap((access) =>
        access.kind === 'write' && access.machineId === 'local' ? [access.path] : [],
      );
      if (!isCommand && paths.length === 0) return none;
      await (this.#checkout ??= this.#deps.storeCheckout());
      return await (isCommand ? this.#beginCommand(callId) : this.#beginWrites(callId, paths));
    } catch (error) {
      throw new ToolFailure(
        `Not executed: the content before the call could not be kept, so the call could not be undone (${messageOf(error)}).`,
      );
    }
  }

  async #beginWrites(callId: string, paths: readonly string[]): Promise<OpenEdit> {
    const home = await realPlace(this.#deps.heliosFolder);
    const worktrees = await realPlace(this.#deps.worktrees);
    const places = await Promise.all(paths.map(realPlace));
    const local = this.#deps.local();
    const users = places.filter(
      (path) => !isInFolder(local.path, home, path) || isInFolder(local.path, worktrees, path),
    );
    const before = await this.#present(users);
    if (before.size === 0) return none;
    await this.#keep({ callId, by: 'tool' }, before);
    return { end: () => this.#end({ callId, by: 'tool' }, () => this.#changes(before)) };
  }

  /**
   * Stores the tracked files that differ from the index of git. The text of a command does not name
   * the files that it changes, so other changed files are found after the command.
   */
  async #beginCommand(callId: string): Promise<OpenEdit> {
    const tracked = await this.#tracked('keep');
    if (tracked === undefined) return none;
    const before = await this.#present(tracked.paths);
    await this.#keep({ callId, by: 'command' }, before);
    const find = async (): Promise<readonly ChangedFile[]> => {
      try {
        return [...(await this.#changes(before)), ...(await this.#newChanges(tracked, before))];
      } finally {
        await removeFile(tracked.index, { recursive: true });
      }
    };
    return { end: () => this.#end({ callId, by: 'command' }, find) };
  }

  /**
   * Resolves with the tracked files that differ from the index of git. Resolves with `undefined` if
   * git cannot read the repository in time, because this must not prevent the command.
   */
  async #tracked(copy: 'keep' | 'none'): Promise<TrackedChanges | undefined> {
    const { local, workFolder: folder, clock, logger } = this.#deps;
    return trackedChanges({ machine: local(), folder, clock }, copy).catch((error: unknown) => {
      logger.warn(`Edits of a command cannot be found: ${messageOf(error)}`);
      return undefined;
    });
  }

  async #changes(before: Versions): Promise<readonly ChangedFile[]> {
    const after = await this.#present([...before.keys()]);
    return [...before].map(([path, version]) => ({
      path,
      before: version,
      after: after.get(path) ?? 'missing',
    }));
  }

  /**
   * Returns the tracked files that were equal to the index before the command, and that differ from
   * it now. Compares with a copy of the index, because the command may have changed the index.
   */
  async #newChanges(tracked: TrackedChanges, known: Versions): Promise<readonly ChangedFile[]> {
    const { local, workFolder: folder, clock, files } = this.#deps;
    const paths = ((await this.#tracked('none'))?.paths ?? []).filter((path) => !known.has(path));
    if (paths.length === 0) return [];
    const contents = await indexedFiles({ machine: local(), folder, clock }, tracked, paths);
    const after = await this.#present(paths);
    const changes: ChangedFile[] = [];
    for (const [path, present] of after) {
      const indexed = contents.get(path);
      const bits = typeof present === 'string' ? 0o644 : present.mode & 0o666;
      const mode = indexed?.isExecutable === true ? bits | ((bits & 0o444) >> 2) : bits;
      const before = indexed && (await storeContent(indexed.content, mode, files));
      changes.push({ path, before: before ?? 'unkept', after: present });
    }
    return changes;
  }

  async #keep(cause: Cause, before: Versions): Promise<void> {
    const files = [...before].map(([path, version]) => ({ path, before: version }));
    if (files.length > 0) await this.#deps.record({ type: 'files.kept', ...cause, files });
  }

  async #end(cause: Cause, find: () => Promise<readonly ChangedFile[]>): Promise<void> {
    try {
      const files = (await find()).filter(isChange);
      if (files.length > 0) await this.#deps.record({ type: 'files.changed', ...cause, files });
    } catch (error) {
      // The call has taken effect, so it must not be reported as failed. The content of its files
      // is already stored, and the journal refers to it.
      this.#deps.logger.warn(`The edits of a call could not be recorded: ${messageOf(error)}`);
    }
  }

  async #present(paths: readonly string[]): Promise<Versions> {
    const versions = new Map<string, FileVersion>();
    for (const path of paths)
      versions.set(path, await storePresent({ path, files: this.#deps.files }));
    return versions;
  }
}

/**
 * Returns true if the versions differ. If the content of neither version is stored, this is
 * unknown, and the result is false.
 */
const isChange = ({ before, after }: ChangedFile): boolean =>
  !isSameVersion(before, after) && !(before === 'unkept' && after === 'unkept');

interface Cause {
  readonly callId: string;
  readonly by: 'tool' | 'command';
}

const mayChangeTracked = (access: Access): boolean =>
  access.kind === 'command' && access.machineId === 'local' && access.verdict?.kind !== 'safe';
