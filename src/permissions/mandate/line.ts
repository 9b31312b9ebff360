/** Decides whether the mandate covers the commands of a line that need consent. */
import { posix } from 'node:path';
import type { ShellCommand, ShellText, ShellWord } from '../../shell/shellCommand.ts';
import { foundCommand, programOf, scriptOf } from '../../shell/wrappers.ts';
import type { Consent, ConsentStep } from '../commands/paths/place.ts';
import { splittableWords } from '../commands/values/possibleTexts.ts';
import { readerOf } from '../commands/readers/allReaders.ts';
import { innerScripts } from '../commands/structure/runners.ts';
import { programReason } from '../commands/verdicts/programReasons.ts';
import type { MachineMandate } from './mandate.ts';
import {
  argumentOutside,
  assignmentOutside,
  pathOutside,
  settingOutside,
  surroundingsOutside,
} from './paths.ts';
import { possibleOption } from './possibleOptions.ts';
import { interpreter } from './programs/interpreters.ts';
import { ruleOf } from './programs/table.ts';
import { dot, innerOf } from './innerCommand.ts';
import {
  firstReason,
  has,
  isOption,
  operandsOf,
  type Environment,
  type Rule,
  type Step,
} from './step.ts';
import { Variables } from './variables.ts';

/** Returns the consent function of a mandate for command lines on a machine. */
export const mandateConsent =
  (mandate: MachineMandate): Consent =>
  (shell) => {
    const line = new LineMandate(mandate, shell);
    return (step) => line.outside(step);
  };

const maxDepth = 8;

class LineMandate {
  readonly #mandate: MachineMandate;
  readonly #variables = new Variables();
  readonly #leavesProcesses: boolean;
  #environment: Environment | undefined;

  constructor(mandate: MachineMandate, { commands, hasBackground }: ShellText) {
    this.#mandate = mandate;
    this.#leavesProcesses =
      hasBackground && !commands.some(({ words }) => /^(?:wait|kill)$/.test(programOf(words[0])));
  }

  outside({ command, spot, isReader, judge }: ConsentStep): string | undefined {
    if (this.#leavesProcesses) return leavesProcess;
    const step: Step = {
      mandate: this.#mandate,
      spot,
      variables: this.#variables,
      environment: this.#environment,
      script: (text) => {
        const { kind, reason } = judge(text);
        return kind === 'safe' ? undefined : reason;
      },
    };
    const { words, assignments } = command;
    const reason =
      surroundingsOutside(command, step) ??
      (isReader || words.length === 0 ? this.#quoting(command) : this.#program(command, step, 0));
    if (words.length === 0) for (const word of assignments) this.#variables.assign(word);
    return reason;
  }

  /**
   * Checks the words of a program that reads of which the shell may make options, or several
   * arguments: an option can make it write or run something.
   */
  #quoting(command: ShellCommand): string | undefined {
    const name = programOf(command.words[0]);
    if (readerOf(name) === undefined && !/^(?:find|sed|[gm]?awk)$/.test(name)) return undefined;
    const word = splittableWords(command).find(
      (each) => this.#variables.resolve(each)?.every(({ text }) => !text.startsWith('-')) !== true,
    );
    return word && `may get several arguments from ${word.spelled}: quote it`;
  }

  #unclear(command: ShellCommand, step: Step): string | undefined {
    const quoting = this.#quoting(command);
    if (quoting !== undefined) return quoting;
    const word = possibleOption(command, step);
    const advice = programOf(command.words[0]) === 'find' ? './ before it' : '-- before it';
    return word && `may read ${word.spelled} as an option: write ${advice}`;
  }

  #program(command: ShellCommand, step: Step, depth: number): string | undefined {
    const [first, ...rest] = command.words;
    if (first === undefined || depth > maxDepth) return 'runs nothing that is known';
    if (first.text === 'for' && !first.isQuoted) {
      this.#variables.loop(rest);
      return firstReason(rest.slice(0, 1), settingOutside);
    }
    const [program, ...others] = step.variables.resolve(first) ?? [];
    if (program === undefined || program.isDynamic || others.length > 0)
      return 'runs a program that only the shell knows';
    const call = { ...command, words: [program, ...rest] };
    const name = programOf(program);
    const unclear = this.#unclear(call, step) ?? firstReason(setBy(name, rest), settingOutside);
    if (unclear !== undefined || this.#isListed(call)) return unclear;
    const inner = innerOf(name, call, step.spot);
    this.#recordSetter(name, rest);
    this.#follow(name, rest, step);
    return (
      refusalOf(name, rest) ??
      this.#innerCommand(inner, step, depth) ??
      (inner === undefined ? this.#directCall(call, step) : undefined)
    );
  }

  /** Checks a command that is started by another program. */
  #innerCommand(inner: ReturnType<typeof innerOf>, step: Step, depth: number): string | undefined {
    if (inner === undefined || 'outside' in inner) return inner?.outside;
    const { environment = step.environment } = inner;
    return (
      firstReason(inner.assignments, (word) => assignmentOutside(word, step)) ??
      firstReason(inner.own, (word) => argumentOutside(word, step)) ??
      this.#program(inner.command, { ...step, environment }, depth + 1)
    );
  }

