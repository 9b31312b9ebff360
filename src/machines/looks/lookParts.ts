/** Looks that are due → the fragments of one query, as few as can be, and how each look reads its answer there. */
import {
  eventFilesScript,
  filesScript,
  parseCommand,
  parseEventFiles,
  parseFiles,
  parseProcesses,
  processesScript,
  watchedCommandScript,
} from './fragments.ts';
import type { Look, LookMachine } from './look.ts';

interface Lookable {
  readonly machine: LookMachine;
  readonly look: Look;
}

/** `undefined`: the text is not whole. */
type Reading = { readonly value: unknown } | { readonly problem: string } | undefined;

export interface LookPart<Entry> {
  readonly script: string;
  readonly entries: readonly Entry[];
  read(text: string, entry: Entry): Reading;
}

export const lookKey = (look: Look): string => JSON.stringify(look);

/** `isSlow`: it hung, and is asked by itself. */
export function partsOf<Entry extends Lookable>(
  entries: readonly Entry[],
  isSlow: (look: Look) => boolean,
): LookPart<Entry>[] {
  const files = entries.filter(({ look }) => look.kind === 'file');
  const processes = entries.filter(({ look }) => look.kind === 'process' || look.kind === 'pattern');
  const others = entries.filter((entry) => !files.includes(entry) && !processes.includes(entry));
  const quick = files.filter(({ look }) => !isSlow(look));
  return [
    ...(quick.length > 0 ? [filesPart(quick)] : []),
    ...groups(files.filter(({ look }) => isSlow(look))).map(filesPart),
    ...(processes.length > 0 ? [processesPart(processes)] : []),
    ...groups(others).map(otherPart),
  ];
}

/** Those that look at the same. */
export function groups<Entry extends Lookable>(entries: readonly Entry[]): Entry[][] {
  const byKey = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key = lookKey(entry.look) + (entry.look.kind === 'command' ? entry.machine.workFolder : '');
    byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  return [...byKey.values()];
}

const pathOf = (look: Look): string => (look.kind === 'file' ? look.path : '');

const filesPart = <Entry extends Lookable>(entries: readonly Entry[]): LookPart<Entry> => ({
  entries,
  script: filesScript([...new Set(entries.map(({ look }) => pathOf(look)))]),
  read(text, { look }) {
    const files = parseFiles(text);
    return files && { value: files.find(({ path }) => path === pathOf(look)) };
  },
});

function processesPart<Entry extends Lookable>(entries: readonly Entry[]): LookPart<Entry> {
  const looks = entries.map(({ look }) => look);
  const pids = looks.flatMap((look) => (look.kind === 'process' ? look.pid : []));
  const patterns = [...new Set(looks.flatMap((look) => (look.kind === 'pattern' ? look.pattern : [])))];
  return {
    entries,
    script: processesScript([...new Set(pids)], patterns),
    read(text, { look }) {
      const parsed = parseProcesses(text);
      if (parsed === undefined) return undefined;
      if (look.kind === 'process') return { value: parsed.alive.get(look.pid) };
      const found = look.kind === 'pattern' ? parsed.matches[patterns.indexOf(look.pattern)] : undefined;
      return found === undefined ? { problem: 'the pattern is no extended regular expression' } : { value: found };
    },
  };
}

function otherPart<Entry extends Lookable>(entries: readonly Entry[]): LookPart<Entry> {
  const [first] = entries;
  const look = first?.look;
  if (look?.kind === 'command')
    return {
      entries,
      script: watchedCommandScript(look.command, first?.machine.workFolder ?? '/'),
      read: (text) => wholeOf(parseCommand(text)),
    };
  return {
    entries,
    script: look?.kind === 'eventFiles' ? eventFilesScript(look.folder) : ':',
    read: (text) => ({ value: parseEventFiles(text) }),
  };
}

const wholeOf = (value: unknown): Reading => (value === undefined ? undefined : { value });
