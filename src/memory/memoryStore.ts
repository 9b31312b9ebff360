/**
 * The agent's notes, in Markdown files that the user can open and edit at any time: `/best` is
 * `best.md` in the session's folder, `/global/tricks` is `tricks.md` in the folder that all
 * sessions share, `/project/data` is in the folder of the project. The files are the only storage: every request reads them again.
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../base/heldFiles.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { codeOf } from '../base/errors.ts';
import { readRegularText } from '../base/regularFile.ts';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import { FolderWatch } from './folderWatch.ts';
import type { MemoryNode, MemoryNote } from './memoryNode.ts';
import { MemoryFailure, parsePath, sharedRoots, type MemoryPath } from './memoryPath.ts';
import { NoteHeads, noteFileOf, readEntries, type FolderEntry } from './noteFolder.ts';
import { findPlace, makePlace } from './notePlace.ts';
import { cleanGist, formatNote, parseNote } from './noteText.ts';
import { renderTree } from './renderTree.ts';

export interface MemoryFolders {
  /**
   * Folder for the notes of one session, such as `<home>/sessions/<id>/memory`. Created on first
   * use.
   */
  readonly sessionFolder: string;
  /** Folder for the notes under `/project`. Created on first use. */
  readonly projectFolder: string;
  /** Folder for the notes under `/global`, such as `<home>/memory`. Created on first use. */
  readonly globalFolder: string;
  readonly clock: Clock;
}

const maxContentChars = 256 * 1024;
const batchSize = 64;

/**
 * Reads and writes notes. The methods reject with `MemoryFailure` when they refuse a path or a
 * request.
 */
export class MemoryStore implements Disposable {
  readonly #folders: Readonly<Record<MemoryPath['root'], string>>;
  readonly #heads = new NoteHeads();
  readonly #watch: FolderWatch;
  /**
   * Fires when notes change: by this process, by the user in an editor, or by another session.
   * Watches the disk only while there are listeners.
   */
  readonly onDidChange: Event<void>;

  constructor({ sessionFolder, projectFolder, globalFolder, clock }: MemoryFolders) {
    this.#folders = { session: sessionFolder, project: projectFolder, global: globalFolder };
    this.#watch = new FolderWatch([...new Set(Object.values(this.#folders))], clock);
    this.onDidChange = this.#watch.onDidChange;
  }

