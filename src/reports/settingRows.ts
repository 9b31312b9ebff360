/** Rows of the table of results: settings, with the options and experiments that tell them apart. */
import { oneLine } from '../base/text.ts';
import { programsText, type CommandProgram } from '../experiments/commandForm.ts';
import { leadOf } from '../experiments/decisionsInForce.ts';
import type { Decisive, ExperimentRow, Ledger, LedgerRow } from '../experiments/ledger.ts';
import { resultGroups, summaryOfRepeats } from '../experiments/ledgerExperiments.ts';
import { settingForm, type Statistics } from '../experiments/seeds.ts';

export interface Setting extends Statistics {
  /** Names the experiment, such as `e5 shift augmentation`; omitted if all code is the same. */
  readonly experiment?: string;
  /** The same without a limit of its length. */
  readonly name?: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly runs: readonly LedgerRow[];
  /** True if the setting lacks repeats that the goal asks for. */
  readonly isIncomplete: boolean;
  /** The run that stands for the others: its experiment and decision are those of the setting. */
  readonly lead: LedgerRow;
}

/**
 * Returns the settings that have a value of the decisive metric: those with all repeats of the goal
 * before others, then kept ones before others, then the best mean first.
 */
export function settingsOf({ experiments }: Ledger, decisive: Decisive): readonly Setting[] {
  const sign = decisive.direction === 'lower' ? 1 : -1;
  const settings = resultGroups(experiments, decisive)
    .flatMap((group) => settingOf(group, decisive) ?? [])
    .toSorted(
      (a, b) =>
        Number(a.isIncomplete) - Number(b.isIncomplete) ||
        keepRank(a) - keepRank(b) ||
        sign * (a.mean - b.mean),
    );
  const bare = withoutOtherPrograms(settings);
  // Never hides the only difference between two settings of one experiment.
  return withExperiments(distinct(bare, experimentOf) ? bare : settings, experiments);
}

/** Returns 0 for a setting that was kept, otherwise 1. */
export const keepRank = ({ lead }: Pick<Setting, 'lead'>): number =>
  lead.decision?.decision === 'keep' ? 0 : 1;

function settingOf(group: readonly LedgerRow[], decisive: Decisive): Setting | undefined {
  const summary = summaryOfRepeats(group, decisive);
  if (summary === undefined) return undefined;
  const { runs, n, mean, spread, lack } = summary;
  const lead = leadOf(runs);
  if (lead === undefined) return undefined;
  return {
    settings: settingForm(lead).settings,
    mean,
    n,
    ...(spread !== undefined && { spread }),
    runs,
    isIncomplete: lack !== undefined,
    lead,
  };
}

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
  const all = settings.map(({ lead }) => settingForm(lead).programs);
  const isShared = ({ text }: CommandProgram): boolean =>
    all.every((programs) => programs.some((program) => program.text === text));
  const shared = programsText((all[0] ?? []).filter(isShared));
  if (shared === '') return settings;
  return settings.map((one) => ({
    ...one,
    settings: new Map([...one.settings, ['command', shared]]),
  }));
}

const experimentOf = ({ lead }: Setting): string => lead.experimentId ?? '';

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
    const whole = nameOf(id, rows.get(id));
    return { ...one, experiment: oneLine(whole, id.length + 1 + maxHypothesis), name: whole };
  });
}

function codeOf(row: ExperimentRow | undefined): string | undefined {
  if (row?.plan?.code.kind !== 'git') return undefined;
  return row.plan.sameCodeAs ?? row.plan.code.tree;
}

const maxHypothesis = 40;

/** Returns the id of the experiment with the first clause of its hypothesis. */
function nameOf(id: string, row: ExperimentRow | undefined): string {
  if (row?.plan === undefined) return id;
  const [clause = ''] = row.hypothesis.split(/[.;:](?:\s|$)/);
  return `${id} ${oneLine(clause, Infinity)}`.trim();
}
