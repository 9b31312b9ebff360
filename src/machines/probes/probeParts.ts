/**
 * Combines due probes into as few parts of one query as possible, and parses each probe's answer.
 */
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
import type { Probe, ProbedMachine } from './probe.ts';

interface ProbeTarget {
  readonly machine: ProbedMachine;
  readonly probe: Probe;
}

/** Parsed answer of a probe; `undefined` when the answer is incomplete. */
type Reading = { readonly value: unknown } | { readonly problem: string } | undefined;

export interface ProbePart<Entry> {
  readonly script: string;
  readonly entries: readonly Entry[];
  read(text: string, entry: Entry): Reading;
}

export const probeKey = (probe: Probe): string => JSON.stringify(probe);

/**
 * Combines due probes into the parts of one query. A file probe that timed out before (`isSlow`)
 * gets a part of its own.
 */
export function partsOf<Entry extends ProbeTarget>(
  entries: readonly Entry[],
  isSlow: (probe: Probe) => boolean,
): ProbePart<Entry>[] {
  const files = entries.filter(({ probe }) => probe.kind === 'file');
  const processes = entries.filter(
    ({ probe }) => probe.kind === 'process' || probe.kind === 'pattern',
  );
  const others = entries.filter((entry) => !files.includes(entry) && !processes.includes(entry));
  const quick = files.filter(({ probe }) => !isSlow(probe));
  return [
    ...(quick.length > 0 ? [filesPart(quick)] : []),
    ...groups(files.filter(({ probe }) => isSlow(probe))).map(filesPart),
    ...(processes.length > 0 ? [processesPart(processes)] : []),
    ...groups(others).map(otherPart),
  ];
}

/** Groups entries with the same probe. */
export function groups<Entry extends ProbeTarget>(entries: readonly Entry[]): Entry[][] {
  const byKey = new Map<string, Entry[]>();
  for (const entry of entries) {
    const key =
      probeKey(entry.probe) + (entry.probe.kind === 'command' ? entry.machine.workFolder : '');
    byKey.set(key, [...(byKey.get(key) ?? []), entry]);
  }
  return [...byKey.values()];
}

const pathOf = (probe: Probe): string => (probe.kind === 'file' ? probe.path : '');

const filesPart = <Entry extends ProbeTarget>(entries: readonly Entry[]): ProbePart<Entry> => ({
  entries,
  script: filesScript([...new Set(entries.map(({ probe }) => pathOf(probe)))]),
  read(text, { probe }) {
    const files = parseFiles(text);
    return files && { value: files.find(({ path }) => path === pathOf(probe)) };
  },
});

function processesPart<Entry extends ProbeTarget>(entries: readonly Entry[]): ProbePart<Entry> {
  const probes = entries.map(({ probe }) => probe);
  const pids = probes.flatMap((probe) => (probe.kind === 'process' ? probe.pid : []));
  const patterns = [
    ...new Set(probes.flatMap((probe) => (probe.kind === 'pattern' ? probe.pattern : []))),
  ];
  return {
    entries,
    script: processesScript([...new Set(pids)], patterns),
    read(text, { probe }) {
      const parsed = parseProcesses(text);
      if (parsed === undefined) return undefined;
      if (probe.kind === 'process') return { value: parsed.alive.get(probe.pid) };
      const found =
        probe.kind === 'pattern' ? parsed.matches[patterns.indexOf(probe.pattern)] : undefined;
      return found === undefined
        ? { problem: 'the pattern is not an extended regular expression' }
        : { value: found };
    },
  };
}

function otherPart<Entry extends ProbeTarget>(entries: readonly Entry[]): ProbePart<Entry> {
  const [first] = entries;
  const probe = first?.probe;
  if (probe?.kind === 'command')
    return {
      entries,
      script: watchedCommandScript(probe.command, first?.machine.workFolder ?? '/'),
      read: (text) => wholeOf(parseCommand(text)),
    };
  return {
    entries,
    script: probe?.kind === 'eventFiles' ? eventFilesScript(probe.folder) : ':',
    read: (text) => ({ value: parseEventFiles(text) }),
  };
}

const wholeOf = (value: unknown): Reading => (value === undefined ? undefined : { value });
