/** The ledger of a shared page: a row per experiment. */
import { counted, formatDuration } from '../../base/text.ts';
import {
  experimentStatus,
  resultNumber,
  type ExperimentRow,
  type Ledger,
} from '../../experiments/ledger.ts';
import { seedOf, settingForm } from '../../experiments/seeds.ts';
import { runNames } from '../../runs/run.ts';
import { fitted } from './fitting.ts';
import { joined, nothing, section, short, table, tag, type Content, type Html } from './html.ts';
import { decisionClass } from './marks.ts';

/** Maximum number of columns for options, so that the table stays readable. */
const maxOptions = 4;

export function ledgerPart(ledger: Ledger, maxBytes: number): Html {
  const { experiments, decisive } = ledger;
  if (experiments.length === 0)
    return section('ledger', 'Ledger', tag('p', {}, 'No experiment was started.'));
  const options = optionsOf(experiments);
  const { rows, omitted } = fitted(
    experiments.map((row) => ({
      html: ledgerRow(row, options),
      isImportant: row.isChampion || row.decision?.decision === 'keep',
    })),
    maxBytes,
  );
  const result = decisive?.metric ?? 'Result';
  const heads = [
    'Experiment',
    short(result, 40),
    'Decision',
    ...options.map((name) => short(name.replace(/^-+/, ''), 30)),
  ];
  const isNumber = heads.map((_, index) => index === 1 || index > 2);
  const rest = ['Hypothesis', 'Why', 'Runs', 'Time'];
  return section(
    'ledger',
    'Ledger',
    table('Ledger', [...heads, ...rest], rows, [...isNumber, false, false, false, true]),
    omittedText(omitted, 'experiment'),
  );
}

export const omittedText = (omitted: number, noun: string): Html =>
  omitted === 0
    ? nothing
    : tag(
        'p',
        { class: 'muted' },
        `${counted(omitted, noun)} left out, so that this file stays small.`,
      );

/** Returns the options whose values differ between experiments, in the order of the commands. */
function optionsOf(experiments: readonly ExperimentRow[]): readonly string[] {
  const values = new Map<string, Set<string>>();
  const launched = experiments.filter(({ runs }) => runs.length > 0);
  for (const row of launched) for (const [name] of settingsOf(row)) values.set(name, new Set());
  for (const row of launched) for (const [name, all] of values) all.add(valueOf(row, name));
  const differing = [...values].filter(([, all]) => all.size > 1).map(([name]) => name);
  return differing.slice(0, maxOptions);
}

/** Returns name and value of each option of the experiment's commands. */
const settingsOf = ({ runs }: ExperimentRow): (readonly [string, string])[] =>
  runs.flatMap((run) => [...settingForm(run).settings].filter(([name]) => name !== 'command'));

const maxValues = 3;

function valueOf(row: ExperimentRow, option: string): string {
  const values = new Set(
    settingsOf(row).flatMap(([name, value]) => (name === option ? [value] : [])),
  );
  return values.size > maxValues ? `${values.size} values` : [...values].join(', ');
}

function ledgerRow(row: ExperimentRow, options: readonly string[]): Html {
  const { id, hypothesis, command, decision, result, runs, runMs } = row;
  const status = experimentStatus(row);
  const decided = decision === undefined && row.verdicts !== '' ? row.verdicts : status;
  const number = (content: Content): Html => tag('td', { class: 'number' }, content);
  const seeds = new Set(runs.flatMap((run) => seedOf(run) ?? [])).size;
  const cells = [
    tag(
      'th',
      { scope: 'row', id: placeOf(id) },
      short(id, 40),
      row.isChampion ? champion : nothing,
    ),
    number(result === undefined ? '' : short(resultNumber(result), 40)),
    tag('td', { class: decisionClass(row) }, short(decided, 80)),
    ...options.map((name) => number(short(valueOf(row, name), 60))),
    tag('td', { class: 'words' }, short(hypothesis === '' ? command : hypothesis, 240)),
    tag('td', { class: 'words' }, short(decision?.why ?? '', 200)),
    tag(
      'td',
      {},
      runs.length === 0 ? 'none' : runNames(runs.map((run) => run.number)),
      seeds > 1 ? ` (${counted(seeds, 'seed')})` : '',
    ),
    number(runMs > 0 ? formatDuration(runMs) : ''),
  ];
  return tag('tr', { class: row.isChampion ? 'champion' : undefined }, joined(cells));
}

/** Returns the anchor of the row of an experiment, for links from other parts of the page. */
export const placeOf = (id: string): string => `ledger-${id.replace(/[^\w-]/g, '-')}`;

const champion = tag(
  'span',
  { class: 'star' },
  ' ★',
  tag('span', { class: 'spoken' }, ' champion'),
);
