/** Read-only documents that update while they are open: journals, outputs of runs, comparisons. */
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

/** Minimum time between redraws of a document. Limited because outputs and journals can be long. */
const frameMs = 1_000;

/**
 * The open documents. Each is a function that returns the text and is stored while the document is
 * open. After a reload of the window, the function is gone and the document shows a message.
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
   * Opens a document: Markdown as a preview, other files as text. `path` is absolute and ends in
   * the title of the tab.
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

  /** Redraws the documents whose path starts with `prefix`. */
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
