/** Names a run that was launched without a label. */
import { oneLine } from '../../base/text.ts';
import { commandForm } from '../../experiments/commandForm.ts';
import type { RunState } from '../journal/state.ts';

const maxChars = 60;
/** Newest runs that a command is compared with. */
const maxCompared = 200;

/**
 * Returns the options in which a command differs from the earlier runs of the same program, such as
 * `lr=0.05 seed=1`; the command itself if there are none or nothing differs.
 */
export function runLabel(command: string, earlier: ReadonlyMap<unknown, RunState>): string {
  const own = optionsOf(command);
  const alike = [...earlier.values()]
    .slice(-maxCompared)
    .map(({ spec }) => optionsOf(spec.command))
    .filter((options) => options.get('command') === own.get('command'));
  const names = new Set([own, ...alike].flatMap((options) => [...options.keys()]));
  const differing = [...names]
    .filter((name) => alike.some((options) => options.get(name) !== own.get(name)))
    .map((name) => optionText(name, own.get(name)));
  return oneLine(differing.length === 0 ? command : differing.join(' '), maxChars);
}

function optionsOf(command: string): ReadonlyMap<string, string> {
  const { settings, seed } = commandForm(command);
  return seed === undefined ? settings : new Map([...settings, ['seed', seed]]);
}

function optionText(name: string, value: string | undefined): string {
  if (value === undefined) return `no ${name}`;
  return value === '' ? name : `${name}=${value}`;
}
