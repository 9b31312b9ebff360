/** The metrics panel in VS Code: one editor tab per session. */
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import type { PanelKind } from '../webviews/sessionPanels.ts';
import { PanelHost } from './panelHost.ts';
import type { PanelActions, PanelFile, PanelSource } from './panelSource.ts';

export interface MetricsPanelOptions {
  /**
   * Creates the data source of a session. Rejects with `UserFacing`, or resolves with `undefined`,
   * for a session that cannot be shown.
   */
  source(sessionId: string): Promise<(PanelSource & Partial<Disposable>) | undefined>;
  openRun(runId: string): void;
  /** Lets the user choose sessions other than `sessionId`; see `PanelActions`. */
  chooseSessions(
    sessionId: string,
    chosen: readonly string[],
  ): Promise<readonly string[] | undefined>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const metricsPanel = (options: MetricsPanelOptions): PanelKind<PanelSource> => {
  const { clock, logger, openRun } = options;
  return {
    folder: 'metrics',
    icon: 'graph-line',
    name: 'Metrics',
    column: vscode.ViewColumn.Beside,
    source: (sessionId) => options.source(sessionId),
    titleOf: (source) => `Metrics: ${source.state().title}`,
    onDidRename: (source) => source.onDidChangeState,
    converse: (source, port) => {
      const chooseSessions: PanelActions['chooseSessions'] = (chosen) =>
        options.chooseSessions(source.state().sessionId, chosen);
      const actions = { openRun, save, chooseSessions };
      return new PanelHost({ source, clock, logger, actions, port });
    },
  };
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