  /** Checks a program that the line calls directly. */
  #directCall(command: ShellCommand, step: Step): string | undefined {
    const [first, ...rest] = command.words;
    if (first === undefined) return undefined;
    const name = programOf(first);
    const script = scriptOf(command);
    if (script !== undefined) return this.#shell(command, script, step);
    if (name === 'source' || name === '.') return this.#source(rest, step);
    if (name === 'find') return this.#find(command, step);
    return this.#call(command, first, step);
  }

  #call(command: ShellCommand, first: ShellWord, step: Step): string | undefined {
    const name = programOf(first);
    const rest = command.words.slice(1);
    const place = first.text.includes('/') ? this.#place(first, step) : 'system';
    if (place === undefined) return `runs ${first.text}, outside the folders of the mandate`;
    const rule = ruleOf(name) ?? (place === 'own' ? ownScript(first) : undefined);
    if (rule === undefined) return programReason(name, false);
    const own = place === 'own' ? { ...step, environment: 'own' as const } : step;
    return (
      (rule.commandClass && this.#classRefusal(rule.commandClass, name)) ??
      rule.check({ name, rest, command, step: own })
    );
  }

  /** Checks a shell that runs a script: text in the command, piped text, or a file. */
  #shell(
    command: ShellCommand,
    { text, isDynamic }: NonNullable<ReturnType<typeof scriptOf>>,
    step: Step,
  ): string | undefined {
    const rest = command.words.slice(1);
    if (isDynamic) return 'runs a script that only the shell knows';
    if (text.trim() !== '') return step.script(text);
    if (!rest.every(isOption))
      return (
        this.#classRefusal('scripts', 'sh') ?? interpreter({ name: 'sh', rest, command, step })
      );
    return (command.sources ?? []).length > 0 ? this.#pipe(command, step) : undefined;
  }

  /**
   * Checks text that is piped into a shell. Refuses text that is not written in the line itself.
   */
  #pipe(command: ShellCommand, step: Step): string | undefined {
    const texts = innerScripts(command);
    return texts.length === 0
      ? 'runs a script that only the shell knows'
      : firstReason(texts, (text) => step.script(text));
  }

  /**
   * Returns `own` for a program in a folder of the mandate, `system` for a program in a folder that
   * commands may only read; otherwise `undefined`.
   */
  #place(word: ShellWord, step: Step): 'own' | 'system' | undefined {
    const folder = {
      ...word,
      text: posix.dirname(word.text),
      spelled: posix.dirname(word.spelled),
    };
    if (pathOutside(folder, 'writes', step) === undefined) return 'own';
    return pathOutside(folder, 'reads', step) === undefined ? 'system' : undefined;
  }

  #source(rest: readonly ShellWord[], step: Step): string | undefined {
    const [script] = rest;
    if (script === undefined) return 'runs nothing';
    const place = this.#place(script, step);
    if (place === undefined)
      return (
        pathOutside(script, 'reads', step) ??
        `runs ${script.spelled}, outside the folders of the mandate`
      );
    return (
      (place === 'own' ? this.#classRefusal('scripts', script.spelled) : undefined) ??
      pathOutside(script, 'reads', step)
    );
  }

  #recordSetter(name: string, rest: readonly ShellWord[]): void {
    for (const { text } of setBy(name, rest)) this.#variables.forget(text);
    if (!/^(?:export|local|declare|readonly)$/.test(name)) return;
    for (const word of rest) if (word.spelled.includes('=')) this.#variables.assign(word);
  }

  /**
   * Notes which environment for packages the line has activated so far (`source …/activate`, `conda
   * activate`, `deactivate`).
   */
  #follow(name: string, rest: readonly ShellWord[], step: Step): void {
    const [first, second] = operandsOf(rest);
    const isActivation = /(?:^|\/)activate$/.test(first?.text ?? '');
    const folder = name === 'conda' && first?.text === 'activate' ? second : first;
    if (isActivation && folder !== undefined && /^(?:source|\.|conda)$/.test(name))
      this.#environment =
        /[/.]/.test(folder.text) && pathOutside(folder, 'writes', step) === undefined
          ? 'own'
          : 'other';
    else if (name === 'deactivate') this.#environment = undefined;
  }

  #find(command: ShellCommand, step: Step): string | undefined {
    const rest = command.words.slice(1);
    const start = rest.findIndex((word) => isOption(word) || /^[(!]/.test(word.text));
    const folders = rest.slice(0, start < 0 ? rest.length : start);
    const inner = foundCommand(command);
    const isChanging = has(rest, /^-delete$/) || inner.length > 0;
    const isTested = rest.some(({ text }, at) => tests.test(text) && rest[at + 1]?.text !== '*');
    if (has(rest, /^-f(?:print0?|printf|ls)$/))
      return 'writes its output by an option: use > instead';
    if (isChanging && !isTested) return 'changes all files that it finds: name them with -name';
    const roots = folders.length > 0 ? folders : [dot];
    return (
      firstReason(roots, (word) => pathOutside(word, isChanging ? 'writes' : 'reads', step)) ??
      (inner.length === 0
        ? undefined
        : firstReason(roots, (root) =>
            this.#program(
              {
                ...command,
                redirections: [],
                words: inner
                  .filter(({ text }) => text !== '+' && text !== ';')
                  .map((word) => withFoundFile(word, root)),
              },
              step,
              1,
            ),
          ))
    );
  }

  #classRefusal(name: MachineMandate['commands'][number], program: string): string | undefined {
    return this.#mandate.commands.includes(name)
      ? undefined
      : `runs ${program}, and the mandate grants no commands of the class ${name}`;
  }

  /** Returns true for a command that begins with one of the `programs` of the mandate. */
  #isListed({ words }: ShellCommand): boolean {
    return this.#mandate.programs.some((program) => {
      const start = program.trim().split(/\s+/);
      return start.every((text, at) => words[at]?.text === text && !words[at].isDynamic);
    });
  }
}

