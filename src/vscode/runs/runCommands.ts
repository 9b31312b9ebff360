/** Commands on runs: read, stop, compare. */
import { ProgressLocation, window } from 'vscode';
import type { SessionId } from '../../base/ids.ts';
import { UserFacing } from '../../base/errors.ts';
import { compareRuns, comparisonDocument } from '../../presentation/runs/comparison.ts';
import type { Run } from '../../runs/liveRun.ts';
import { copyText, type Handlers } from '../ui/commandRegistry.ts';
import { outputFolder } from '../window/documents.ts';
import { openRuns, pickOne, runChoice, type RunOfSession, anySession } from '../window/pick.ts';
import type { Parts } from '../window/parts.ts';
import { runIdOf, sessionIdOf } from '../ui/commandTarget.ts';

const outputLines = 5_000;

export function runCommands(parts: Parts, showPanel: (id: SessionId) => Promise<void>): Handlers {
  return {
    'helios.showMetrics': async (argument) => {
      const engine = await parts.host.get();
      const id = sessionIdOf(argument) ?? parts.sessions.going()[0]?.id ?? (await anySession(engine.sessions.list()));
      if (id !== undefined) await showPanel(id);
    },
    'helios.openRunOutput': (argument) => openRunOutput(parts, argument),
    'helios.stopRun': (argument) => stopRun(parts, argument),
    'helios.compareRuns': (argument) => compareTwo(parts, argument),
    'helios.compareSelectedRuns': (argument, all) => compareSelected(parts, argument, all),
    'helios.copyRunId': async (argument) => {
      const id = runIdOf(argument);
      if (id !== undefined) await copyText(id);
    },
  };
}

async function pickRun(parts: Parts, argument: unknown, options: RunPick): Promise<RunOfSession | undefined> {
  await parts.host.get();
  const id = runIdOf(argument);
  const runs = openRuns(parts.sessions).filter(options.isMeant ?? (() => true));
  if (id !== undefined) {
    const found = runs.find(({ row }) => row.runId === id);
    if (found === undefined)
      throw new UserFacing(
        'The session of this run is not open here.',
        'Resume it first: its runs are then found again.',
      );
    return found;
  }
  if (runs.length === 0) throw new UserFacing(options.none);
  const picked = await window.showQuickPick(runs.map(runChoice), { title: options.title, matchOnDetail: true });
  return picked?.value;
}

interface RunPick {
  readonly title: string;
  readonly none: string;
  readonly isMeant?: (run: RunOfSession) => boolean;
}

async function liveRun({ host }: Parts, { row }: RunOfSession): Promise<Run> {
  const run = (await host.get()).runs.get(row.runId);
  if (run === undefined)
    throw new UserFacing(`Run ${row.number} is not known to this window yet. Try again in a moment.`);
  return run;
}

async function openRunOutput(parts: Parts, argument: unknown): Promise<void> {
  const picked = await pickRun(parts, argument, {
    title: 'Output of which run?',
    none: 'No run is known in this window.',
  });
  if (picked === undefined) return;
  const run = await liveRun(parts, picked);
  const { runs } = await parts.host.get();
  await parts.documents.open(`${outputFolder(run.spec.id)}Run ${run.spec.number} output.log`, async () => {
    const { text, isCut, path } = await runs.output(run, { lines: outputLines });
    return `${isCut ? `[the last part; all of it is in ${run.spec.machineId}:${path}]\n` : ''}${text}\n`;
  });
}

async function stopRun(parts: Parts, argument: unknown): Promise<void> {
  const picked = await pickRun(parts, argument, {
    title: 'Stop which run?',
    none: 'No run is going.',
    isMeant: ({ row }) => row.verdict === undefined,
  });
  if (picked === undefined) return;
  const run = await liveRun(parts, picked);
  const { number, label } = run.spec;
  const choices = [
    { label: `Stop run ${number}`, description: label, detail: 'Its output and metrics are kept.', value: true },
    { label: 'Let it go on', value: false },
  ];
  if ((await pickOne(choices, `Stop run ${number}?`)) !== true) return;
  const { runs } = await parts.host.get();
  const title = `Helios: stopping run ${number}`;
  const result = await window.withProgress({ location: ProgressLocation.Window, title }, () => runs.kill(run));
  if (!result.isVerified)
    throw new UserFacing(
      `Run ${number} was told to stop, but processes of it are still there.`,
      'Open its output to see why.',
    );
}

async function compareTwo(parts: Parts, argument: unknown): Promise<void> {
  const none = 'No run is known in this window.';
  const experiment = await pickRun(parts, argument, { title: 'Compare which run?', none });
  if (experiment === undefined) return;
  const baseline = await pickRun(parts, undefined, {
    title: `Compare run ${experiment.row.number} with which run?`,
    none: 'There is no other run to compare it with.',
    isMeant: ({ row }) => row.runId !== experiment.row.runId,
  });
  if (baseline !== undefined) await openComparison(parts, baseline, experiment);
}

/** The older one is the baseline, whichever was selected first. */
async function compareSelected(parts: Parts, argument: unknown, all: unknown): Promise<void> {
  const selected = Array.isArray(all) ? (all as readonly unknown[]) : [argument];
  const ids = [...new Set(selected.flatMap((each) => runIdOf(each) ?? []))];
  if (ids.length !== 2) throw new UserFacing('Select two runs to compare them.');
  const found = openRuns(parts.sessions).filter(({ row }) => ids.includes(row.runId));
  const [experiment, baseline] = found.sort((a, b) => (b.row.startedMs ?? 0) - (a.row.startedMs ?? 0));
  if (experiment === undefined || baseline === undefined)
    throw new UserFacing(
      'The session of these runs is not open here.',
      'Resume it first: its runs are then found again.',
    );
  await openComparison(parts, baseline, experiment);
}

async function openComparison(parts: Parts, baseline: RunOfSession, experiment: RunOfSession): Promise<void> {
  const [before, after] = [await liveRun(parts, baseline), await liveRun(parts, experiment)];
  const name = `Run ${experiment.row.number} against run ${baseline.row.number}.md`;
  await parts.documents.open(`/comparison/${baseline.row.runId}/${experiment.row.runId}/${name}`, () =>
    Promise.resolve(
      comparisonDocument({
        baseline: baseline.row,
        experiment: experiment.row,
        metrics: compareRuns(before.metrics, after.metrics),
      }),
    ),
  );
}
