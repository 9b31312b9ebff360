/**
 * The normal form of a command. Two commands with the same program and arguments have the same
 * form, whatever the order, quotes, spaces and spelling of numbers (`lr=3e-4`, `lr=0.0003`). The
 * form contains no output paths and no run names.
 */
import { parseShell } from '../shell/parseShell.ts';
import type { ShellWord } from '../shell/shellCommand.ts';
import { wrapperOf } from '../shell/wrappers.ts';

export interface CommandForm {
  /** The normal form: equal for commands with the same program and arguments. */
  readonly exact: string;
  /**
   * A looser form: also equal for commands that differ only in options for seed, verbosity,
   * workers, logging or device.
   */
  readonly near: string;
  /** The seed in the command; omitted if the command has none. */
  readonly seed?: string;
  /**
   * The folder to which the command changes (`cd sub && …`), as written; omitted if the command
   * does not change the folder.
   */
  readonly folder?: string;
  /**
   * The parts of the command that can affect the result: options, assignments and environment
   * variables by name, without those that `near` ignores. The program and its operands have the
   * name `command`.
   */
  readonly settings: ReadonlyMap<string, string>;
  /** The commands of the text: program and operands of each, without the programs left out. */
  readonly programs: readonly CommandProgram[];
}

export interface CommandProgram {
  /** The operator between the previous command and this one, such as `&&`; else `;`. */
  readonly operator: string;
  /** The program and its operands, without options and assignments. */
  readonly text: string;
}

/** Joins programs by their operators, as in the command. */
export const programsText = (programs: readonly CommandProgram[]): string =>
  programs
    .map(({ operator, text }, index) =>
      index === 0 ? text : `${operator === ';' ? '' : ' '}${operator} ${text}`,
    )
    .join('');

const names = [
  'out|output|outdir|outputdir|outputpath|outputfile|outpath|outfile|savedir|savepath|saveto|resultsdir|resultdir',
  'logdir|logfile|logpath|checkpointdir|ckptdir|tensorboarddir|hydra\\.run\\.dir|hydra\\.sweep\\.dir',
  'name|runname|runid|expname|expid|experimentname|jobname|tag|tags|note|notes|comment|description',
  'wandb|wandbproject|wandbname|wandbgroup|wandbmode|wandbentity|wandbtags|reportto',
].join('|');
const harmless = [
  'seed|randomseed|rngseed|manualseed|verbose|quiet|progress|noprogress|loglevel|logevery|loginterval|logfreq',
  'printevery|printfreq|saveevery|saveinterval|numworkers|workers|nworkers|dataworkers|device|gpu|gpus|gpuid|cuda|port',
].join('|');
const outputName = new RegExp(`^(?:${names})$`);
const harmlessName = new RegExp(`^(?:${names}|${harmless})$`);
const seedName = /^(?:random_?|rng_?|manual_?|global_?)?seed$/i;
/**
 * Environment variables that affect where and how the command runs, but not its result. They are
 * omitted from the form.
 */
const outerVariable =
  /^(?:CUDA_VISIBLE_DEVICES|CUDA_DEVICE_ORDER|PYTHONUNBUFFERED|PYTHONPATH|PYTHONDONTWRITEBYTECODE|OMP_NUM_THREADS|MKL_NUM_THREADS|TOKENIZERS_PARALLELISM|WANDB_\w+|HF_HOME|TERM|COLUMNS)$/;

const forms = new Map<string, CommandForm>();
const maxForms = 20_000;

/**
 * Returns the normal form of a command. Cached, because ledgers ask again and again for the same
 * commands.
 */
export function commandForm(command: string): CommandForm {
  const known = forms.get(command);
  if (known !== undefined) return known;
  if (forms.size >= maxForms) forms.clear();
  const form = formOf(command);
  forms.set(command, form);
  return form;
}

/**
 * A command that starts Python with words that no shell changes. The parser is too slow for the
 * commands of 10,000 runs.
 */
const plainPython = /^(?:[A-Za-z_]\w*=[\w./:,@%-]* )*python[\d.]*(?: [\w./:,@%=-]+)*$/;