/**
 * Returns the rule for running a script in a folder of the mandate: the mandate must grant the
 * class `scripts`, and its path and arguments must stay within the mandate.
 */
const ownScript = (script: ShellWord): Rule => ({
  commandClass: 'scripts',
  check: ({ rest, step }) =>
    pathOutside(script, 'reads', step) ?? firstReason(rest, (word) => argumentOutside(word, step)),
});

/** Returns the variables that `read`, `mapfile` and `printf -v` set. */
const setBy = (name: string, rest: readonly ShellWord[]): readonly ShellWord[] => {
  if (/^(?:read|mapfile|readarray)$/.test(name)) return rest;
  const [option, ...others] = name === 'printf' ? rest : [];
  if (option?.text.startsWith('-v') !== true) return [];
  const attached = option.text.slice(2);
  return attached === '' ? others.slice(0, 1) : [{ ...option, text: attached }];
};

const tests = /^-(?:i?name|i?path|i?regex|mtime|mmin|size|empty|newer|newermt)$/;
const leavesProcess =
  'leaves a process running after the command: start it with remote_exec_background';

const refusals: readonly (readonly [programs: string, reason: string])[] = [
  [
    'nohup setsid disown tmux screen daemonize at batch crontab systemctl service launchctl pm2 supervisord systemd-run',
    leavesProcess,
  ],
  ['sudo su doas runuser pkexec', 'runs as another user'],
  [
    'ssh scp sftp mosh autossh ssh-copy-id rclone ftp lftp nc ncat netcat socat telnet',
    'contacts another host',
  ],
  [
    'sbatch salloc qsub bsub scancel qdel bkill',
    'acts on jobs of a scheduler: use remote_exec_background on the machine of the cluster',
  ],
];
const refusalReasons: ReadonlyMap<string, string> = new Map(
  refusals.flatMap(([programs, reason]) => programs.split(' ').map((name) => [name, reason])),
);

function refusalOf(name: string, rest: readonly ShellWord[]): string | undefined {
  const isSpread = /^(?:mpirun|mpiexec|horovodrun|deepspeed|srun)$/.test(name);
  if (isSpread && has(rest, /^(?:-H|--?host(?:file|s)?|--machinefile|-w|--nodelist)(?:=|$)/))
    return 'starts processes on other hosts';
  return refusalReasons.get(name);
}

/** Replaces `{}` by a placeholder path below the folder in which `find` searches. */
const withFoundFile = (word: ShellWord, { text: root }: ShellWord): ShellWord => {
  if (!word.text.includes('{}')) return word;
  const text = word.text.replaceAll('{}', posix.join(root, 'found'));
  return { ...word, text, spelled: text, isDynamic: false };
};
