/** The session view in VS Code: one editor tab per session. */
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import { oneLine } from '../../base/text.ts';
import type { PanelKind } from '../webviews/sessionPanels.ts';
import { SessionViewHost } from './viewHost.ts';
import type { SessionViewSource } from './viewSource.ts';
import { sessionName } from '../../presentation/sessions/sessionText.ts';

export interface SessionViewOptions {
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

export const sessionView = (options: SessionViewOptions): PanelKind<SessionViewSource> => {
  const { clock, logger, openRunOutput } = options;
  return {
    folder: 'session',
    icon: 'history',
    name: 'Session',
    column: vscode.ViewColumn.Active,
    source: (sessionId) => options.source(sessionId),
    titleOf: (source) => `Session: ${nameOf(source)}`,
    onDidRename: (source) => source.onDidChange,
    converse: (source, port) =>
      new SessionViewHost({
        source,
        port,
        clock,
        logger,
        actions: { openRunOutput, openMetrics: () => options.openMetrics(source.id) },
      }),
  };
};

function nameOf(source: SessionViewSource): string {
  const events = source.events();
  const [first] = events;
  if (first?.type !== 'session.started') return source.id;
  const title = events.findLast((event) => event.type === 'session.renamed')?.title;
  return oneLine(sessionName({ goal: first.goal, ...(title && { title }) }), 60);
}
