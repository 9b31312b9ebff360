/**
 * Decides from its text whether a shell command may call git. When the command runs, the guard (a
 * script named `git`, first in PATH on the machine) decides on each call of git, by repository.
 * This rule refuses everything that would bypass the guard (git called by its path, writing to
 * `.git`), and text that mentions git and cannot be parsed.
 */
import { parseShell } from '../../shell/parseShell.ts';
import { writtenBy, type ShellCommand, type ShellWord } from '../../shell/shellCommand.ts';
import { foundCommand, programOf, scriptOf, wrapperOf } from '../../shell/wrappers.ts';

export type GitVerdict =
  | { readonly kind: 'none' }
  /** The text calls git by its name, so the guard checks each of these calls when it runs. */
  | { readonly kind: 'git'; readonly mayChange: boolean }
  | { readonly kind: 'refused'; readonly why: string; readonly advice: string };

const advice =
  'Reading (git status, log, diff, show) is allowed. To change code, edit in a worktree (exp_branch makes one), and commit with exp_commit.';

const none: GitVerdict = { kind: 'none' };

const refuse = (why: string): GitVerdict => ({ kind: 'refused', why, advice });

/** Returns the text for a command that was refused. */
export const refusalText = ({ why, advice: next }: { why: string; advice: string }): string =>
  `Not run: ${why}. ${next}`;

