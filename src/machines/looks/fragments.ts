/** Looks as POSIX-sh fragments, and what these print as answers. */
import { shellQuote } from '../../base/text.ts';
import type { CommandState, FileState, MatchingProcess, ProcessState } from './look.ts';

/** With the root in front, so that nothing at all means another kind of `stat`. */
const statLines = (command: (flags: string) => string): string =>
  [
    `o=$(${command("-c '%s %Y %i|%y|%n'")})`,
    `[ -n "$o" ] || o=$(${command("-f '%z %m %i|%Fm|%N'")})`,
    `printf '%s\\n' "$o"`,
  ].join('\n');

export const filesScript = (paths: readonly string[]): string =>
  statLines((flags) => `stat -L ${flags} / ${paths.map(shellQuote).join(' ')}`);

/** `undefined` when the machine cannot tell. Those that are not there are missing. */
export function parseFiles(text: string): readonly FileState[] | undefined {
  const files = text.split('\n').flatMap(parseFile);
  return files.some(({ path }) => path === '/') ? files : undefined;
}

function parseFile(line: string): FileState[] {
  const [, size, seconds, inode, exact, path] = /^(\d+) (-?\d+) (\d+)\|([^|]*)\|(.*)$/.exec(line) ?? [];
  if (inode === undefined || path === undefined) return [];
  const fraction = Number(`0${/\.\d+/.exec(exact ?? '')?.[0] ?? ''}`);
  return [{ path, sizeBytes: Number(size), modifiedMs: (Number(seconds) + fraction) * 1000, inode }];
}

const mostEventFiles = 200;

export const eventFilesScript = (folder: string): string =>
  [
    `[ -d ${shellQuote(folder)} ] || exit 0`,
    'echo folder',
    statLines(
      (flags) =>
        `find -L ${shellQuote(folder)} -type f -name '*tfevents*' -exec stat -L ${flags} {} + | sort -t '|' -k 2 | tail -n ${mostEventFiles}`,
    ),
  ].join('\n');

export function parseEventFiles(text: string): readonly FileState[] | undefined {
  const [first, ...lines] = text.split('\n');
  return first === 'folder' ? lines.flatMap(parseFile) : undefined;
}

const mostMatches = 50;
/** Of the shells that answer us, and of nothing else. */
const loopMark = 'IFS= read -r m; while IFS= read -r l';

/** Without our own: the group of the fragments, that of the shell that was asked and its ancestors, and all such shells. */
const listProcesses = String.raw`
f='-o pid= -o ppid= -o pgid= -o args='
all=$(ps -A -ww $f || ps -A $f || ps -o pid,ppid,pgid,args)
all=$(printf '%s\n' "$all" | awk -v q="$$" -v s="$shell" -v m=${shellQuote(loopMark)} '
  $1 ~ /^[0-9]+$/ { n++; id[n] = $1; parent[$1] = $2; group[$1] = $3; line[n] = $0 }
  END {
    for (a = s; a > 1 && !(a in own); a = parent[a]) own[a] = 1
    for (i = 1; i <= n; i++)
      if (!(id[i] in own) && group[id[i]] != group[q] && group[id[i]] != group[s] && !index(line[i], m)) print line[i]
  }')
args=$(printf '%s\n' "$all" | sed 's/^ *[0-9]* *[0-9]* *[0-9]* //')`;

/** \`find\`: prints those of the list whose arguments \`grep\` finds. */
const matchScript = (pattern: string, index: number): string =>
  [
    `hits=$(printf '%s\\n' "$args" | grep -nE -e ${shellQuote(pattern)}); r=$?`,
    `printf 'pattern %s %s\\n' ${index} "$r"`,
    `now=$(printf '%s\\n' "$all" | sed -n "$(printf '%s\\n' "$hits" | sed -n '1,${mostMatches}s/:.*/p/p')")`,
    `printf '%s\\n' "$now" | cut -c 1-200 | sed 's/^/match /'`,
    `found="$found $(printf '%s\\n' "$now" | awk '{ print $1 }')"`,
  ].join('\n');

