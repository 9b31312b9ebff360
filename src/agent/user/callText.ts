/** Texts that show a tool call to the user completely. */
import { markHidden } from '../../base/hiddenCharacters.ts';
import { commandNotes, linkNote, type Access } from '../../permissions/access.ts';
import { pathUse } from '../../permissions/pathRule.ts';
import { pathNote, usualPaths, type PathRules } from '../../permissions/pathRules.ts';

export interface ShownCall {
  /** The arguments with which the tool runs. */
  readonly args: unknown;
  readonly accesses: readonly Access[];
  /** Descriptions of the repairs that Helios made to a malformed call. */
  readonly repairs: readonly string[];
  /** The rules on paths. Default: those for the usual home folder of Helios. */
  readonly paths?: PathRules;
}

/**
 * Names of the arguments that are shown first (`first`) and last (`last`), each list in this order.
 */
const first = [
  ...['command', 'command_template', 'path', 'local_path', 'remote_path', 'url'],
  ...['machine_id', 'source_machine_id', 'machines'],
  ...['cwd', 'repo_path', 'venv_path', 'python'],
];
const last = ['params', 'random', 'points', 'old_string', 'new_string', 'content'];

/**
 * Returns everything that a call does: notes about repairs, links and paths, commands, changes, the
 * arguments, and the files and hosts that the arguments do not name. Each item begins on a line of
 * its own; further lines of a value are indented, so that no value looks like another argument.
 */
export function callText({ args, accesses, repairs, paths = usualPaths }: ShownCall): string {
  const use = pathUse(accesses, paths);
  const unnamed = accesses.filter((access) => !names(args, access));
  return [
    lineText(linkNote(accesses)),
    lineText(commandNotes(accesses)),
    use === undefined ? '' : lineText(`${pathNote(use)}.`),
    repairNote(repairs),
    ...unnamed.filter((each) => each.kind === 'command' && each.note === undefined).map(accessText),
    ...accesses.map(changeText),
    argumentText(args),
    ...unnamed.filter(({ kind }) => kind !== 'command').map(accessText),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

/**
 * Returns the arguments of a call in a fixed order, which does not depend on the model. Invisible
 * characters are replaced by their code points.
 */
export function argumentText(args: unknown): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return valueText(args);
  const given = Object.entries(args)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => rank(a) - rank(b));
  const labels = given.map(([name]) => argumentLabel(name));
  return given
    .map(([name, value], index) => {
      const label = labels[index] ?? '';
      // No two arguments may look like one.
      const isClear = labels.indexOf(label) === labels.lastIndexOf(label);
      return labelled(isClear ? label : nameText(name), valueText(value));
    })
    .join('\n');
}

function rank(name: string): number {
  const index = first.indexOf(name);
  return index >= 0 ? index - first.length : last.indexOf(name) + 1;
}

const repairNote = (repairs: readonly string[]): string =>
  repairs.length === 0
    ? ''
    : `The model wrote this call incorrectly (${lineText(repairs.join(', '))}). It was read as:`;

/** Returns true if an argument is the command, the path or the host of the access. */
function names(args: unknown, access: Access): boolean {
  const values = Object.values(args ?? {});
  switch (access.kind) {
    case 'command':
      return values.includes(access.command);
    case 'host':
      return values.some((value) => URL.parse(String(value))?.host === access.host);
    default:
      return values.includes(access.path);
  }
}

const changeText = (access: Access): string =>
  access.kind === 'write' && access.change !== undefined
    ? labelled('changes', markHidden(access.change))
    : '';

const accessVerbs = { command: 'runs', read: 'reads', write: 'writes' } as const;

const accessText = (access: Access): string =>
  access.kind === 'host'
    ? labelled('connects to', valueText(access.host))
    : labelled(
        `${accessVerbs[access.kind]} on ${lineText(access.machineId)}`,
        valueText(access.kind === 'command' ? access.command : access.path),
      );

const labelled = (label: string, text: string): string =>
  text.includes('\n') ? `${label}:\n${text.replace(/^/gm, '    ')}` : `${label}: ${text}`;

/** Names of arguments whose words would not tell a user what they mean. */
const words: ReadonlyMap<string, string> = new Map([
  ['command_template', 'command'],
  ['cwd', 'folder'],
  ['metric_names', 'metrics'],
  ['new_string', 'new text'],
  ['old_string', 'old text'],
  ['params', 'parameters'],
  ['repo_path', 'repository'],
  ['source_machine_id', 'from machine'],
  ['url', 'address'],
  ['venv_path', 'virtual environment'],
]);

/** Returns the name of an argument in words: `machine_id` is `machine`. */
export const argumentLabel = (name: string): string =>
  /^\w+$/.test(name)
    ? (words.get(name) ?? name.replace(/_ids?$/, '').replaceAll('_', ' '))
    : nameText(name);

const nameText = (name: string): string =>
  /^\w+$/.test(name) ? name : markHidden(JSON.stringify(name));

/**
 * Returns a text unchanged, but in quotes if blanks at its start or end could not be seen. Returns
 * any other value as JSON.
 */
function valueText(value: unknown): string {
  if (typeof value !== 'string') return markHidden(JSON.stringify(value, sorted));
  const isSeen = value.includes('\n') || (value !== '' && value === value.trim());
  return markHidden(isSeen ? value : `"${value}"`);
}

const lineText = (text: string): string => markHidden(text).replaceAll('\n', '⟨U+000A⟩');

/** Sorts the names of nested objects. For `JSON.stringify`. */
const sorted = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
