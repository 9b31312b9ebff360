/** Commands that compare two runs, or two experiments with their repeats. */
import { commands, window, type Uri } from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { UserFacing } from '../../base/errors.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import type { ComparedPlans } from '../../compose/compareCode.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { Session } from '../../agent/contract/sessions.ts';
import type { ComparisonExtras } from '../../presentation/runs/comparison.ts';
import type { RunGroup } from '../../presentation/runs/runGroups.ts';
import { runNames, runTitle } from '../../presentation/runs/runText.ts';
import type { Handlers } from '../ui/commandRegistry.ts';
import { experimentOf, runIdOf, sessionIdOf } from '../ui/commandTarget.ts';
import { openRuns, runChoice, type Choice } from '../window/pick.ts';
import type { WindowDeps } from '../window/windowDeps.ts';

/** A run, or the runs of an experiment that repeat each other. */
interface Side {
  readonly session: Session;
  readonly rows: readonly LedgerRow[];
}

type Sides = readonly [baseline: Side, experiment: Side];

export const compareCommands = (deps: WindowDeps) =>
  ({
    'helios.compareRuns': (argument) => compareTwo(deps, argument),
    'helios.compareSelectedRuns': (argument, all) => compareSelected(deps, argument, all),
  }) satisfies Handlers;

async function compareTwo(deps: WindowDeps, argument: unknown): Promise<void> {
  await deps.host.get();
  const named = sideOf(deps, argument);
  const experiment = named ?? (await pickSide(deps, 'Select the first run or group', undefined));
  if (experiment === undefined) return;
  const title = `Select what to compare with ${nameOf(experiment)}`;
  const baseline = await pickSide(deps, title, experiment);
  if (baseline !== undefined) await openComparison(deps, [baseline, experiment]);
}

/** Compares the selected rows. The older one is the baseline, whichever was selected first. */
async function compareSelected(deps: WindowDeps, argument: unknown, all: unknown): Promise<void> {
  await deps.host.get();
  const selected = Array.isArray(all) ? (all as readonly unknown[]) : [argument];
  const [one, other, ...more] = selected.flatMap((each) => sideOf(deps, each) ?? []);
  if (one === undefined || other === undefined || more.length > 0)
    throw new UserFacing('Select two runs or experiments of a session that is open here.');
  const isInOrder = startOf(one) <= startOf(other);
  await openComparison(deps, isInOrder ? [one, other] : [other, one]);
}

const startOf = ({ rows }: Side): number => Math.min(...rows.map((row) => row.startedMs ?? 0));

const nameOf = ({ rows }: Side): string => runNames(rows.map(({ number }) => number));

/** Returns the run or the experiment of a tree row; `undefined` if it is not open here. */
function sideOf({ sessions }: WindowDeps, argument: unknown): Side | undefined {
  const runId = runIdOf(argument);
  const found = openRuns(sessions).find(({ row }) => row.runId === runId);
  if (found !== undefined) return { session: found.session, rows: [found.row] };
  const [id, experimentId] = [sessionIdOf(argument), experimentOf(argument)];
  const session = id && sessions.get(id);
  const row = session?.ledger.experiments.find((each) => each.id === experimentId);
  const rows = row?.result?.runs ?? row?.runs ?? [];
  return session === undefined || rows.length === 0 ? undefined : { session, rows };
}

