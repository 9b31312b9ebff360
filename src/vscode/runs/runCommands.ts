/** Commands on runs: show, stop, compare. */
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
    'helios.compareRuns': (argument) => compareTwo(deps, argument),
    'helios.compareSelectedRuns': (argument, all) => compareSelected(deps, argument, all),
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

async function compareTwo(deps: WindowDeps, argument: unknown): Promise<void> {
  const none = 'There are no runs in this window.';
  const experiment = await pickRun(deps, argument, { title: 'Select the first run', none });
  if (experiment === undefined) return;
  const baseline = await pickRun(deps, undefined, {
    title: `Select a run to compare with ${runName(experiment.row.number)}`,
    none: 'There is no other run to compare it with.',
    isMeant: ({ row }) => row.runId !== experiment.row.runId,
  });
  if (baseline !== undefined) await openComparison(deps, baseline, experiment);
}

/** Compares the selected runs. The older run is the baseline, whichever was selected first. */
async function compareSelected(deps: WindowDeps, argument: unknown, all: unknown): Promise<void> {
  const selected = Array.isArray(all) ? (all as readonly unknown[]) : [argument];
  const ids = [...new Set(selected.flatMap((each) => runIdOf(each) ?? []))];
  if (ids.length !== 2) throw new UserFacing('Select two runs to compare them.');
  const found = openRuns(deps.sessions).filter(({ row }) => ids.includes(row.runId));
  const [experiment, baseline] = found.sort(
    (a, b) => (b.row.startedMs ?? 0) - (a.row.startedMs ?? 0),
  );
  if (experiment === undefined || baseline === undefined)
    throw new UserFacing(
      'The session of these runs is not open in this window.',
      'Resume the session first.',
    );
  await openComparison(deps, baseline, experiment);
}

async function openComparison(
  deps: WindowDeps,
  baseline: RunOfSession,
  experiment: RunOfSession,
): Promise<void> {
  const [before, after] = [await liveRun(deps, baseline), await liveRun(deps, experiment)];
  const { compareRuns, comparisonDocument, comparisonTitle } =
    await import('../../presentation/runs/comparison.ts');
  const compared = { baseline: baseline.row, experiment: experiment.row };
  const code = [codeOf(baseline), codeOf(experiment)] as const;
  await deps.documents.open(
    `/comparison/${baseline.row.runId}/${experiment.row.runId}/${comparisonTitle(compared)}.md`,
    async () => {
      const metrics = await compareRuns(before.metrics, after.metrics);
      const decisive = experiment.session.ledger.decisive?.metric;
      const names = metrics.flatMap(({ metric, atEnd }) => (atEnd === undefined ? [] : [metric]));
      const shown = names
        .toSorted((a, b) => Number(b === decisive) - Number(a === decisive))
        .slice(0, maxCharts);
      const charts = await drawn(shown, [before, after]);
      return comparisonDocument({ ...compared, metrics, code, charts });
    },
  );
}

const maxCharts = 3;

async function drawn(metrics: readonly string[], runs: readonly Run[]) {
  const { runChart } = await import('../../compose/runCharts.ts');
  return metrics.flatMap((metric) => {
    const curves = runs.map(({ spec, metrics: measured }) => ({
      number: spec.number,
      name: runName(spec.number),
      isChampion: false,
      series: measured.series(metric),
    }));
    const svg = runChart({ metric, runs: curves });
    return svg === undefined ? [] : [{ metric, svg }];
  });
}

/** Returns the state of the code of a run: `9fceb02`; empty if it is not known. */
function codeOf({ session, row }: RunOfSession): string {
  const code = session.state.experiments.get(row.experimentId ?? '')?.plan.code;
  return code?.kind === 'git' ? code.tree.slice(0, 7) : '';
}