/** Linux tells by /proc, others by \`ps\`. */
const stateScript = String.raw`
for p in $found; do
  l=
  if [ -r /proc/self/stat ]; then
    l=$(while IFS= read -r x; do printf '%s ' "$x"; done <"/proc/$p/stat")
    [ -z "$l" ] || printf 'stat %s %s\n' "$p" "$l"
  else
    l=$(ps -o stat= -o lstart= -p "$p")
    [ -z "$l" ] || printf 'ps %s %s\n' "$p" "$l"
  fi
  [ -n "$l" ] || ! kill -0 "$p" || printf 'alive %s\n' "$p"
done
echo end`;

export const processesScript = (pids: readonly number[], patterns: readonly string[]): string =>
  [
    `found='${pids.join(' ')}'`,
    ...(patterns.length > 0 ? [listProcesses, ...patterns.map(matchScript)] : []),
    stateScript,
  ].join('\n');

export interface ParsedProcesses {
  readonly alive: ReadonlyMap<number, ProcessState>;
  /** By pattern; `undefined` where it is no regular expression that the machine understands. */
  readonly matches: readonly (readonly MatchingProcess[] | undefined)[];
}

/** `undefined` when the answer is not whole. */
export function parseProcesses(text: string): ParsedProcesses | undefined {
  const lines = text.split('\n');
  if (lines.at(-1) !== 'end') return undefined;
  const alive = new Map(lines.flatMap(parseState).map((state) => [state.pid, state]));
  const matches: (MatchingProcess[] | undefined)[] = [];
  for (const line of lines) {
    const [, index, code] = /^pattern (\d+) (\d+)$/.exec(line) ?? [];
    if (index !== undefined) matches[Number(index)] = Number(code) > 1 ? undefined : [];
    const [, pid, command] = /^match \s*(\d+)\s+\d+\s+\d+ (.*)$/.exec(line) ?? [];
    const state = alive.get(Number(pid));
    if (state !== undefined && command !== undefined) matches.at(-1)?.push({ ...state, command });
  }
  return { alive, matches };
}

/** A zombie has ended. */
function parseState(line: string): ProcessState[] {
  const [, how, pid, rest = ''] = /^(stat|ps|alive) (\d+)(.*)$/.exec(line) ?? [];
  if (how === undefined) return [];
  const isProc = how === 'stat';
  // The name of the program, in parentheses, may hold anything; the state and the start time come after it.
  const words = (isProc ? rest.slice(rest.lastIndexOf(')') + 1) : rest).trim().split(/\s+/);
  if (/^[ZX]/.test(words[0] ?? '')) return [];
  const startTime = isProc ? (words[19] ?? '') : how === 'ps' ? words.slice(1).join(' ') : '';
  return [{ pid: Number(pid), startTime }];
}

/** Prints the end of stdout, a mark, the end of stderr, and the code. */
export const watchedCommandScript = (command: string, cwd: string): string =>
  [
    `cd -- ${shellQuote(cwd)} || { printf '\\001no folder ${cwd.replace(/[^\w/.-]/g, '?')}\\n@1'; exit; }`,
    'PYTHONUNBUFFERED=1; export PYTHONUNBUFFERED',
    'sh=$(command -v bash) || sh=/bin/sh',
    '{',
    `e=$( { "$sh" -c ${shellQuote(command)} 2>&1 >&3 3>&-; printf '\\n@%s' "$?"; } | tail -c 400)`,
    `printf '\\001%s' "$e" >&3`,
    '} 3>&1 | tail -c 2400',
  ].join('\n');

/** `undefined` when the answer is not whole. */
export function parseCommand(text: string): CommandState | undefined {
  const mark = text.lastIndexOf('\u0001');
  const [, stderr = '', code] = /^(.*)\n@(\d+)$/s.exec(text.slice(mark + 1)) ?? [];
  return mark < 0 || code === undefined ? undefined : { code: Number(code), stdout: text.slice(0, mark), stderr };
}
