/** Builds the POSIX sh fragments of probes, and parses their output. */
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import type { CommandState, FileState, MatchingProcess, ProcessState } from './probe.ts';

/**
 * Returns shell lines that print the output of `command`, which runs `stat`: with the options of
 * GNU `stat` or, if that prints nothing, of BSD `stat`.
 */
const statLines = (command: (flags: string) => string): string =>
  [
    `o=$(${command("-c '%s %Y %i|%y|%n'")})`,
    `[ -n "$o" ] || o=$(${command("-f '%z %m %i|%Fm|%N'")})`,
    `printf '%s\\n' "$o"`,
  ].join('\n');

/**
 * Returns a script that prints the states of files. The files include `/`, so that output without
 * `/` means that the machine has no supported `stat`.
 */
export const filesScript = (paths: readonly string[]): string =>
  statLines((flags) => `stat -L ${flags} / ${paths.map(shellQuote).join(' ')}`);

/**
 * Parses the states of files; `undefined` when the machine has no supported `stat`. Missing files
 * are omitted.
 */
export function parseFiles(text: string): readonly FileState[] | undefined {
  const files = text.split('\n').flatMap(parseFile);
  return files.some(({ path }) => path === '/') ? files : undefined;
}

function parseFile(line: string): FileState[] {
  const [, size, seconds, inode, exact, path] =
    /^(\d+) (-?\d+) (\d+)\|([^|]*)\|(.*)$/.exec(line) ?? [];
  if (inode === undefined || path === undefined) return [];
  const fraction = Number(`0${/\.\d+/.exec(exact ?? '')?.[0] ?? ''}`);
  return [
    { path, sizeBytes: Number(size), modifiedMs: (Number(seconds) + fraction) * 1000, inode },
  ];
}

const maxEventFiles = 200;

export const eventFilesScript = (folder: string): string =>
  [
    `[ -d ${shellQuote(folder)} ] || exit 0`,
    'echo folder',
    statLines(
      (flags) =>
        `find -L ${shellQuote(folder)} -type f -name '*tfevents*' -exec stat -L ${flags} {} + | sort -t '|' -k 2 | tail -n ${maxEventFiles}`,
    ),
  ].join('\n');

export function parseEventFiles(text: string): readonly FileState[] | undefined {
  const [first, ...lines] = text.split('\n');
  return first === 'folder' ? lines.flatMap(parseFile) : undefined;
}

/** Text that only the command lines of Helios's own query shells contain. */
const loopMark = 'IFS= read -r m; while IFS= read -r l';

const listProcesses = `loop=${shellQuote(loopMark)}\n${shellText('./listProcesses.sh', import.meta.url)}`;
const stateScript = shellText('./processStates.sh', import.meta.url);

const matchLine = (pattern: string, index: number): string =>
  `match ${index} ${shellQuote(pattern)}`;

export const processesScript = (pids: readonly number[], patterns: readonly string[]): string =>
  [
    `found='${pids.join(' ')}'`,
    ...(patterns.length > 0 ? [listProcesses, ...patterns.map(matchLine)] : []),
    stateScript,
  ].join('\n');

export interface ParsedProcesses {
  readonly alive: ReadonlyMap<number, ProcessState>;
  /**
   * Matching processes for each pattern; `undefined` for a pattern that the machine rejects as a
   * regular expression.
   */
  readonly matches: readonly (readonly MatchingProcess[] | undefined)[];
}

/** Returns `undefined` when the answer is incomplete. */
export function parseProcesses(text: string): ParsedProcesses | undefined {
  const lines = text.split('\n');
  if (lines.at(-1) !== 'end') return undefined;
  const alive = new Map(lines.flatMap(parseState).map((state) => [state.pid, state]));
  const matches: (MatchingProcess[] | undefined)[] = [];
  for (const line of lines) {
    const [, index, code] = /^pattern (\d+) (\d+)$/.exec(line) ?? [];
    if (index !== undefined) matches[Number(index)] = Number(code) > 1 ? undefined : [];
    const [, pid, group, command] = /^match \s*(\d+)\s+\d+\s+(\d+) (.*)$/.exec(line) ?? [];
    const state = alive.get(Number(pid));
    if (state !== undefined && command !== undefined)
      matches.at(-1)?.push({ ...state, groupId: Number(group), command });
  }
  return { alive, matches };
}

/** Parses the state of a process. Returns an empty list for a zombie, which has ended. */
function parseState(line: string): ProcessState[] {
  const [, how, pid, rest = ''] = /^(stat|ps|alive) (\d+)(.*)$/.exec(line) ?? [];
  if (how === undefined) return [];
  const isProc = how === 'stat';
  // The program name in parentheses may contain anything; the state and start time follow it.
  const words = (isProc ? rest.slice(rest.lastIndexOf(')') + 1) : rest).trim().split(/\s+/);
  if (/^[ZX]/.test(words[0] ?? '')) return [];
  const startTime = isProc ? (words[19] ?? '') : how === 'ps' ? words.slice(1).join(' ') : '';
  return [{ pid: Number(pid), startTime }];
}

/**
 * Returns the script that runs a command and prints the last part of its stdout, a separator, the
 * last part of its stderr, and the exit code.
 */
export const watchedCommandScript = (command: string, cwd: string): string => {
  const args = [cwd, command, cwd.replace(/[^\w/.-]/g, '?')].map(shellQuote).join(' ');
  return `set -- ${args}\n${shellText('./watchedCommand.sh', import.meta.url)}`;
};

/** Returns `undefined` when the answer is incomplete. */
export function parseCommand(text: string): CommandState | undefined {
  const mark = text.lastIndexOf('\u0001');
  const [, stderr = '', code] = /^(.*)\n@(\d+)$/s.exec(text.slice(mark + 1)) ?? [];
  return mark < 0 || code === undefined
    ? undefined
    : { code: Number(code), stdout: text.slice(0, mark), stderr };
}
