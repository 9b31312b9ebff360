/**
 * Webviews of sessions as editor tabs: one tab per session for each kind of webview, restored after
 * a reload of the window.
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/emitter.ts';
import type { Logger } from '../../base/logger.ts';
import type { PanelPort } from '../../protocol/connect.ts';
import { webviewHtml } from './webviewPage.ts';

/** Serves the pages of a panel, for the lifetime of the panel. */
export interface PanelConversation extends Disposable {
  setVisible(isVisible: boolean): void;
}

export interface PanelKind<Source> {
  /** Name of the folder in `dist/webview` that contains the script and the style sheet. */
  readonly folder: string;
  readonly icon: string;
  readonly name: string;
  readonly column: vscode.ViewColumn;
  /**
   * Creates the data source of a session. Rejects with `UserFacing`, or resolves with `undefined`,
   * for a session that cannot be shown.
   */
  source(sessionId: string): Promise<(Source & Partial<Disposable>) | undefined>;
  titleOf(source: Source): string;
  onDidRename(source: Source): Event<void>;
  converse(source: Source, port: PanelPort): PanelConversation;
}

export interface SessionPanelsOptions<Source> {
  /** VS Code's view type, by which a saved panel is recognized. */
  readonly viewType: string;
  readonly extensionUri: vscode.Uri;
  readonly logger: Logger;
  /** Imports the code of the panels, which a window without a panel does not need. */
  load(): Promise<PanelKind<Source>>;
}

/** Opens and restores the panels. Disposing closes all panels. */
export class SessionPanels<Source> implements Disposable {
  readonly #options: SessionPanelsOptions<Source>;
  readonly #owned = new DisposableStore();
  readonly #panels = new Map<string, vscode.WebviewPanel>();

  constructor(options: SessionPanelsOptions<Source>) {
    this.#options = options;
    this.#owned.add(
      vscode.window.registerWebviewPanelSerializer(options.viewType, {
        deserializeWebviewPanel: (panel, saved) => this.#restore(panel, saved),
      }),
    );
  }

  /** Shows the session's panel, which is opened if needed. */
  async show(sessionId: string): Promise<void> {
    const present = this.#panels.get(sessionId);
    if (present !== undefined) return present.reveal();
    const kind = await this.#options.load();
    const source = await kind.source(sessionId);
    if (source === undefined) throw new Error('This session no longer exists.');
    // A second call may have opened the panel while this call was waiting.
    const raced = this.#panels.get(sessionId);
    if (raced !== undefined) {
      source.dispose?.();
      return raced.reveal();
    }
    const { viewType } = this.#options;
    const panel = vscode.window.createWebviewPanel(viewType, kind.name, kind.column);
    this.#attach(panel, { kind, sessionId, source });
  }

  isShown(sessionId: string): boolean {
    return this.#panels.has(sessionId);
  }

  dispose(): void {
    for (const panel of [...this.#panels.values()]) panel.dispose();
    this.#owned.dispose();
  }

  async #restore(panel: vscode.WebviewPanel, saved: unknown): Promise<void> {
    const sessionId = sessionIdOf(saved);
    try {
      const kind = await this.#options.load();
      const source = sessionId === undefined ? undefined : await kind.source(sessionId);
      if (sessionId !== undefined && source !== undefined && !this.#panels.has(sessionId))
        return this.#attach(panel, { kind, sessionId, source });
      source?.dispose?.();
    } catch (error) {
      this.#options.logger.warn(`${panel.title} could not be restored.`, error);
    }
    panel.dispose();
  }

  #attach(panel: vscode.WebviewPanel, { kind, sessionId, source }: ShownSession<Source>): void {
    const { folder: name, icon, titleOf, onDidRename, converse } = kind;
    const { webview } = panel;
    const folder = vscode.Uri.joinPath(this.#options.extensionUri, 'dist', 'webview', name);
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    panel.iconPath = new vscode.ThemeIcon(icon);
    const retitle = (): void => {
      panel.title = titleOf(source);
    };
    const conversation = converse(source, {
      post: (message) => void webview.postMessage(message),
      onMessage: (listener) => webview.onDidReceiveMessage(listener),
    });
    const owned = new DisposableStore();
    if (source.dispose !== undefined) owned.add({ dispose: () => source.dispose?.() });
    owned.add(conversation);
    owned.add(onDidRename(source)(retitle));
    owned.add(panel.onDidChangeViewState(() => conversation.setVisible(panel.visible)));
    panel.onDidDispose(() => {
      this.#panels.delete(sessionId);
      owned.dispose();
    });
    this.#panels.set(sessionId, panel);
    retitle();
    webview.html = webviewHtml({
      title: kind.name,
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64url'),
      scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'main.js')).toString(),
      styleUri: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'style.css')).toString(),
    });
  }
}

interface ShownSession<Source> {
  readonly kind: PanelKind<Source>;
  readonly sessionId: string;
  readonly source: Source & Partial<Disposable>;
}

function sessionIdOf(saved: unknown): string | undefined {
  if (typeof saved !== 'object' || saved === null || !('sessionId' in saved)) return undefined;
  return typeof saved.sessionId === 'string' && saved.sessionId !== ''
    ? saved.sessionId
    : undefined;
}
