/** Commands on all stored sessions: search, export, clean up. */
import { Uri, window, workspace } from 'vscode';
import type { Engine } from '../../agent/contract/engine.ts';
import type { RetentionLimits } from '../../agent/contract/retention.ts';
import {
  exportColumns,
  exportKinds,
  exportRecords,
  type ExportKind,
} from '../../presentation/archive/exportRecords.ts';
import { exportFormats, exportText } from '../../presentation/archive/exportText.ts';
import { countText, planRows, reportText } from '../../presentation/archive/retentionText.ts';
import { UserFacing } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import type { SessionId } from '../../base/ids.ts';
import { writePieces } from '../../compose/newFile.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { anySession, pickOne, summaryChoice } from '../window/pick.ts';
import { sessionIdOf } from '../ui/commandTarget.ts';
import { cleanUpDocument } from './cleanUpDocument.ts';
import { retentionLimits } from './retention.ts';
import { pickBySearch } from './sessionSearch.ts';
import { sessionName } from '../../presentation/sessions/sessionText.ts';

export function storeCommands(deps: WindowDeps, showView: (id: SessionId) => Promise<void>) {
  return {
    'helios.searchSessions': async () => {
      const id = await pickBySearch((await deps.host.get()).sessions);
      if (id !== undefined) await showView(id);
    },
    'helios.exportSessions': (argument) => exportSessions(deps, sessionIdOf(argument)),
    'helios.cleanUpSessions': () => cleanUp(deps),
    'helios.renameSession': (argument) => renameSession(deps, sessionIdOf(argument)),
    'helios.deleteSession': (argument) => deleteSession(deps, sessionIdOf(argument)),
  } satisfies Handlers;
}

const kindLabels: Readonly<Record<ExportKind, string>> = {
  sessions: 'Sessions: a row for each session',
  messages: 'Messages: all messages, tool calls and their results',
  metrics: 'Metrics: every point of every run',
  ledger: 'Ledger: a row for each run, with its verdict, decision and cost',
  events: 'Events: the whole journal',
};

async function exportSessions(
  { host }: WindowDeps,
  sessionId: SessionId | undefined,
): Promise<void> {
  const engine = await host.get();
  const kinds = exportKinds.map((value) => ({ label: kindLabels[value], value }));
  const kind = await pickOne(kinds, 'Select what to export');
  if (kind === undefined) return;
  const scope = sessionId === undefined ? await pickScope(engine, kind) : { id: sessionId };
  const format =
    scope &&
    (await pickOne(
      exportFormats.map((value) => ({ label: value.toUpperCase(), value })),
      'Select a format',
    ));
  if (scope === undefined || format === undefined) return;
  const folder = workspace.workspaceFolders?.[0]?.uri ?? Uri.file(engine.home);
  const target = await window.showSaveDialog({
    defaultUri: Uri.joinPath(folder, `helios-${kind}.${format}`),
    filters: { [format.toUpperCase()]: [format] },
  });
  if (target === undefined) return;
  const records = exportRecords(engine, kind, scope.id);
  const shape = { format, columns: exportColumns[kind], redact: engine.redact };
  await writePieces(target.fsPath, exportText(records, shape), { replaces: true });
  const answer = await window.showInformationMessage(`Exported to ${target.fsPath}.`, 'Open');
  if (answer === 'Open') await window.showTextDocument(target);
}

interface Scope {
  readonly id?: SessionId;
}

/** Asks whether to export all sessions or a single one. */
async function pickScope({ sessions }: Engine, kind: ExportKind): Promise<Scope | undefined> {
  const listed = await sessions.list();
  if (listed.length === 0)
    throw new UserFacing('There is no session yet.', 'Start one with “Helios: Start Goal”.');
  if (kind === 'sessions') return {};
  const all = { label: 'All sessions', value: {} satisfies Scope };
  const each = listed.map((summary) => ({
    ...summaryChoice(summary),
    value: { id: summary.id } satisfies Scope,
  }));
  return pickOne<Scope>([all, ...each], 'Select a session to export');
}

const days = [30, 90, 180, 365] as const;
const dayMs = 86_400_000;

/** Shows a table of what would be deleted, then asks for confirmation. */
async function cleanUp({ host, documents }: WindowDeps): Promise<void> {
  const engine = await host.get();
  const limits = await pickLimits();
  if (limits === undefined) return;
  const plan = await engine.retention.plan(limits);
  if (plan.goes.length === 0) {
    await window.showInformationMessage('No session exceeds the limit.');
    return;
  }
  const rows = planRows(plan, Date.now());
  await documents.open('/sessions/Clean Up.md', () => Promise.resolve(cleanUpDocument(rows)));
  const remove = 'Remove';
  const question = `Remove ${countText(plan.goes)}, with ${plan.goes.length === 1 ? 'its' : 'their'} runs on every machine?`;
  if ((await window.showWarningMessage(question, { modal: true }, remove)) !== remove) return;
  await window.showInformationMessage(reportText(await engine.retention.carryOut(plan)));
}

/** Asks for a title of a session, open or not. An empty title removes the title. */
async function renameSession({ host, sessions }: WindowDeps, given?: SessionId): Promise<void> {
  const engine = await host.get();
  const list = engine.sessions.list();
  const id = given ?? (await anySession(list, sessions.all()[0]?.id));
  const summary = (await list).find((each) => each.id === id);
  if (summary === undefined) return;
  const name = oneLine(sessionName(summary), 120);
  const title = await askTitle(name, summary.goal);
  if (title !== undefined && title.trim() !== name)
    await engine.requests.send(summary.id, { kind: 'rename', title });
}

const askTitle = (name: string, goal: string): Thenable<string | undefined> =>
  window.showInputBox({
    title: 'Rename Session',
    prompt: `Goal: ${oneLine(goal, 200)}`,
    placeHolder: 'Leave empty to show the goal',
    value: name,
  });

/** Deletes a session that nobody works on, after a confirmation. */
async function deleteSession({ host }: WindowDeps, id: SessionId | undefined): Promise<void> {
  if (id === undefined) return;
  const { retention, sessions } = await host.get();
  const why = await retention.obstacle(id);
  if (why !== undefined)
    throw new UserFacing(`The session cannot be deleted: ${why}.`, 'Stop it and its runs first.');
  const summary = (await sessions.list()).find((each) => each.id === id);
  const name = summary === undefined ? id : sessionName(summary);
  const remove = 'Delete';
  const answer = await window.showWarningMessage(
    `Delete “${oneLine(name, 80)}”?`,
    {
      modal: true,
      detail: 'Its journal, notes and runs are deleted on every machine. This cannot be undone.',
    },
    remove,
  );
  if (answer !== remove) return;
  const problems = await retention.remove(id);
  if (problems.length > 0) void window.showWarningMessage(problems.join('. '));
}

async function pickLimits(): Promise<RetentionLimits | undefined> {
  const set = retentionLimits();
  const choices = days.map((count) => ({
    label: `Older than ${count} days`,
    value: { maxAgeMs: count * dayMs },
  }));
  const asSet = set && { label: 'As in the settings', detail: 'helios.retention', value: set };
  return pickOne<RetentionLimits>(
    [...(asSet ? [asSet] : []), ...choices],
    'Select sessions to delete',
  );
}
