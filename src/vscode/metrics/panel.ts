/** The metrics panel in VS Code: one editor tab per session. */
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import type { PanelPort } from '../../protocol/connect.ts';
import { SessionPanels } from '../webviews/sessionPanels.ts';
import { PanelHost } from './panelHost.ts';
import type { PanelFile, PanelSource } from './panelSource.ts';

export interface MetricsPanelsOptions {
  readonly extensionUri: vscode.Uri;
  /**
   * Creates the data source of a session. Rejects with `UserFacing`, or resolves with `undefined`,
   * for a session that cannot be shown.
   */
  source(sessionId: string): Promise<(PanelSource & Partial<Disposable>) | undefined>;
  openRun(runId: string): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const createMetricsPanels = (options: MetricsPanelsOptions): SessionPanels<PanelSource> => {
  const { extensionUri, clock, logger, openRun } = options;
  const kind = {
    viewType: 'helios.metrics',
    folder: 'metrics',
    icon: 'graph-line',
    name: 'Metrics',
    column: vscode.ViewColumn.Beside,
    source: (sessionId: string) => options.source(sessionId),
    titleOf: (source: PanelSource) => `Metrics: ${source.state().title}`,
    onDidRename: (source: PanelSource) => source.onDidChangeState,
    converse: (source: PanelSource, port: PanelPort) =>
      new PanelHost({ source, clock, logger, actions: { openRun, save }, port }),
  };
  return new SessionPanels(kind, extensionUri, logger);
};

async function save(file: PanelFile): Promise<void> {
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
  const open = await vscode.window.showInformationMessage(
    `Saved ${vscode.workspace.asRelativePath(uri)}`,
    'Open',
  );
  if (open !== undefined) await vscode.commands.executeCommand('vscode.open', uri);
}
