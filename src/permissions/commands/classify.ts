/**
 * Classifies a command line before it runs: `safe` lines only read what the agent may read, `deny`
 * lines are refused in every mode, all others need consent. Fails closed: a line that is not
 * understood, or that two shells may read differently, is never safe.
 */
import { loadShell } from '../../shell/grammar.ts';
import { posix } from 'node:path';
import { parseShell } from '../../shell/parseShell.ts';
import type { ShellCommand, ShellLayout, ShellText, ShellWord } from '../../shell/shellCommand.ts';
import { programOf, wrapperOf } from '../../shell/wrappers.ts';
import { callReason } from './verdicts/callReasons.ts';
import { changeDanger, dangerOf } from './dangers/dangers.ts';
import { isHarmlessVariable } from './values/harmlessVariables.ts';
import { isCondition, judgeCondition } from './calls/conditions.ts';
import { xargsCall, xargsCommand, type EachCall } from './calls/eachFile.ts';
import { judgeFind, withPatterns } from './calls/find.ts';
import { gitCallIn } from './calls/gitFolder.ts';
import { judgeRead, pathsOf } from './paths/operand.ts';
import type { CommandPlace, Consent, ConsentStep, Spot } from './paths/place.ts';
import { isPrintable, splittableWords } from './values/possibleTexts.ts';
import { installReason } from './verdicts/installReasons.ts';
import { judgeBuiltin } from './calls/builtins.ts';
import { asReader, judgeReader, judgeRedirection } from './calls/readerCalls.ts';
import { unclear } from './structure/parts.ts';
import { structureVerdict } from './structure/structure.ts';
import { isSilent } from './files/trees.ts';
import { showsVersion, subcommandOf } from './readers/subcommands.ts';
import { innerCommands, innerScripts, unwrap } from './structure/runners.ts';
import { asks, denies, isFirm, safe, strictest, type Verdict } from './verdicts/verdict.ts';
import { programReason } from './verdicts/programReasons.ts';
import { printfTarget } from './structure/setterCalls.ts';

/**
 * Maximum depth of scripts within scripts, such as `sh -c "sh -c …"`; deeper scripts are not read.
 */
const maxDepth = 6;

/** Maximum number of folders in which a command in a loop may run. */
const maxFolders = 16;

/** Loads what `classify` needs. Later calls return the same promise. */
export const loadClassifier = loadShell;

/** A command of a line, with the verdicts on its parts. */
export interface CommandVerdicts {
  readonly command: ShellCommand;
  readonly spot: Spot;
  /** Denial or question that applies in every mode; `safe` if the command needs neither. */
  readonly danger: Verdict;
  readonly program: Verdict;
  /** In the order of `command.redirections`. */
  readonly redirections: readonly Verdict[];
  readonly verdict: Verdict;
}

export interface LineVerdicts {
  readonly verdict: Verdict;
  /**
   * Commands of the line, each with its verdicts. Omitted if the line has hidden characters, or
   * anything besides a list of simple commands.
   */
  readonly commands?: readonly CommandVerdicts[];
}

/** Classifies a line of the shell. Call `loadClassifier` first. Never throws, whatever the line. */
export const classify = (line: string, place: CommandPlace): Verdict =>
  judgeLine(line, place).verdict;

/** Classifies a line and each of its commands, as `classify` does. */
export function judgeLine(line: string, place: CommandPlace): LineVerdicts {
  const isHidden = hiddenVerdict(line);
  const shell = parseShell(line);
  if (shell === undefined)
    return { verdict: strictest([isHidden, bombVerdict(line), unreadable(line)]) };
  const judge = new LineJudge(shell, place, 0);
  const commands = judge.commands();
  const found = strictest([isHidden, bombVerdict(line), judge.verdict(commands)]);
  const verdict = shell.isFlat ? withStep(found, commands) : found;
  return { verdict, ...(shell.isFlat && isHidden.kind === 'safe' && { commands }) };
}

/** Adds the position of the command that caused the verdict. */
function withStep(verdict: Verdict, commands: readonly CommandVerdicts[]): Verdict {
  const at = commands.findIndex((each) => each.verdict === verdict);
  return at === -1 || commands.length === 1 || verdict.kind === 'safe'
    ? verdict
    : { ...verdict, step: `${at + 1} of ${commands.length}` };
}

const hiddenCharacters =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e01ef}]/u;

const hiddenVerdict = (line: string): Verdict =>
  hiddenCharacters.test(line.replace(/\r\n/g, '\n').trimEnd())
    ? asks('has characters that cannot be seen', '')
    : safe;

