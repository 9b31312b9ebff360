/** The options by which the commands of runs differ, as columns of a table. */
import type { LedgerRow } from '../../experiments/ledger.ts';
import { settingForm } from '../../experiments/seeds.ts';

type Launched = Pick<LedgerRow, 'command' | 'setting'>;

export interface SettingColumns {
  /** Names of the options whose values differ, in the order in which the commands name them. */
  readonly names: readonly string[];
  /**
   * Values per group of runs, in the order of `names`: empty where no command of the group names
   * the option, and `0.1, 0.3` where its commands differ.
   */
  readonly values: readonly (readonly string[])[];
}

const maxValues = 3;

/**
 * Compares the options and assignments of the commands of groups of runs, such as experiments. A
 * group without runs has no values and makes no column. Seeds, output folders and names of runs are
 * left out, and so is the program.
 */
export function settingColumns(groups: readonly (readonly Launched[])[]): SettingColumns {
  const settings = groups.map(optionsOf);
  const named = [...new Set(settings.flatMap((options) => [...options.keys()]))];
  const launched = settings.filter((_, index) => (groups[index]?.length ?? 0) > 0);
  const names = named.filter(
    (name) => new Set(launched.map((options) => valueText(options.get(name)))).size > 1,
  );
  const values = settings.map((options) => names.map((name) => valueText(options.get(name))));
  return { names, values };
}

/**
 * Returns the options and assignments of the command by name, without seeds and others that make no
 * other setting.
 */
export const parametersOf = (run: Launched): ReadonlyMap<string, string> =>
  new Map([...settingForm(run).settings].filter(([name]) => name !== 'command'));

function optionsOf(runs: readonly Launched[]): ReadonlyMap<string, ReadonlySet<string>> {
  const options = new Map<string, Set<string>>();
  for (const run of runs)
    for (const [name, value] of parametersOf(run))
      options.set(name, (options.get(name) ?? new Set()).add(value));
  return options;
}

function valueText(values: ReadonlySet<string> = new Set()): string {
  const all = [...values];
  return all.length > maxValues ? `${all.length} values` : all.join(', ');
}
