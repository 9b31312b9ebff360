/** Read-only documents that update while they are open, such as journals and run outputs. */
import { basename } from 'node:path/posix';
import {
  commands,
  DocumentLink,
  EventEmitter,
  languages,
  Range,
  TabInputText,
  Uri,
  window,
  workspace,
  type Disposable,
  type DocumentLinkProvider,
  type TextDocument,
  type TextDocumentContentProvider,
} from 'vscode';
import type { SessionId } from '../../base/ids.ts';
import { DisposableStore } from '../../base/disposable.ts';
import { adviceOf } from '../../base/errors.ts';
import { systemClock } from '../../base/clock.ts';
import { documentScheme } from '../ui/contributions.ts';
import { Frames } from '../ui/frames.ts';

/** A text with a link from the beginning of a line, up to the first ` · `. */
export interface LinkedText {
  readonly text: string;
  readonly links: readonly { readonly line: number; readonly target: Uri }[];
}

type Render = () => Promise<string | LinkedText>;

/** Minimum time between updates of documents. Limited because outputs and journals can be long. */
const frameMs = 1_000;

/**
 * The open documents. For each document, stores the function that returns the document's text. The
 * functions do not survive a reload of the window: a restored document shows a message instead.
 */
export class Documents implements TextDocumentContentProvider, DocumentLinkProvider, Disposable {
  readonly #owned = new DisposableStore();
  readonly #renders = new Map<string, Render>();
  readonly #links = new Map<string, LinkedText['links']>();
  readonly #changed = new EventEmitter<Uri>();
  readonly #due = new Set<string>();
  readonly #frames: Frames;
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#frames = this.#owned.add(new Frames(systemClock, frameMs, () => this.#fire()));
    this.#owned.add(this.#changed);
    this.#owned.add(workspace.registerTextDocumentContentProvider(documentScheme, this));
    this.#owned.add(languages.registerDocumentLinkProvider({ scheme: documentScheme }, this));
    this.#owned.add(
      workspace.onDidCloseTextDocument(({ uri }) => {
        this.#renders.delete(uri.path);
        this.#links.delete(uri.path);
      }),
    );
  }

  async provideTextDocumentContent(uri: Uri): Promise<string> {
    const render = this.#renders.get(uri.path);
    if (render === undefined)
      return `${basename(uri.path)} was closed with its window. Open it again from Helios.\n`;
    const shown = await render().catch(
      (error: unknown) => `${basename(uri.path)} could not be read: ${adviceOf(error)}\n`,
    );
    if (typeof shown === 'string') return shown;
    this.#links.set(uri.path, shown.links);
    return shown.text;
  }

  provideDocumentLinks(document: TextDocument): DocumentLink[] {
    return (this.#links.get(document.uri.path) ?? []).map(({ line, target }) => {
      const { text, firstNonWhitespaceCharacterIndex: from } = document.lineAt(line);
      return new DocumentLink(new Range(line, from, line, text.indexOf(' · ')), target);
    });
  }

  /**
   * Opens a document: a path that ends in `.md` as a Markdown preview, any other path as text.
   * `path` begins with `/`; its last segment is the title of the tab.
   */
  async open(path: string, render: Render): Promise<void> {
    const uri = this.define(path, render);
    this.#changed.fire(uri);
    if (path.endsWith('.md')) {
      await commands.executeCommand('markdown.showPreview', uri);
      return;
    }
    await window.showTextDocument(uri, { preview: true });
  }

  /** Returns the address of a document with the text of `render`, for an editor to open. */
  define(path: string, render: Render): Uri {
    this.#renders.set(path, render);
    return Uri.from({ scheme: documentScheme, path });
  }

  /** Updates the open documents whose path starts with `prefix`. */
  changed(prefix: string): void {
    for (const path of this.#renders.keys()) if (path.startsWith(prefix)) this.#due.add(path);
    if (this.#due.size > 0) this.#frames.request();
  }

  /** Closes the tabs of the documents whose path starts with `prefix`. */
  async close(prefix: string): Promise<void> {
    const tabs = window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof TabInputText && isBelow(input.uri, prefix));
    await window.tabGroups.close(tabs);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #fire(): void {
    for (const path of this.#due) this.#changed.fire(Uri.from({ scheme: documentScheme, path }));
    this.#due.clear();
  }
}

const isBelow = ({ scheme, path }: Uri, prefix: string): boolean =>
  scheme === documentScheme && path.startsWith(prefix);

export const journalFolder = (id: SessionId): string => `/journal/${id}/`;
export const outputFolder = (runId: string): string => `/output/${runId}/`;