const bomb = /([\w:.]+)\s*\(\s*\)\s*\{[^}]*?(?<![\w:.])\1\s*\|\s*\1(?![\w:.])[^}]*\}/;

const bombVerdict = (text: string): Verdict =>
  bomb.test(text.slice(0, 2_000).replace(/'[^']*'|"[^"]*"/g, '_'))
    ? denies('starts processes without end', '')
    : safe;

function judgeText(text: string, place: CommandPlace, depth: number): Verdict {
  const shell = parseShell(text);
  if (shell === undefined) return strictest([bombVerdict(text), unreadable(text)]);
  const judge = new LineJudge(shell, place, depth);
  return strictest([bombVerdict(text), judge.verdict(judge.commands())]);
}

const refusedText =
  /\.ssh\/id_|\.aws\/credentials|\.helios\/auth|\/proc\/[^/\s]+\/environ|\/dev\/(?:tcp|udp)\//;
const downloadRun = /\b(?:curl|wget)\b[^\n|]*\|[^\n]*\b(?:ba|da|z)?sh\b/;
/**
 * Number of characters above which a text that cannot be parsed is also searched for a download
 * that is piped into a shell: it may only be too long for the parser.
 */
const longText = 10_000;

/**
 * Returns the verdict on a text that cannot be parsed: needs consent, or is refused if it names a
 * key or another host.
 */
function unreadable(text: string): Verdict {
  return refusedText.test(text) || (text.length > longText && downloadRun.test(text))
    ? denies('cannot be parsed, and names keys or another host', '')
    : asks('cannot be parsed, or shells read it differently', '');
}

class LineJudge {
  readonly #shell: ShellText;
  readonly #place: CommandPlace;
  readonly #depth: number;
  readonly #consent: ReturnType<Consent> | undefined;
  /** Folders in which the next command may run. */
  #folders: readonly string[];
  /** Folders in which the next command runs if the last `cd` succeeded. */
  #target: readonly string[] | undefined;
  /** Folders that `cd -` enters while `#target` is set. */
  #previous: readonly string[] = [];
  /** Folders that `popd` may enter. */
  #stack: readonly string[] = [];

  constructor(shell: ShellText, place: CommandPlace, depth: number) {
    this.#shell = shell;
    this.#place = place;
    this.#depth = depth;
    this.#folders = [place.workFolder];
    this.#consent = place.consent?.(shell);
  }

  /** Judges the commands in their order. May be called only once, because it tracks the folder. */
  commands(): readonly CommandVerdicts[] {
    return this.#shell.commands.map((command) => this.#judge(command));
  }

  verdict(commands: readonly CommandVerdicts[]): Verdict {
    const verdicts = commands.map(({ verdict }) => verdict);
    const { layout, isFlat } = this.#shell;
    const isPlain = isFlat && commands.every(({ command }) => !isOfStructure(command));
    if (isPlain || this.#consent !== undefined) return strictest(verdicts);
    const firm = verdicts.filter(isFirm);
    if (layout === undefined) {
      const own = commands.filter(({ command }) => !isOfStructure(command));
      return strictest([...firm, ...own.map(({ verdict }) => verdict), unclear]);
    }
    return strictest([
      new LineJudge(this.#shell, this.#place, this.#depth).#structure(layout),
      ...firm,
    ]);
  }

  #structure(layout: ShellLayout): Verdict {
    const folders = (operator: string): readonly string[] =>
      operator === '&&' ? (this.#target ?? this.#folders) : this.#all();
    return structureVerdict(layout, {
      place: this.#place,
      judge: (command, isSure) => {
        const { verdict } = this.#judge(command);
        if (!isSure) this.#target = undefined;
        return this.#folders.length > maxFolders
          ? strictest([verdict, asks('changes to an unclear folder', partOf(command))])
          : verdict;
      },
      redirections: (command) => strictest(this.#judge(command).redirections),
      folders,
      within: (start, walk, isSubshell) => {
        const before = this.#all();
        [this.#folders, this.#target] = [start, undefined];
        const verdict = walk();
        const after = isSubshell ? before : [...new Set([...before, ...this.#all()])];
        [this.#folders, this.#target] = [after, undefined];
        return verdict;
      },
    });
  }

  #all(): readonly string[] {
    return [...new Set([...this.#folders, ...(this.#target ?? [])])];
  }

  #judge(command: ShellCommand): CommandVerdicts {
    const part = partOf(command);
    if (command.operator !== '&&') this.#target = undefined;
    const [name, ...rest] = command.words;
    const isQuiet = isSilent(name?.text ?? '', rest);
    const folders = this.#target ?? this.#folders;
    const spot: Spot = { place: this.#place, folders, part, ...(isQuiet && { isSilent: true }) };
    const redirections = command.redirections.map((each) => judgeRedirection(each, spot));
    if (command.here !== undefined && command.here.isDynamic && !isPrintable(command.here))
      redirections.push(asks('has a part that only the shell knows', part));
    const isSet = command.words.length === 0 || !command.assignments.every(isHarmlessVariable);
    const assignment =
      command.assignments.length > 0 && isSet ? asks('sets variables', part) : safe;
    const danger = this.#dangers(command, spot);
    const program = this.#program(command, spot);
    const unquoted = this.#unquoted(command, spot);
    const found = strictest([danger, ...redirections, assignment, program, unquoted]);
    const step = { command, spot, isReader: program.kind === 'safe' };
    const isAsked = found.kind === 'ask' && command.words[0]?.text !== 'cd';
    const verdict = isAsked ? this.#withConsent(found, step) : found;
    return { command, spot, danger, program, redirections, verdict };
  }

  /**
   * Asks about a reader in a line that needs consent, and so runs as written, if the shell may make
   * further arguments of an unquoted value, such as `-delete` for `find`.
   */
  #unquoted(command: ShellCommand, { part }: Spot): Verdict {
    return this.#consent !== undefined && splittableWords(command).length > 0
      ? asks('may get several arguments from an unquoted value: quote it', part)
      : safe;
  }

  /**
   * Returns `verdict`, changed by the mandate if the command needs consent: `safe` if the mandate
   * covers the command, else with the reason why it does not.
   */
  #withConsent(verdict: Verdict, step: Omit<ConsentStep, 'judge'>): Verdict {
    if (this.#consent === undefined) return verdict;
    const [workFolder = '/', ...others] = step.spot.folders;
    const judge = (text: string): Verdict =>
      others.length > 0 || this.#depth >= maxDepth
        ? asks('runs a script in an unclear folder', step.spot.part)
        : judgeText(text, { ...this.#place, workFolder }, this.#depth + 1);
    const reason = this.#consent({ ...step, judge });
    return reason === undefined ? safe : asks(reason, step.spot.part);
  }

  #dangers(command: ShellCommand, spot: Spot): Verdict {
    const named = xargsCommand(command, spot);
    const inner = [
      ...innerCommands(command).map((each) => dangerOf(each, spot)),
      named === undefined ? safe : changeDanger(named, spot),
    ];
    const scripts =
      this.#depth < maxDepth
        ? innerScripts(command).map((text) => judgeText(text, this.#place, this.#depth + 1))
        : [asks('nests scripts too deeply', spot.part)];
    return strictest([dangerOf(command, spot), ...[...inner, ...scripts].filter(isFirm)]);
  }

  #program(command: ShellCommand, spot: Spot): Verdict {
    const [first, ...rest] = command.words;
    const { part } = spot;
    if (first === undefined) return asks('names no program', part);
    if (first.isDynamic) return asks('runs a program that only the shell knows', part);
    const name = first.text;
    if (!/^[\w.+:[-]+$/.test(name)) return asks(reasonFor(command.words, true), part);
    const move = this.#move(name, command, spot);
    if (move !== undefined) return move;
    const call = gitCallIn(command, spot);
    if (call !== undefined)
      return strictest([
        call.entry,
        dangerOf(call.command, call.spot),
        this.#program(call.command, call.spot),
      ]);
    const inner = unwrap(command);
    if (inner !== undefined)
      return programOf(inner.words[0]) === 'cd' || inner.words.length === 0
        ? asks('runs nothing', part)
        : this.#program(inner, spot);
    const own = judgeShape(name, command, spot);
    if (own !== undefined) return own;
    const found = subcommandOf(name, rest) ?? asReader(name, rest);
    return found === undefined
      ? asks(reasonFor(command.words, false), part)
      : judgeReader({ name, ...found }, spot);
  }

  /** Judges a command that changes the folder; `undefined` for others. */
  #move(name: string, command: ShellCommand, spot: Spot): Verdict | undefined {
    const rest = command.words.slice(1);
    if (name === 'cd') return this.#back(rest) ?? this.#enter(command, spot);
    if (name === 'pushd') return this.#push(command, spot);
    return name === 'popd' && rest.length === 0 ? this.#pop() : undefined;
  }

  /** Judges `cd -`; `undefined` for other calls, and if it is not certain which folder it enters. */
  #back([target, ...others]: readonly ShellWord[]): Verdict | undefined {
    if (target?.text !== '-' || others.length > 0 || this.#target === undefined) return undefined;
    [this.#target, this.#previous] = [this.#previous, this.#target];
    this.#folders = [...new Set([...this.#folders, ...this.#target])];
    return safe;
  }

  /** Judges `pushd FOLDER`, which some shells do not know. */
  #push(command: ShellCommand, spot: Spot): Verdict {
    const [, target, ...others] = command.words;
    this.#stack = [...new Set([...this.#stack, ...spot.folders])];
    const isPlain = target !== undefined && others.length === 0 && !/^[-+]/.test(target.text);
    const verdict = this.#enter(command, spot);
    return isPlain && !target.isDynamic
      ? verdict
      : strictest([verdict, asks('changes folders', spot.part)]);
  }

  /** Judges `popd`, which fails unless a `pushd` of this line has left a folder. */
  #pop(): Verdict {
    this.#folders = [...new Set([...this.#all(), ...this.#stack])];
    this.#target = undefined;
    return safe;
  }

  /**
   * Judges `cd`. The commands after it may run in the old folder or in the new one, because the
   * `cd` may fail.
   */
  #enter({ words: [, ...rest], operator }: ShellCommand, spot: Spot): Verdict {
    const [target] = rest;
    const paths = target === undefined ? [this.#place.home] : pathsOf(target, spot);
    const isKnown = rest.length <= 1 && target?.text !== '-' && paths?.length !== undefined;
    if (!isKnown || paths === undefined) {
      this.#folders = [];
      this.#target = undefined;
      return asks('changes to an unclear folder', spot.part);
    }
    const verdict =
      target === undefined
        ? asks('leaves the working folder', spot.part)
        : judgeRead(target, spot, 'names');
    const named = spot.folders.map((folder) => posix.resolve(folder, target?.text ?? ''));
    this.#folders = [...new Set([...this.#folders, ...paths, ...named])];
    // A `cd` in a pipeline has no effect. With `..`, the new folder is not certain, because the
    // shell resolves `..` by the names of folders.
    const isClear = !operator.startsWith('|') && target?.text.includes('..') !== true;
    this.#target = isClear ? paths : undefined;
    this.#previous = spot.folders;
    return verdict;
  }
}

/** Returns why a command is asked about. `isPath`: it names the program by a path. */
function reasonFor(words: readonly ShellWord[], isPath: boolean): string {
  const install = installReason(words);
  if (install !== undefined) return install;
  const name = programOf(words[0]);
  const call = callReason(name, words.slice(1));
  if (call !== undefined) return call;
  return !isPath && wrapperOf(name) ? 'runs another command' : programReason(name, isPath);
}

/** Judges conditions, calls that run a program on files, and calls that show a version. */
function judgeShape(name: string, command: ShellCommand, spot: Spot): Verdict | undefined {
  if (/^(?:find|xargs)$/.test(name)) return judgeFindOrXargs(command, spot);
  if (isCondition(name)) return judgeCondition(command.words, spot);
  const rest = command.words.slice(1);
  return showsVersion(name, rest) ? safe : judgeBuiltin(name, rest);
}

/** Judges `find` and `xargs`, with the program that they run on files. */
function judgeFindOrXargs(command: ShellCommand, spot: Spot): Verdict {
  const judgeCall = (call: EachCall): Verdict =>
    judgeReader(call, isSilent(call.name, call.rest) ? { ...spot, isSilent: true } : spot);
  const isQuoted = spot.place.consent === undefined;
  const [program, ...rest] = isQuoted ? withPatterns(command.words) : command.words;
  if (program?.text === 'find') return judgeFind(rest, spot, judgeCall);
  const call = xargsCall(command, spot);
  return 'kind' in call ? call : judgeCall(call);
}

/** Returns true for what is judged as a part of the whole line, with the variables in it. */
const isOfStructure = ({ words, assignments }: ShellCommand): boolean =>
  (words.length === 0 && assignments.length > 0) ||
  /^(?:for|case|read|\(\(|break|continue|unset|local|readonly|return|declare|typeset|mapfile|readarray)$/.test(
    words[0]?.text ?? '',
  ) ||
  printfTarget(words) !== undefined ||
  words.some(({ isDynamic, text }) => isDynamic && text.includes('{'));

/** Returns the command as written, without its redirections. */
const partOf = ({ assignments, words }: ShellCommand): string =>
  [...assignments, ...words].map(({ spelled }) => spelled).join(' ');
