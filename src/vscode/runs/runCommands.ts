/** Commands on runs: show, stop. */
import { ProgressLocation, window } from 'vscode';
import type { SessionId } from '../../base/ids.ts';
import { UserFacing } from '../../base/errors.ts';
import type { Run } from '../../runs/liveRun.ts';
import { copyText, type Handlers } from '../ui/commandRegistry.ts';
import { outputFolder } from '../window/documents.ts';
import { openRuns, pickOne, runChoice, type RunOfSession, anySession } from '../window/pick.ts';
import type { WindowDeps } from '../window/windowDeps.ts';
import { runIdOf, sessionIdOf } from '../ui/commandTarget.ts';
import { runName, runTitle } from '../../presentation/runs/runText.ts';

const outputLines = 5_000;

export function runCommands(deps: WindowDeps, showPanel: (id: SessionId) => Promise<void>) {
  return {
    'helios.showMetrics': async (argument) => {
      const engine = await deps.host.get();
      const id =
        sessionIdOf(argument) ??
        deps.sessions.going()[0]?.id ??
        (await anySession(engine.sessions.list()));
      if (id !== undefined) await showPanel(id);
    },
    'helios.openRunOutput': (argument) => openRunOutput(deps, argument),
    'helios.stopRun': (argument) => stopRun(deps, argument),
    'helios.copyRunId': async (argument) => {
      const id = runIdOf(argument);
      if (id !== undefined) await copyText(id);
    },
  } satisfies Handlers;
}

async function pickRun(
  deps: WindowDeps,
  argument: unknown,
  options: RunPick,
): Promise<RunOfSession | undefined> {
  await deps.host.get();
  const id = runIdOf(argument);
  const runs = openRuns(deps.sessions).filter(options.isMeant ?? (() => true));
  if (id !== undefined) {
    const found = runs.find(({ row }) => row.runId === id);
    if (found === undefined)
      throw new UserFacing(
        'The session of this run is not open in this window.',
        'Resume the session first.',
      );
    return found;
  }
  if (runs.length === 0) throw new UserFacing(options.none);
  const picked = await window.showQuickPick(runs.map(runChoice), {
    title: options.title,
    matchOnDetail: true,
  });
  return picked?.value;
}

interface RunPick {
  readonly title: string;
  readonly none: string;
  readonly isMeant?: (run: RunOfSession) => boolean;
}

async function liveRun({ host }: WindowDeps, { row }: RunOfSession): Promise<Run> {
  const run = (await host.get()).runs.get(row.runId);
  if (run === undefined)
    throw new UserFacing(
      `${runTitle(row.number)} is not available in this window yet. Try again in a moment.`,
    );
  return run;
}

async function openRunOutput(deps: WindowDeps, argument: unknown): Promise<void> {
  const picked = await pickRun(deps, argument, {
    title: 'Select a run to show its output',
    none: 'There are no runs in this window.',
  });
  if (picked === undefined) return;
  const run = await liveRun(deps, picked);
  const { runs } = await deps.host.get();
  await deps.documents.open(
    `${outputFolder(run.spec.id)}${runTitle(run.spec.number)} output.log`,
    async () => {
      const { text, isCut, path } = await runs.output(run, { lines: outputLines });
      return `${isCut ? `[truncated; the whole output is in ${run.spec.machineId}:${path}]\n` : ''}${text}\n`;
    },
  );
}

async function stopRun(deps: WindowDeps, argument: unknown): Promise<void> {
  const picked = await pickRun(deps, argument, {
    title: 'Select a run to stop',
    none: 'No run is active.',
    isMeant: ({ row }) => row.verdict === undefined,
  });
  if (picked === undefined) return;
  const run = await liveRun(deps, picked);
  const { number, label } = run.spec;
  const choices = [
    {
      label: `Stop ${runName(number)}`,
      description: label,
      detail: 'Its output and metrics are kept.',
      value: true,
    },
    { label: 'Cancel', value: false },
  ];
  if ((await pickOne(choices, `Stop ${runName(number)}?`)) !== true) return;
  const { runs } = await deps.host.get();
  const title = `Helios: stopping ${runName(number)}`;
  const result = await window.withProgress({ location: ProgressLocation.Window, title }, () =>
    runs.kill(run),
  );
  if (!result.isVerified)
    throw new UserFacing(
      `${runTitle(number)} did not stop: some of its processes are still running.`,
      'Open its output to see why.',
    );
}
