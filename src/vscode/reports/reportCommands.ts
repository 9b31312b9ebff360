/** Commands on the reports of a session. */
import { env, Uri, window, workspace } from 'vscode';
import { pageFileName } from '../../presentation/sessions/pageFile.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import { openPreview } from './openBrief.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { sessionIdOf } from '../ui/commandTarget.ts';
import { anySession } from '../window/pick.ts';

export function reportCommands(deps: WindowDeps) {
  const { host, sessions, logger } = deps;
  return {
    'helios.shareSession': (argument) => shareSession(deps, argument),
    'helios.openBrief': async (argument) => {
      const engine = await host.get();
      const id =
        sessionIdOf(argument) ?? (await anySession(engine.sessions.list(), sessions.all()[0]?.id));
      if (id === undefined) return;
      const { file } = await engine.reports.write(id);
      await openPreview(file, logger);
    },
  } satisfies Handlers;
}

/** Saves a session as one HTML file, and offers to open the file. */
async function shareSession({ host }: WindowDeps, argument: unknown): Promise<void> {
  const { sessions, reports } = await host.get();
  const id = sessionIdOf(argument) ?? (await anySession(sessions.list()));
  const summary = (await sessions.list()).find((each) => each.id === id);
  if (summary === undefined) return;
  const folder = workspace.workspaceFolders?.[0]?.uri;
  const target = await window.showSaveDialog({
    title: 'Share Session',
    filters: { 'Web page': ['html'] },
    ...(folder && { defaultUri: Uri.joinPath(folder, pageFileName(summary)) }),
  });
  if (target === undefined) return;
  await workspace.fs.writeFile(target, Buffer.from(await reports.page(summary.id)));
  const answer = await window.showInformationMessage(
    `Saved the session to ${target.fsPath}.`,
    open,
  );
  if (answer === open) await env.openExternal(target);
}

const open = 'Open in Browser';
