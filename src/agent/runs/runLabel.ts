/** Names runs by the options in which they differ from other runs of the same program. */
import { oneLine } from '../../base/text.ts';
import { commandForm } from '../../experiments/commandForm.ts';
import type { SessionState } from '../journal/state.ts';

const maxChars = 60;
/** Maximum number of earlier commands that a command is compared with: the newest ones. */
const maxCompared = 200;

type Options = ReadonlyMap<string, string>;

/** Returns the commands of the runs of a session, oldest first. */
export const commandsOf = ({ runs }: SessionState): string[] =>
  [...runs.values()].map(({ spec }) => spec.command);

/**
 * Returns the label of a run that was launched without one, such as `lr=0.05 seed=1`: the options
 * that differ from the earlier commands, first those that differ from the last one. Returns the
 * command itself if nothing differs.
 */
export function runLabel(command: string, earlier: readonly string[]): string {
  const texts = optionTexts(newestFirst(differing(command, earlier), earlier));
  return texts.length === 0 ? oneLine(command, maxChars) : fitting(texts);
}

/**
 * Returns the label with the experiment, such as `lr=0.1 (e2)`, if a run of another experiment has
 * the same label.
 */
export function distinctLabel(
  label: string,
  experimentId: string | undefined,
  { runs }: Pick<SessionState, 'runs'>,
): string {
  const short = oneLine(label, maxChars);
  const isTaken = [...runs.values()].some(
    ({ spec }) => spec.label === short && spec.experimentId !== experimentId,
  );
  if (!isTaken || experimentId === undefined) return short;
  const suffix = ` (${experimentId})`;
  return `${oneLine(short, maxChars - suffix.length)}${suffix}`;
}

/** Sorts the options: those that differ from the last earlier command come first. */
function newestFirst(options: Options, earlier: readonly string[]): Options {
  const last = optionsOf(earlier.at(-1) ?? '');
  const isOld = ([name, value]: [string, string]): number => Number(last.get(name) === value);
  return new Map([...options].toSorted((a, b) => isOld(a) - isOld(b)));
}

/** Joins as many texts as fit. Ends with an ellipsis if some do not fit. */
function fitting(texts: readonly string[]): string {
  const whole = texts.join(' ');
  if (whole.length <= maxChars) return whole;
  const shown = texts.findIndex(
    (_, index) => texts.slice(0, index + 1).join(' ').length > maxChars - 2,
  );
  return shown <= 0 ? oneLine(whole, maxChars) : `${texts.slice(0, shown).join(' ')} …`;
}

/**
 * Returns the options of the command that other commands of the same program do not have, or have
 * with other values.
 */
function differing(command: string, others: readonly string[]): Options {
  const own = optionsOf(command);
  const alike = others
    .slice(-maxCompared)
    .map(optionsOf)
    .filter((options) => options.get('command') === own.get('command'));
  const names = new Set([own, ...alike].flatMap((options) => [...options.keys()]));
  const found = [...names].filter((name) =>
    alike.some((options) => options.get(name) !== own.get(name)),
  );
  return new Map(found.flatMap((name) => namedValue(name, own.get(name))));
}

/** Returns the option as a name and a value; empty if only other commands have the option. */
const namedValue = (name: string, value: string | undefined): [string, string][] =>
  value === undefined ? [] : [[name, value]];

function optionsOf(command: string): Options {
  const { settings, seed } = commandForm(command);
  return seed === undefined ? settings : new Map([...settings, ['seed', seed]]);
}

const optionTexts = (options: Options): string[] =>
  [...options].map(([name, value]) => (value === '' ? name : `${name}=${value}`));