const mentionsGit = (text: string): boolean =>
  /(?:^|[^\w.-])git(?:$|[^\w.-])|\.git(?:$|[/\s"'])/.test(text);

export function judgeGit(text: string): GitVerdict {
  const commands = parseShell(text)?.commands;
  if (commands === undefined)
    return mentionsGit(text)
      ? refuse('this shell text mentions git and could not be parsed')
      : none;
  const verdicts = commands.map((command) => judgeCommand(command, text, 0));
  return verdicts.reduce(stronger, none);
}

function stronger(a: GitVerdict, b: GitVerdict): GitVerdict {
  if (a.kind === 'refused' || b.kind === 'none') return a;
  if (b.kind === 'refused' || a.kind === 'none') return b;
  return { kind: 'git', mayChange: a.mayChange || b.mayChange };
}

const interpreters = /^(?:python[\d.]*|perl|ruby|node|awk|gawk|php|lua)$/;
/** Programs that only read the files named in their arguments. */
const readers: ReadonlySet<string> = new Set(
  'cat ls ll head tail stat wc du grep egrep fgrep rg test [ [[ file md5sum sha256sum diff cmp less more echo printf pwd tree realpath readlink basename dirname cut tr od hexdump strings date true false'.split(
    ' ',
  ),
);
/** Subcommands of git that only read. */
const readCommands: ReadonlySet<string> = new Set(
  'status diff log show blame shortlog describe rev-parse rev-list cat-file ls-files ls-tree ls-remote grep name-rev merge-base for-each-ref show-ref whatchanged cherry count-objects check-ignore check-attr version var'.split(
    ' ',
  ),
);

function judgeCommand(command: ShellCommand, text: string, depth: number): GitVerdict {
  if (depth > 8) return mentionsGit(text) ? refuse('its commands are nested too deeply') : none;
  const { assignments, words } = command;
  if (writtenBy(command).some(isGitPath)) return refuse('it writes into a .git folder');
  if (assignments.some(({ text: value }) => hidesGuard(value))) return guardVerdict(text);
  const [first, ...rest] = words;
  if (first === undefined) return none;
  const isUnclear = first.isDynamic && mentionsGit(text) && !/[/=]/.test(first.text);
  return isUnclear
    ? refuse('the program that it calls is unclear')
    : judgeProgram({ command, first, rest, text, depth });
}

interface ProgramCall {
  readonly command: ShellCommand;
  readonly first: ShellWord;
  readonly rest: readonly ShellWord[];
  readonly text: string;
  readonly depth: number;
}

function judgeProgram(call: ProgramCall): GitVerdict {
  const { command, first, rest, text, depth } = call;
  const name = programOf(first);
  if (/^git(?:-[a-z-]+|\.exe)?$/.test(name)) return judgeCall(first.text, rest);
  const script = scriptOf(command);
  if (script !== undefined) return judgeScript(name, script, depth);
  const wrapper = wrapperOf(name);
  if (wrapper?.kind === 'escapes')
    return rest.some(isGitWord) ? refuse(`${name} bypasses the git guard`) : none;
  if (wrapper !== undefined) return judgeWrapped({ ...call, own: wrapper.own });
  if (name === 'find') return judgeFind(command, text, depth);
  if (interpreters.test(name))
    return judgeSource([...rest.map((word) => word.text), command.input].join('\n'));
  return judgeOther(name, rest, text);
}

function judgeOther(name: string, rest: readonly ShellWord[], text: string): GitVerdict {
  if (rest.some(isGitPath) && name === 'cd') return refuse('it enters a .git folder');
  if (rest.some(isGitPath) && !readers.has(name))
    return refuse(`${name} could change what is in a .git folder`);
  return name === 'export' && rest.some(({ text: value }) => hidesGuard(value))
    ? guardVerdict(text)
    : none;
}

/**
 * Returns true for assignments that would disable the guard. For example, `PATH=…:$PATH` puts other
 * programs before the guard.
 */
const hidesGuard = (assignment: string): boolean =>
  /^(?:PATH|GIT_CONFIG_PARAMETERS|GIT_EXEC_PATH)\+?=/.test(assignment);

const guardVerdict = (text: string): GitVerdict =>
  mentionsGit(text) ? refuse('it sets a variable that would bypass the git guard') : none;

function judgeCall(program: string, rest: readonly ShellWord[]): GitVerdict {
  if (program !== 'git') return refuse(`call git by its name, not as ${program}`);
  const at = rest.findIndex(
    ({ text }, index) =>
      !text.startsWith('-') &&
      !['-C', '-c', '--git-dir', '--work-tree'].includes(rest[index - 1]?.text ?? ''),
  );
  const command = at < 0 ? undefined : rest[at];
  const mayChange = command !== undefined && (command.isDynamic || !readCommands.has(command.text));
  return { kind: 'git', mayChange };
}

function judgeScript(
  name: string,
  { text, isDynamic }: Pick<ShellWord, 'text' | 'isDynamic'>,
  depth: number,
): GitVerdict {
  if (isDynamic && mentionsGit(text)) return refuse(`the script of ${name} is unclear`);
  const commands = parseShell(text)?.commands;
  if (commands === undefined)
    return mentionsGit(text) ? refuse(`the script of ${name} could not be parsed`) : none;
  return commands.map((command) => judgeCommand(command, text, depth + 1)).reduce(stronger, none);
}

const cleaners: ReadonlySet<string> = new Set([
  '-i',
  '-',
  '-S',
  '-u',
  '--ignore-environment',
  '--unset',
]);

function judgeWrapped({
  command,
  rest,
  own,
  text,
  depth,
}: ProgramCall & { readonly own: number }): GitVerdict {
  const isOther = rest.some(
    ({ text: word }) => hidesGuard(word) || cleaners.has(word.replace(/=.*/, '')),
  );
  if (isOther && rest.some(isGitWord)) return refuse('it calls git in another environment');
  const bare = rest
    .flatMap((word, index) => (/^-|^[A-Za-z_]\w*=/.test(word.text) ? [] : [index]))
    .slice(own);
  // An option may take the next word as its value, so the start of the wrapped command is unclear.
  // Therefore, any word `git` is treated as the start of the command.
  const start = bare.find((index) => /(?:^|\/)git$/.test(rest[index]?.text ?? '')) ?? bare[0];
  if (start === undefined) return none;
  return judgeCommand({ ...command, assignments: [], words: rest.slice(start) }, text, depth + 1);
}

function judgeFind(command: ShellCommand, text: string, depth: number): GitVerdict {
  const { words } = command;
  const changes = words.some(
    ({ text: word }) => word === '-delete' || word.startsWith('-fprint') || word === '-fls',
  );
  if (changes && words.some(isGitPath)) return refuse('find could change what is in a .git folder');
  const found = foundCommand(command);
  return judgeCommand(
    { assignments: [], words: found, redirections: [], input: '', operator: ';' },
    text,
    depth + 1,
  );
}

/**
 * Judges the source of a program in another language. The program may call git by its name, because
 * the guard decides on that call.
 */
function judgeSource(text: string): GitVerdict {
  const isReaching =
    /\/git(?:-core\/|['"\s\\])/.test(text) ||
    /\.git(?:\/|\\)+(?:config|hooks|refs|HEAD|index|objects|packed-refs|logs|info)/.test(text);
  if (isReaching)
    return refuse('this program calls git by its path, or reaches into a .git folder');
  return mentionsGit(text) ? { kind: 'git', mayChange: true } : none;
}

const isGitWord = ({ text }: ShellWord): boolean => mentionsGit(text);

const isGitPath = ({ text }: ShellWord): boolean => /(?:^|\/|=)\.git(?:\/|$)/i.test(text);
