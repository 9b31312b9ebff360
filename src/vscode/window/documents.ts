/**
 * Read-only documents of ours: journals, outputs of runs, comparisons. They grow while they are
 * open.
 */
import { basename } from 'node:path/posix';
import {
  commands,
  EventEmitter,
  Uri,
  window,
  workspace,
  type Disposable,
  type TextDocumentContentProvider,
} from 'vscode';
import type { SessionId } from '../../base/ids.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import { systemClock } from '../../base/clock.ts';
import { documentScheme } from '../ui/contributions.ts';
import { Frames } from '../ui/frames.ts';

type Render = () => Promise<string>;

/** Outputs and journals of a night are drawn anew at most this often. */
const frameMs = 1_000;

/**
 * A document is a function that gives its text. It is kept for as long as the document is open;
 * after a reload of the window the text is gone, and the document says so.
 */
export class Documents implements TextDocumentContentProvider, Disposable {
  readonly #owned = new DisposableStore();
  readonly #renders = new Map<string, Render>();
  readonly #changed = new EventEmitter<Uri>();
  readonly #due = new Set<string>();
  readonly #frames: Frames;
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#frames = this.#owned.add(new Frames(systemClock, frameMs, () => this.#fire()));
    this.#owned.add(this.#changed);
    this.#owned.add(workspace.registerTextDocumentContentProvider(documentScheme, this));
    this.#owned.add(workspace.onDidCloseTextDocument(({ uri }) => this.#renders.delete(uri.path)));
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    const render = this.#renders.get(uri.path);
    if (render === undefined)
      return `${basename(uri.path)} was closed with its window. Open it again from Helios.\n`;
    return render().catch((error: unknown) => `This could not be read: ${messageOf(error)}\n`);
  }

  /**
   * Markdown is shown as a preview, everything else as text. `path` is absolute and ends in what
   * the tab shows.
   */
  async open(path: string, render: Render): Promise<void> {
    this.#renders.set(path, render);
    const uri = Uri.from({ scheme: documentScheme, path });
    this.#changed.fire(uri);
    if (path.endsWith('.md')) {
      await commands.executeCommand('markdown.showPreview', uri);
      return;
    }
    await window.showTextDocument(uri, { preview: true });
  }

  /** The text of documents whose path begins so is different now. */
  changed(prefix: string): void {
    for (const path of this.#renders.keys()) if (path.startsWith(prefix)) this.#due.add(path);
    if (this.#due.size > 0) this.#frames.request();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #fire(): void {
    for (const path of this.#due) this.#changed.fire(Uri.from({ scheme: documentScheme, path }));
    this.#due.clear();
  }
}

export const journalFolder = (id: SessionId): string => `/journal/${id}/`;
export const outputFolder = (runId: string): string => `/output/${runId}/`;
