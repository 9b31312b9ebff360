/** Formats what a session did as plain text in sections. */
import type {
  Action,
  ActionCommand,
  ActionPath,
  SessionActions,
} from '../../agent/journal/actions.ts';
import { contactText } from '../../machines/confinement/hostContacts.ts';
import { markHidden } from '../../base/hiddenCharacters.ts';
import { exactTime } from '../../base/localTime.ts';
import { counted, formatDuration } from '../../base/text.ts';

export interface ActionsText {
  readonly text: string;
  /** The lines of the text that contain the path of a file on this computer. */
  readonly files: readonly { readonly line: number; readonly path: string }[];
}

interface Entry {
  readonly lines: readonly string[];
  /** File of this computer that is named in the first line of the entry. */
  readonly file?: string;
}

/** Maximum number of entries in a section. If there are more, the oldest are only counted. */
const maxEntries = 2_000;
const maxCommandChars = 2_000;

export function actionsText({ goal, startedMs, actions }: SessionActions): ActionsText {
  const done = actions.filter(({ isStarted }) => isStarted);
  const lines = [shown(goal, 500), `Started ${exactTime(startedMs)}`];
  const files: { line: number; path: string }[] = [];
  const section = <T>(title: string, items: readonly T[], entryOf: (item: T) => Entry): void => {
    lines.push('', `${title} (${items.length})`);
    if (items.length === 0) lines.push('  None.');
    if (items.length > maxEntries)
      lines.push(
        `  ${counted(items.length - maxEntries, 'earlier entry', 'earlier entries')}: see helios actions --json.`,
      );
    for (const { lines: own, file } of items.slice(-maxEntries).map(entryOf)) {
      if (file !== undefined) files.push({ line: lines.length, path: file });
      lines.push(...own);
    }
  };
  section('Commands', done.flatMap(partsOf(({ commands }) => commands)), commandEntry);
  section('Files', writtenFiles(done), fileEntry);
  section('Hosts', done.flatMap(partsOf(hostsOf)), hostEntry);
  section(
    'Refused',
    actions.filter(({ decision }) => decision?.isAllowed === false),
    refusedEntry,
  );
  return { text: `${lines.join('\n')}\n`, files };
}

type PartOf<T> = readonly [action: Action, part: T];

const partsOf =
  <T>(parts: (action: Action) => readonly T[]) =>
  (action: Action): readonly PartOf<T>[] =>
    parts(action).map((part) => [action, part]);

function commandEntry([action, command]: PartOf<ActionCommand>): Entry {
  const { machineId, folder, run } = command;
  const name = run === undefined ? undefined : `run ${run}`;
  const when = head({ ...action, atMs: command.startedMs ?? action.atMs });
  const facts = line(when, machineId, folder, name, endText(command), decisionText(action));
  return { lines: [facts, ...textLines(command.command)] };
}

/** Returns how a command ended and, for a run, after how long. */
const endText = ({ end, startedMs, endedMs }: ActionCommand): string | undefined =>
  end === undefined || startedMs === undefined || endedMs === undefined
    ? end
    : `${end} after ${formatDuration(endedMs - startedMs)}`;

interface Host {
  readonly text: string;
  /**
   * True for a host that a confined command asked for, where the confinement allowed or refused the
   * connection.
   */
  readonly isContact: boolean;
}

const hostsOf = ({ hosts, contacts = [], isNetwork, title, tool }: Action): readonly Host[] => [
  ...(hosts.length === 0 && isNetwork ? [title ?? tool] : hosts).map((text) => ({
    text,
    isContact: false,
  })),
  ...contacts.map((contact) => ({ text: contactText(contact), isContact: true })),
];

const hostEntry = ([action, { text, isContact }]: PartOf<Host>): Entry => ({
  lines: [
    line(head(action), isContact ? 'asked for by a confined command' : decisionText(action)),
    ...textLines(text),
  ],
});

function refusedEntry(action: Action): Entry {
  const { commands, writes, hosts, tool } = action;
  const whats = [
    ...commands.map(({ machineId, command }) => `${machineId}: ${command}`),
    ...writes.map(pathText),
    ...hosts,
  ];
  const facts = line(head(action), tool, decisionText(action));
  return { lines: [facts, ...whats.flatMap(textLines)] };
}

interface WrittenFile {
  readonly path: ActionPath;
  readonly last: Action;
  readonly count: number;
}

/**
 * Returns each file once, in the order in which the session first wrote them. A command that failed
 * may have changed files; another call that failed has not.
 */
function writtenFiles(actions: readonly Action[]): readonly WrittenFile[] {
  const files = new Map<string, WrittenFile>();
  for (const last of actions) {
    for (const path of last.writes) {
      if (last.isError === true && path.foundMs === undefined) continue;
      const key = JSON.stringify([path.machineId, path.path]);
      files.set(key, { path, last, count: (files.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...files.values()];
}

function fileEntry({ path, last, count }: WrittenFile): Entry {
  const { machineId, foundMs } = path;
  const found =
    foundMs === undefined ? undefined : `changed while this ran, until ${exactTime(foundMs)}`;
  const commands = foundMs === undefined ? [] : last.commands.map(({ command }) => command);
  const calls = counted(count, 'call');
  return {
    lines: [
      line(pathText(path), calls, `last ${head(last)}`, found, decisionText(last)),
      ...commands.flatMap(textLines),
    ],
    ...(machineId === 'local' && { file: path.path }),
  };
}

const pathText = ({ machineId, path }: ActionPath): string =>
  machineId === 'local' ? path : `${machineId}:${path}`;

const head = ({ atMs, turn }: Pick<Action, 'atMs' | 'turn'>): string =>
  `${exactTime(atMs)} · turn ${turn}`;

function decisionText({ decision }: Action): string {
  if (decision === undefined) return 'by you';
  const { isAllowed, by, why } = decision;
  const verb = isAllowed ? 'allowed' : 'refused';
  // The reason of the mode names the mode.
  return by === 'mode' ? `${verb}: ${why}` : `${verb} by ${deciders[by] ?? by}: ${why}`;
}

const deciders: Readonly<Partial<Record<string, string>>> = {
  person: 'you',
  rule: 'a rule',
  mandate: 'the mandate',
};

/**
 * Joins facts to one line. Characters that a reader may not see are replaced by their code points.
 */
const line = (...facts: readonly (string | undefined)[]): string =>
  `  ${facts
    .filter((fact) => fact !== undefined && fact !== '')
    .map((fact) => shown(fact ?? '', 600))
    .join(' · ')}`;

/** Returns the lines of a text, indented, so that no line looks like an entry. */
const textLines = (text: string): readonly string[] =>
  markHidden(capped(text, maxCommandChars))
    .split('\n')
    .map((each) => `      ${each}`);

const shown = (text: string, maxChars: number): string =>
  markHidden(capped(text.replaceAll('\n', ' '), maxChars));

const capped = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars)}…`;
