/** Rows of the table of results: settings, with the options and experiments that tell them apart. */
import { oneLine } from '../base/text.ts';
import { commandForm, programsText, type CommandProgram } from '../experiments/commandForm.ts';
import type { Decisive, ExperimentRow, Ledger, LedgerRow } from '../experiments/ledger.ts';
import { measuredValue, resultGroups, summaryOfRepeats } from '../experiments/ledgerExperiments.ts';

export interface Setting {
  /** Names the experiment, such as `e5 shift augmentation`; omitted if all code is the same. */
  readonly experiment?: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly values: readonly number[];
  readonly runs: readonly LedgerRow[];
}

/** Returns the settings that have a value of the decisive metric, best first. */
export function settingsOf({ experiments }: Ledger, decisive: Decisive): readonly Setting[] {
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const settings = resultGroups(experiments, decisive)
    .flatMap((group) => summaryOfRepeats(group, decisive) ?? [])
    .map(({ runs, n }) => ({
      settings: commandForm(runs[0]?.command ?? '').settings,
      // Repeats whose seeds change nothing have one value.
      values: runs.flatMap((run) => measuredValue(run, decisive) ?? []).slice(0, n),
      runs,
    }))
    .toSorted((a, b) => sign * (mean(a.values) - mean(b.values)));
  const bare = withoutOtherPrograms(settings);
  // Never hides the only difference between two settings of one experiment.
  return withExperiments(distinct(bare, experimentOf) ? bare : settings, experiments);
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the names of options whose values differ, in the order in which they appear. */
export function differing(settings: readonly Setting[]): readonly string[] {
  const names = [...new Set(settings.flatMap((one) => [...one.settings.keys()]))];
  return names.filter((name) => new Set(settings.map((one) => one.settings.get(name))).size > 1);
}

/**
 * Leaves only those programs in `command` that all settings run, if there are any: a check before
 * the training is no option of the training.
 */
function withoutOtherPrograms(settings: readonly Setting[]): readonly Setting[] {
  const all = settings.map(({ runs }) => commandForm(runs[0]?.command ?? '').programs);
  const isShared = ({ text }: CommandProgram): boolean =>
    all.every((programs) => programs.some((program) => program.text === text));
  const shared = programsText((all[0] ?? []).filter(isShared));
  if (shared === '') return settings;
  return settings.map((one) => ({
    ...one,
    settings: new Map([...one.settings, ['command', shared]]),
  }));
}

const experimentOf = ({ runs: [run] }: Setting): string => run?.experimentId ?? '';

/** Returns whether options and `more` together tell each setting from all others. */
const distinct = (
  settings: readonly Setting[],
  more: (setting: Setting) => string = () => '',
): boolean =>
  new Set(settings.map((one) => JSON.stringify([more(one), ...[...one.settings].toSorted()])))
    .size === settings.length;

/** Names the experiments if their code differs, or if options do not tell the settings apart. */
function withExperiments(
  settings: readonly Setting[],
  experiments: readonly ExperimentRow[],
): readonly Setting[] {
  const rows = new Map(experiments.map((row) => [row.id, row]));
  const codes = settings.flatMap((one) => codeOf(rows.get(experimentOf(one))) ?? []);
  if (new Set(codes).size < 2 && distinct(settings)) return settings;
  return settings.map((one) => {
    const id = experimentOf(one);
    return { ...one, experiment: nameOf(id, rows.get(id)) };
  });
}

function codeOf(row: ExperimentRow | undefined): string | undefined {
  if (row?.plan?.code.kind !== 'git') return undefined;
  return row.plan.sameCodeAs ?? row.plan.code.tree;
}

const maxHypothesis = 40;

/** Returns the id of the experiment with the first words of its hypothesis. */
function nameOf(id: string, row: ExperimentRow | undefined): string {
  if (row?.plan === undefined) return id;
  const [clause = ''] = row.hypothesis.split(/[.;:](?:\s|$)/);
  return `${id} ${oneLine(clause, maxHypothesis)}`.trim();
}
