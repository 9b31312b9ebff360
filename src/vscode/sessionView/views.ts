/** The session view in VS Code: one editor tab per session. */
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import { oneLine } from '../../base/text.ts';
import type { PanelPort } from '../../protocol/connect.ts';
import { SessionPanels } from '../webviews/sessionPanels.ts';
import { SessionViewHost } from './viewHost.ts';
import type { SessionViewSource } from './viewSource.ts';

export interface SessionViewsOptions {
  readonly extensionUri: vscode.Uri;
  /**
   * Creates the data source of a session. Rejects with `UserFacing` for a session that cannot be
   * shown.
   */
  source(sessionId: string): Promise<SessionViewSource & Disposable>;
  openRunOutput(runId: string): void;
  openMetrics(sessionId: string): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const createSessionViews = (
  options: SessionViewsOptions,
): SessionPanels<SessionViewSource> => {
  const { extensionUri, clock, logger, openRunOutput } = options;
  const kind = {
    viewType: 'helios.session',
    folder: 'session',
    icon: 'history',
    name: 'Session',
    column: vscode.ViewColumn.Active,
    source: (sessionId: string) => options.source(sessionId),
    titleOf: (source: SessionViewSource) => `Session: ${goalOf(source)}`,
    onDidRename: (source: SessionViewSource) => source.onDidChange,
    converse: (source: SessionViewSource, port: PanelPort) =>
      new SessionViewHost({
        source,
        port,
        clock,
        logger,
        actions: { openRunOutput, openMetrics: () => options.openMetrics(source.id) },
      }),
  };
  return new SessionPanels(kind, extensionUri, logger);
};

function goalOf(source: SessionViewSource): string {
  const [first] = source.events();
  return first?.type === 'session.started' ? oneLine(first.goal, 60) : source.id;
}
