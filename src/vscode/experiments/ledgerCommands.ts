/** Commands on the ledger: export results, import results and runs, reproduce an experiment. */
import { ProgressLocation, Uri, window, workspace } from 'vscode';
import { reproductionText } from '../../presentation/experiments/reproductionText.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import { UserFacing } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import { writeResultsTsv } from '../../compose/resultsTsv.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { pickOne, anySession, sessionWithResults } from '../window/pick.ts';
import { importRuns } from './importRuns.ts';
import { experimentOf, sessionIdOf } from '../ui/commandTarget.ts';

const filters = { 'Tab-separated results': ['tsv'] };

export const ledgerCommands = (deps: WindowDeps) =>
  ({
    'helios.exportResults': (argument) => exportResults(deps, argument),
    'helios.importResults': (argument) => importResults(deps, argument),
    'helios.importRuns': async (argument) => importRuns(deps, await openedSession(deps, argument)),
    'helios.reproduce': (argument) => reproduceOne(deps, argument),
  }) satisfies Handlers;

async function exportResults({ host }: WindowDeps, argument: unknown): Promise<void> {
  const { sessions } = await host.get();
  const id = sessionIdOf(argument) ?? (await anySession(sessions.list()));
  if (id === undefined) return;
  const { ledger } = await sessions.read(id);
  const text = writeResultsTsv(ledger);
  const target = await window.showSaveDialog({
    title: 'Export Results',
    filters,
    ...defaultFile(),
  });
  if (target === undefined) return;
  await workspace.fs.writeFile(target, Buffer.from(text));
  const rows = text.split('\n').length - 2;
  void window.showInformationMessage(
    `Exported ${rows} ${rows === 1 ? 'experiment' : 'experiments'} to ${target.fsPath}.`,
  );
}

async function importResults(deps: WindowDeps, argument: unknown): Promise<void> {
  const session = await openedSession(deps, argument);
  if (session === undefined) return;
  const defaultUri = Uri.file(session.state.workFolder);
  const [file] =
    (await window.showOpenDialog({ title: 'Import Results', filters, defaultUri })) ?? [];
  if (file === undefined) return;
  const text = Buffer.from(await workspace.fs.readFile(file)).toString('utf8');
  const count = await session.importResults(text, workspace.asRelativePath(file));
  const words = count === 1 ? '1 result' : `${count} results`;
  void window.showInformationMessage(
    `Imported ${words}. The session sees them from its next turn on. Rankings use only the session's own measurements.`,
  );
}

async function reproduceOne(deps: WindowDeps, argument: unknown): Promise<void> {
  const { sessions } = await deps.host.get();
  const id = sessionIdOf(argument) ?? (await sessionWithResults(sessions.list(), 'run'));
  const session = id && (await openedSession(deps, id));
  if (session === undefined) return;
  const rows = session.ledger.experiments
    .filter(({ plan, result }) => plan !== undefined && result !== undefined)
    .toSorted((a, b) => Number(a.isChampion) - Number(b.isChampion));
  if (rows.length === 0) throw new UserFacing('No experiment of this session has results yet.');
  const choices = rows.toReversed().map(({ id, hypothesis, verdicts, isChampion }) => ({
    label: isChampion ? `${id}, champion` : id,
    description: oneLine(hypothesis, 80),
    detail: verdicts,
    value: id,
  }));
  const experimentId =
    experimentOf(argument) ?? (await pickOne(choices, 'Select an experiment to reproduce'));
  if (experimentId === undefined) return;
  const progress = {
    location: ProgressLocation.Notification,
    title: `Helios: reproducing ${experimentId}`,
    cancellable: true,
  };
  const text = await window.withProgress(progress, async (_, token) => {
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    return reproductionText(await session.reproduce({ experimentId, signal: abort.signal }));
  });
  await deps.documents.open(`/reproduction/${session.id}/Reproduction of ${experimentId}.txt`, () =>
    Promise.resolve(`${text}\n`),
  );
}

/**
 * Returns the session that the argument names or the user selects. Resumes the session if it has
 * ended or is paused, because only an open session can record imports and reproductions. Rejects
 * with `UserFacing` for a session that another process may be working on.
 */
async function openedSession(
  { host, sessions: windowSessions }: WindowDeps,
  argument: unknown,
): Promise<Session | undefined> {
  const { sessions } = await host.get();
  const id = sessionIdOf(argument) ?? (await anySession(sessions.list()));
  if (id === undefined) return undefined;
  const open = windowSessions.get(id);
  if (open !== undefined) return open;
  const { phase } = (await sessions.read(id)).state;
  if (phase === 'ended' || phase === 'paused') return sessions.resume(id);
  throw new UserFacing(
    'This session is not open in this window, and another process may be working on it.',
    'Run “Helios: Resume Session” to continue the session in this window, then try again.',
  );
}

function defaultFile(): { readonly defaultUri?: Uri } {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  return folder === undefined ? {} : { defaultUri: Uri.joinPath(folder, 'results.tsv') };
}