  /** Returns the nodes directly below `path`, sorted by name; none if `path` does not exist. */
  async list(path: string): Promise<readonly MemoryNode[]> {
    const parsed = parsePath(path);
    const folder = await this.#folderOf(parsed);
    const nodes = folder === undefined ? [] : await this.#nodesUnder(folder, parsed.text, false);
    if (parsed.text !== '/') return nodes;
    for (const root of sharedRoots)
      if ((await readEntries(this.#folders[root])).size > 0) nodes.push(rootNodes[root]);
    return nodes;
  }

  /**
   * Returns the note. If there is none, rejects with the reason `missing` and a message that lists
   * the existing notes.
   */
  async read(path: string): Promise<MemoryNote> {
    const parsed = parsePath(path);
    if (parsed.segments.length === 0)
      return {
        path: parsed.text,
        gist: '',
        type: 'dir',
        updatedMs: 0,
        content: null,
        file: undefined,
      };
    const place = await findPlace(this.#folders[parsed.root], parsed);
    const node = place && (await this.#node(place.folder, place.entry, parsed.text));
    if (place === undefined || node === undefined) throw await this.#missing(parsed);
    const file = place.entry.note && join(place.folder, place.entry.note);
    if (file === undefined) return { ...node, content: null, file };
    const { gist, content } = parseNote(await readRegularText(file));
    return { ...node, gist, content: content === '' ? null : content, file };
  }

  /**
   * Creates or changes a note and its parent folders. Without `content`, an existing note keeps its
   * content, and a new node has only a gist. The write is atomic: the file always holds the old
   * text or the new text.
   */
  async write(path: string, gist: string, content?: string): Promise<MemoryNote> {
    const parsed = parsePath(path);
    if (parsed.segments.length === 0)
      throw refused(
        `${parsed.text} is not a note. Write to a path below it, such as ${join(parsed.text, 'best')}.`,
      );
    if (cleanGist(gist) === '') throw refused('The gist is empty. Describe the note in one line.');
    if (content !== undefined && content.length > maxContentChars)
      throw new MemoryFailure(
        'too_long',
        `The note has ${content.length} characters; the limit is ${maxContentChars}. Shorten it, or save the text as a file in the workspace and write the path of that file in the note.`,
      );
    const { folder, entry } = await makePlace(this.#folders[parsed.root], parsed);
    const file = entry.note ?? noteFileOf(entry.name);
    const newContent =
      content ??
      parseNote((await readRegularText(join(folder, file)).catch(nothing)) ?? '').content;
    await writeFileAtomic(join(folder, file), formatNote({ gist, content: newContent }));
    this.#watch.changed();
    return this.read(parsed.text);
  }

  /**
   * Removes the node and everything below it. Resolves with the number of removed nodes: 0 if there
   * is no node at `path` (case matters). Refuses to remove `/`, `/project` and `/global`.
   */
  async remove(path: string): Promise<number> {
    const parsed = parsePath(path);
    if (parsed.segments.length === 0) {
      const names = (await this.list(parsed.text)).map((node) => node.path);
      throw refused(
        `${parsed.text} itself cannot be removed. Name the notes to remove${names.length > 0 ? `: ${some(names)}` : ''}.`,
      );
    }
    const place = await findPlace(this.#folders[parsed.root], parsed);
    if (place === undefined) return 0;
    const { folder, entry } = place;
    const below =
      entry.folder === undefined
        ? []
        : await this.#nodesUnder(join(folder, entry.folder), parsed.text, true);
    for (const name of [entry.note, entry.folder])
      if (name !== undefined) await removeFile(join(folder, name), { recursive: true });
    this.#watch.changed();
    return 1 + below.length;
  }

  /**
   * Returns all nodes, parents before children: first the session's nodes, then the nodes under
   * `/project` and `/global`.
   */
  async tree(): Promise<readonly MemoryNode[]> {
    const nodes = await this.#nodesUnder(this.#folders.session, '/', true);
    for (const root of sharedRoots) {
      const shared = await this.#nodesUnder(this.#folders[root], `/${root}`, true);
      if (shared.length > 0) nodes.push(rootNodes[root], ...shared);
    }
    return nodes;
  }

  /**
   * Renders the tree with its gists for the prompt, in at most `budgetTokens`; see `renderTree`.
   */
  async render(budgetTokens: number): Promise<string> {
    return renderTree(await this.tree(), budgetTokens);
  }

  dispose(): void {
    this.#watch.dispose();
  }

  /**
   * Returns the nodes below `path`: with `isDeep` all of them, otherwise only the direct children.
   */
  async #nodesUnder(folder: string, path: string, isDeep: boolean): Promise<MemoryNode[]> {
    const entries = [...(await readEntries(folder)).values()]
      .filter((entry) => path !== '/' || !sharedRoots.some((root) => root === entry.name))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const nodes: MemoryNode[] = [];
    for (let start = 0; start < entries.length; start += batchSize) {
      const batch = entries.slice(start, start + batchSize);
      const found = await Promise.all(
        batch.map((entry) => this.#node(folder, entry, childPath(path, entry.name))),
      );
      for (const [index, node] of found.entries()) {
        const below = batch[index]?.folder;
        if (node !== undefined) nodes.push(node);
        if (isDeep && node !== undefined && below !== undefined)
          nodes.push(...(await this.#nodesUnder(join(folder, below), node.path, true)));
      }
    }
    return nodes;
  }

  /**
   * Returns the node of a folder entry; `undefined` if the node was just removed or is only a
   * symbolic link.
   */
  async #node(folder: string, entry: FolderEntry, path: string): Promise<MemoryNode | undefined> {
    const head =
      entry.note === undefined ? undefined : await this.#heads.read(join(folder, entry.note));
    if (head !== undefined)
      return {
        path,
        gist: head.gist,
        type: head.hasContent ? 'file' : 'dir',
        updatedMs: head.updatedMs,
      };
    const found =
      entry.folder === undefined
        ? undefined
        : await lstat(join(folder, entry.folder)).catch(nothing);
    return found && { path, gist: '', type: 'dir', updatedMs: found.mtimeMs };
  }

  /** Returns the folder on disk that holds the children of `path`. */
  async #folderOf(path: MemoryPath): Promise<string | undefined> {
    if (path.segments.length === 0) return this.#folders[path.root];
    const place = await findPlace(this.#folders[path.root], path);
    return place?.entry.folder === undefined ? undefined : join(place.folder, place.entry.folder);
  }

  async #missing(path: MemoryPath): Promise<MemoryFailure> {
    const above = path.text.slice(0, path.text.lastIndexOf('/')) || '/';
    const names = (await this.list(above)).map((node) => node.path);
    const hint =
      names.length > 0 ? `Under ${above}: ${some(names)}.` : `There is nothing under ${above}.`;
    return new MemoryFailure('missing', `There is no note at ${path.text}. ${hint}`);
  }
}

const rootNode = (root: string, gist: string): MemoryNode => ({
  path: `/${root}`,
  gist,
  type: 'dir',
  updatedMs: 0,
});
const rootNodes: Readonly<Record<(typeof sharedRoots)[number], MemoryNode>> = {
  project: rootNode('project', 'shared by the sessions of this project'),
  global: rootNode('global', 'shared by all sessions'),
};

const refused = (message: string): MemoryFailure => new MemoryFailure('refused', message);
const childPath = (path: string, name: string): string =>
  path === '/' ? `/${name}` : `${path}/${name}`;
const some = (names: readonly string[]): string =>
  names.slice(0, 12).join(', ') + (names.length > 12 ? ` and ${names.length - 12} more` : '');

function nothing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}
