/** Extension side of the table of the metrics panel. */
import type { MessageConnection } from 'vscode-jsonrpc';
import * as z from 'zod';
import {
  annotateRuns,
  chooseSessions,
  readTrends,
  readValuesAt,
  setSessions,
} from '../../protocol/metricsTable.ts';
import { checked, refusal } from '../webviews/viewRequests.ts';
import type { PanelActions, PanelSource } from './panelSource.ts';
import { trendsOf } from './trends.ts';
import { valuesAt } from './valuesAt.ts';

/** Answers the requests of the table from a source. */
export function serveTable(
  connection: MessageConnection,
  source: PanelSource,
  actions: PanelActions,
): void {
  serveSessions(connection, source, actions);
  connection.onRequest(annotateRuns, async (request: unknown) => {
    const { runIds, ...change } = checked(annotation, request);
    if (source.annotate === undefined) throw refusal('The runs cannot be annotated here.');
    await source.annotate(runIds, change);
    return null;
  });
  connection.onRequest(readTrends, async (request: unknown) => ({
    trends: await trendsOf(source, checked(trends, request)),
  }));
  connection.onRequest(readValuesAt, async (request: unknown) => ({
    values: await valuesAt(source, checked(at, request)),
  }));
}

function serveSessions(
  connection: MessageConnection,
  source: PanelSource,
  actions: PanelActions,
): void {
  connection.onRequest(chooseSessions, async (request: unknown) => {
    const sessionIds = await actions.chooseSessions?.(checked(sessions, request).sessionIds);
    return sessionIds === undefined ? {} : { sessionIds };
  });
  connection.onRequest(setSessions, async (request: unknown) => {
    await source.setSessions?.(checked(sessions, request).sessionIds);
    return null;
  });
}

const sessions = z.object({ sessionIds: z.array(z.string().min(1).max(100)).max(100) }).strict();

const runIds = z.array(z.string().min(1).max(100)).min(1).max(1000);
const items = z.array(z.object({ runIds }).strict()).max(1000);
const metric = z.string().min(1).max(500);

const metrics = z.array(metric).max(200);

const at = z.object({ step: z.number(), metrics, items }).strict();

const trends = z.object({ metric, items, width: z.int().min(1).max(1000) }).strict();

const tags = z.array(z.string().max(1000)).max(100).exactOptional();

const annotation = z
  .object({ runIds, addTags: tags, removeTags: tags, note: z.string().max(5000).exactOptional() })
  .strict();
