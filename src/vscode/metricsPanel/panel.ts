/** The metrics panel in VS Code: one editor tab per session, there again after a reload of the window. */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import { webviewHtml } from '../webviewPage.ts';
import { PanelHost } from './panelHost.ts';
import type { PanelActions, PanelFile, PanelSource } from './panelSource.ts';

export interface MetricsPanelsOptions {
  readonly extensionUri: vscode.Uri;
  /** Rejects with `UserFacing`, or answers `undefined`, for a session that cannot be shown. */
  source(sessionId: string): Promise<(PanelSource & Partial<Disposable>) | undefined>;
  openRun(runId: string): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const viewType = 'helios.metrics';

/** Opens and restores metrics panels. Disposing closes them. */
export class MetricsPanels implements Disposable {
  readonly #options: MetricsPanelsOptions;
  readonly #owned = new DisposableStore();
  readonly #panels = new Map<string, vscode.WebviewPanel>();

  constructor(options: MetricsPanelsOptions) {
    this.#options = options;
    this.#owned.add(
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: (panel, saved) => this.#restore(panel, saved),
      }),
    );
  }

  /** Shows the session's panel, opening it beside the active editor where there is none. */
  async show(sessionId: string): Promise<void> {
    const present = this.#panels.get(sessionId);
    if (present !== undefined) return present.reveal();
    const source = await this.#options.source(sessionId);
    if (source === undefined) throw new Error('There is no such session any more.');
    // Asked for twice while the first was still opening.
    const raced = this.#panels.get(sessionId);
    if (raced !== undefined) {
      source.dispose?.();
      return raced.reveal();
    }
    const panel = vscode.window.createWebviewPanel(viewType, 'Metrics', vscode.ViewColumn.Beside);
    this.#attach(panel, sessionId, source);
  }

  dispose(): void {
    for (const panel of [...this.#panels.values()]) panel.dispose();
    this.#owned.dispose();
  }

  async #restore(panel: vscode.WebviewPanel, saved: unknown): Promise<void> {
    const sessionId = sessionIdOf(saved);
    try {
      const source = sessionId === undefined ? undefined : await this.#options.source(sessionId);
      if (sessionId !== undefined && source !== undefined && !this.#panels.has(sessionId))
        return this.#attach(panel, sessionId, source);
      source?.dispose?.();
    } catch (error) {
      this.#options.logger.warn('The metrics panel could not be restored.', error);
    }
    panel.dispose();
  }

  #attach(panel: vscode.WebviewPanel, sessionId: string, source: PanelSource & Partial<Disposable>): void {
    const { extensionUri, clock, logger, openRun } = this.#options;
    const { webview } = panel;
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'webview', 'metrics');
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    panel.iconPath = new vscode.ThemeIcon('graph-line');
    const retitle = (): void => {
      panel.title = `Metrics: ${source.state().title}`;
    };
    const host = new PanelHost({
      source,
      clock,
      logger,
      actions: { openRun, save: (file) => this.#save(file) } satisfies PanelActions,
      port: {
        post: (message) => void webview.postMessage(message),
        onMessage: (listener) => webview.onDidReceiveMessage(listener),
      },
    });
    const owned = new DisposableStore();
    if (source.dispose !== undefined) owned.add({ dispose: () => source.dispose?.() });
    owned.add(host);
    owned.add(source.onDidChangeState(retitle));
    owned.add(panel.onDidChangeViewState(() => host.setVisible(panel.visible)));
    panel.onDidDispose(() => {
      this.#panels.delete(sessionId);
      owned.dispose();
    });
    this.#panels.set(sessionId, panel);
    retitle();
    webview.html = webviewHtml({
      title: 'Metrics',
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64url'),
      scriptUri: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'main.js')).toString(),
      styleUri: webview.asWebviewUri(vscode.Uri.joinPath(folder, 'style.css')).toString(),
    });
  }

  async #save(file: PanelFile): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const name = `${file.name}.${file.kind}`;
    const uri = await vscode.window.showSaveDialog({
      ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
      filters: file.kind === 'png' ? { Image: ['png'] } : { 'Comma-separated values': ['csv'] },
    });
    if (uri === undefined) return;
    const parts: Uint8Array[] = [];
    for await (const part of file.parts) parts.push(part);
    await vscode.workspace.fs.writeFile(uri, Buffer.concat(parts));
    const open = await vscode.window.showInformationMessage(`Saved ${vscode.workspace.asRelativePath(uri)}`, 'Open');
    if (open !== undefined) await vscode.commands.executeCommand('vscode.open', uri);
  }
}

function sessionIdOf(saved: unknown): string | undefined {
  if (typeof saved !== 'object' || saved === null || !('sessionId' in saved)) return undefined;
  return typeof saved.sessionId === 'string' && saved.sessionId !== '' ? saved.sessionId : undefined;
}