async function pickSide(
  { sessions }: WindowDeps,
  title: string,
  other: Side | undefined,
): Promise<Side | undefined> {
  const { groupLabel, groupName, runGroups } = await import('../../presentation/runs/runGroups.ts');
  const isOther = ({ rows }: Side): boolean =>
    String(ids(rows)) !== String(other && ids(other.rows));
  const groups = sessions.all().flatMap((session) =>
    runGroups(session.ledger).flatMap((group): Choice<Side>[] => {
      if (group.rows.length < 2) return [];
      const name = groupName(group);
      const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      return [{ label, description: groupLabel(group), value: { session, rows: group.rows } }];
    }),
  );
  const runs = openRuns(sessions).map((run): Choice<Side> => ({
    ...runChoice(run),
    value: { session: run.session, rows: [run.row] },
  }));
  const choices = [...groups, ...runs].filter(({ value }) => isOther(value));
  if (choices.length === 0)
    throw new UserFacing(
      other === undefined
        ? 'There are no runs in this window.'
        : 'There is no other run to compare it with.',
    );
  return (await window.showQuickPick(choices, { title, matchOnDetail: true }))?.value;
}

const ids = (rows: readonly LedgerRow[]): string[] => rows.map(({ runId }) => runId);

const showCode = 'Show Code Changes';

async function openComparison(deps: WindowDeps, sides: Sides): Promise<void> {
  const runs = await Promise.all(sides.map(({ rows }) => liveRuns(deps, rows)));
  const plans = await plansOf(deps, sides);
  const { changedCodeText } = await import('../../compose/compareCode.ts');
  const files = plans && (await changedCodeText(plans));
  const extras = { ...(await extrasOf(deps, sides)), files };
  await (runs.every(({ length }) => length === 1)
    ? openRunComparison(deps, sides, { runs: runs.flat(), extras })
    : openGroupComparison(deps, sides, { runs, extras }));
  if (plans === undefined || files === undefined) return;
  const text = `The code of ${plans.baseline.id} and ${plans.experiment.id} differs: ${files}.`;
  const answer = await window.showInformationMessage(text, showCode);
  if (answer === showCode) await openCode(deps, plans);
}

async function liveRuns({ host }: WindowDeps, rows: readonly LedgerRow[]): Promise<readonly Run[]> {
  const { runs } = await host.get();
  return rows.map((row) => {
    const run = runs.get(row.runId);
    if (run !== undefined) return run;
    const name = runTitle(row.number);
    throw new UserFacing(`${name} is not available in this window yet. Try again in a moment.`);
  });
}

async function openRunComparison(
  deps: WindowDeps,
  [baseline, experiment]: Sides,
  { runs, extras }: { readonly runs: readonly Run[]; readonly extras: ComparisonExtras },
): Promise<void> {
  const [[before], [after], [one], [other]] = [baseline.rows, experiment.rows, runs, runs.slice(1)];
  if (before === undefined || after === undefined || one === undefined || other === undefined)
    return;
  const { compareRuns, comparisonDocument, comparisonTitle } =
    await import('../../presentation/runs/comparison.ts');
  const compared = { baseline: before, experiment: after };
  const repeats = [await groupOf(baseline), await groupOf(experiment)] as const;
  await deps.documents.open(
    `/comparison/${before.runId}/${after.runId}/${comparisonTitle(compared)}.md`,
    async () => {
      const metrics = await compareRuns(one.metrics, other.metrics);
      const names = metrics.flatMap(({ metric, atEnd }) => (atEnd === undefined ? [] : [metric]));
      const charts = await drawn(decisiveFirst(names, experiment), [[one], [other]]);
      return comparisonDocument({ ...compared, ...extras, metrics, repeats, charts });
    },
  );
}

async function openGroupComparison(
  deps: WindowDeps,
  sides: Sides,
  {
    runs,
    extras,
  }: { readonly runs: readonly (readonly Run[])[]; readonly extras: ComparisonExtras },
): Promise<void> {
  const { groupComparisonDocument, groupsTitle, metricsOf } =
    await import('../../presentation/runs/groupComparison.ts');
  const [baseline, experiment] = sides;
  const groups = [asGroup(baseline.rows), asGroup(experiment.rows)] as const;
  const { decisive } = experiment.session.ledger;
  const path = sides.map(({ rows }) => ids(rows).join('+')).join('/');
  await deps.documents.open(`/comparison/${path}/${groupsTitle(groups)}.md`, async () => {
    const names = metricsOf({ groups, decisive });
    const charts = await drawn(names.slice(0, maxCharts), runs);
    return groupComparisonDocument({ ...extras, groups, decisive, charts });
  });
}