function commandsOf(command: string): readonly Command[] | undefined {
  if (plainPython.test(command)) {
    const words = command.split(' ').map((text) => ({ text, isQuoted: false }));
    return [{ words, operator: ';' }];
  }
  const shell = parseShell(command);
  if (shell?.isPlain !== true) return undefined;
  return shell.commands.map(({ assignments, words, operator }) => ({
    words: [...assignments, ...words].map(wordOf),
    operator,
  }));
}

interface Command {
  /** Assignments, program and arguments. */
  readonly words: readonly Word[];
  readonly operator: string;
}

function formOf(command: string): CommandForm {
  const commands = commandsOf(command);
  if (commands === undefined) {
    const text = command.trim().replace(/\s+/g, ' ');
    return {
      exact: text,
      near: text,
      settings: new Map([['command', text]]),
      programs: [{ operator: ';', text }],
    };
  }
  const parts = commands.map(({ words, operator }) => ({ ...partOf(words), operator }));
  const programs = programsOf(parts);
  const seed = parts.findLast((part) => part.seed !== undefined)?.seed;
  const folder = parts.find((part) => part.folder !== undefined)?.folder;
  const joined = (of: (part: Part) => string): string =>
    parts
      .map(of)
      .filter((text) => text !== '')
      .join(' ; ');
  return {
    exact: joined(({ exact }) => exact),
    near: joined(({ near }) => near),
    settings: new Map([['command', programsText(programs)], ...optionsOf(parts)]),
    programs,
    ...(seed !== undefined && { seed }),
    ...(folder !== undefined && { folder }),
  };
}