const asGroup = (rows: readonly LedgerRow[]): RunGroup => ({ number: rows[0]?.number ?? 0, rows });

/** Resolves with the run and its repeats. */
async function groupOf({ session, rows }: Side): Promise<RunGroup> {
  const { runGroups } = await import('../../presentation/runs/runGroups.ts');
  const [row] = ids(rows);
  const found = runGroups(session.ledger).find((group) => ids(group.rows).includes(row ?? ''));
  return found ?? asGroup(rows);
}

const maxCharts = 3;

function decisiveFirst(names: readonly string[], { session }: Side): readonly string[] {
  const decisive = session.ledger.decisive?.metric;
  return names
    .toSorted((a, b) => Number(b === decisive) - Number(a === decisive))
    .slice(0, maxCharts);
}

/** Draws a line per side: the mean of its runs, in a band of one standard deviation. */
async function drawn(metrics: readonly string[], sides: readonly (readonly Run[])[]) {
  const { runChart } = await import('../../compose/runCharts.ts');
  return metrics.flatMap((metric) => {
    const lines = sides.flatMap((runs) => {
      const [series, ...repeats] = runs.map((run) => run.metrics.series(metric));
      const numbers = runs.map(({ spec }) => spec.number);
      const name = runNames(numbers);
      return series === undefined
        ? []
        : [{ number: numbers[0] ?? 1, name, isChampion: false, series, repeats }];
    });
    const svg = runChart({ metric, runs: lines });
    return svg === undefined ? [] : [{ metric, svg }];
  });
}

/** Returns the plan of the experiment of a side, if it has one. */
const planOf = ({ session, rows }: Side): ExperimentPlan | undefined =>
  session.state.experiments.get(rows[0]?.experimentId ?? '')?.plan;

async function plansOf({ host }: WindowDeps, sides: Sides): Promise<ComparedPlans | undefined> {
  const [baseline, experiment] = [planOf(sides[0]), planOf(sides[1])];
  if (baseline === undefined || experiment === undefined) return undefined;
  const { machines } = await host.get();
  return { baseline, experiment, machines, clock: systemClock };
}

async function extrasOf({ host }: WindowDeps, sides: Sides): Promise<ComparisonExtras> {
  const { home } = await host.get();
  const { environmentChanges } = await import('../../compose/environmentChanges.ts');
  const recorded = ({ session, rows }: Side) => ({ state: session.state, envId: rows[0]?.envId });
  const environment = await environmentChanges(home, [recorded(sides[0]), recorded(sides[1])]);
  return { code: [codeOf(sides[0]), codeOf(sides[1])], environment };
}

/** Returns the state of the code of a run: `9fceb02`; empty if it is not known. */
function codeOf(side: Side): string {
  const code = planOf(side)?.code;
  return code?.kind === 'git' ? code.tree.slice(0, 7) : '';
}

/** Shows the files that differ in VS Code's editor for changes. */
async function openCode({ documents }: WindowDeps, plans: ComparedPlans): Promise<void> {
  const { changedCode } = await import('../../compose/compareCode.ts');
  const { baseline, experiment } = plans;
  const title = `Code of ${baseline.id} ↔ ${experiment.id}`;
  const trees = [baseline, experiment].map(({ code }) => (code.kind === 'git' ? code.tree : ''));
  const files = await changedCode(plans);
  const resources = files.map(({ path, before, after }): [Uri, Uri, Uri] => {
    const old = documents.define(`/code/${trees[0]}/${path}`, before);
    const now = documents.define(`/code/${trees[1]}/${path}`, after);
    return [now, old, now];
  });
  await commands.executeCommand('vscode.changes', title, resources);
}