interface Word {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** Returns the word with its shell variables as written, because their values are unknown. */
const wordOf = ({ spelled, isQuoted }: ShellWord): Word => ({ text: spelled, isQuoted });

interface Part {
  readonly exact: string;
  readonly near: string;
  readonly program: string;
  /** The arguments that the looser form `near` contains. */
  readonly counted: readonly Argument[];
  readonly seed?: string;
  readonly folder?: string;
}

const nothing: Part = { exact: '', near: '', program: '', counted: [] };

const programsOf = (
  parts: readonly (Part & { readonly operator: string })[],
): readonly CommandProgram[] =>
  parts
    .map(({ operator, program, counted }) => ({
      operator,
      text: [program, ...counted.filter(({ name }) => name === undefined).map(({ value }) => value)]
        .join(' ')
        .trim(),
    }))
    .filter(({ text }) => text !== '');

const optionsOf = (parts: readonly Part[]): readonly [string, string][] =>
  parts.flatMap(({ counted }) =>
    counted.flatMap(({ name, value }): [string, string][] =>
      name === undefined ? [] : [[name.replace(/^(?:--?|\$|\++)/, ''), value]],
    ),
  );

/** An option or an assignment, with its name and value. A positional argument has no `name`. */
interface Argument {
  readonly name?: string;
  /** The name without dashes or `$`, to look it up in the lists of ignored names. */
  readonly key: string;
  readonly value: string;
}

function partOf(words: readonly Word[]): Part {
  const { settings, rest } = withoutSettings(words);
  const [first, ...others] = rest;
  const program = first?.text ?? '';
  if (program === 'cd') return { ...nothing, ...(others[0] && { folder: others[0].text }) };
  if (program === 'mkdir' || program === 'set' || program === 'tee') return nothing;
  const isPython = /^python[\d.]*$/.test(program);
  const operands = isPython ? withoutPythonFlags(others) : others;
  const all = [...settings, ...(program === 'export' ? exported(operands) : argumentsOf(operands))];
  const name = isPython ? 'python' : program.replace(/^\.\//, '');
  const seed = all.findLast((one) => one.name !== undefined && seedName.test(one.key));
  const head = program === 'export' ? '' : name;
  const counted = all.filter(isCounted(harmlessName));
  return {
    exact: written(head, all.filter(isCounted(outputName))),
    near: written(head, counted),
    program: head,
    counted,
    ...(seed && { seed: seed.value }),
  };
}

const settingPattern = /^([A-Za-z_]\w*)=([\s\S]*)$/;

/**
 * Removes the assignments before the program, and wrappers that only start the program. Returns the
 * assignments as `settings` and the other words as `rest`.
 */
function withoutSettings(words: readonly Word[]): { settings: Argument[]; rest: readonly Word[] } {
  const settings: Argument[] = [];
  let index = 0;
  for (; index < words.length; index += 1) {
    const { text = '', isQuoted = false } = words[index] ?? {};
    const [, key, value = ''] = settingPattern.exec(text) ?? [];
    if (key !== undefined) settings.push(setting(key, value));
    else if (isQuoted || wrapperOf(text)?.kind !== 'starts') break;
    else while (/^-|^\d+$/.test(words[index + 1]?.text ?? '')) index += 1;
  }
  return { settings, rest: words.slice(index) };
}

const setting = (key: string, value: string): Argument => ({
  name: `$${key}`,
  key,
  value: valueForm(value),
});

const exported = (words: readonly Word[]): Argument[] =>
  words.flatMap(({ text }) => {
    const [, key, value = ''] = settingPattern.exec(text) ?? [];
    return key === undefined ? [] : [setting(key, value)];
  });

/** Removes flags of the Python interpreter that do not change a result. */
function withoutPythonFlags(words: readonly Word[]): readonly Word[] {
  const from = words.findIndex(({ text }) => !/^-[uBEIsSOq]+$/.test(text));
  return from < 0 ? [] : words.slice(from);
}

const optionPattern = /^(--?)([A-Za-z][\w.-]*)(?:=([\s\S]*))?$/;
const assignment = /^(\+{0,2}[A-Za-z_][\w./-]*)=([\s\S]*)$/;

function argumentsOf(words: readonly Word[]): Argument[] {
  const found: Argument[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const { text } = words[index] as Word;
    const [, dashes, key = '', value] = optionPattern.exec(text) ?? [];
    const [, assigned, to = ''] = assignment.exec(text) ?? [];
    if (dashes !== undefined) {
      const next = words[index + 1]?.text;
      const takesNext = value === undefined && next !== undefined && isValue(next);
      if (takesNext) index += 1;
      found.push({
        name: optionName(dashes, key),
        key: plainKey(key),
        value: valueForm(value ?? (takesNext ? next : '')),
      });
    } else if (assigned !== undefined)
      found.push({ name: assigned, key: plainKey(assigned), value: valueForm(to) });
    else found.push({ key: '', value: valueForm(text) });
  }
  return found;
}

/**
 * Returns whether the text after an option can be its value: negative numbers can, other options
 * cannot.
 */
const isValue = (text: string): boolean =>
  !/^--?[A-Za-z]/.test(text) && text !== '--' && !assignment.test(text);

const optionName = (dashes: string, key: string): string => `${dashes}${key.replaceAll('_', '-')}`;
const plainKey = (key: string): string => key.replace(/^\++/, '').toLowerCase();

const isCounted =
  (ignored: RegExp) =>
  ({ name, key }: Argument): boolean => {
    if (name === undefined) return true;
    if (name.startsWith('$')) return !outerVariable.test(key) && !ignored.test(folded(key));
    return !ignored.test(folded(key));
  };

const folded = (key: string): string =>
  key
    .toLowerCase()
    .replace(/[_-]/g, '')
    .replace(/^no(?=verbose|progress)/, '');

/**
 * Returns the form as text: options and assignments sorted by name, with equal names in their given
 * order, and positional arguments in their given order.
 */
function written(program: string, all: readonly Argument[]): string {
  const named = all.filter(({ name }) => name !== undefined);
  const places = all.filter(({ name }) => name === undefined);
  const sorted = named.toSorted((a, b) =>
    (a.name ?? '') < (b.name ?? '') ? -1 : a.name === b.name ? 0 : 1,
  );
  return [
    ...(program === '' ? [] : [program]),
    ...places.map(({ value }) => JSON.stringify(value)),
    ...sorted.map(({ name = '', value }) => `${name}=${JSON.stringify(value)}`),
  ].join(' ');
}

const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Returns the value, or each value of a comma-separated list, with numbers in one notation: `3e-4`
 * becomes `0.0003`. Does not change a number that would lose digits.
 */
const valueForm = (text: string): string => text.split(',').map(numberForm).join(',');

function numberForm(text: string): string {
  if (!number.test(text) || text.length > 20) return text;
  const value = Number(text);
  return Number.isFinite(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER ? String(value) : text;
}
