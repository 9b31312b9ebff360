/**
 * Finds the consents that a command line needs. Fails closed: if the fixed first words do not limit
 * what a command does, the user is asked each time.
 */
import type { ShellCommand, ShellWord } from '../../shell/shellCommand.ts';
import { programOf } from '../../shell/wrappers.ts';
import type { CommandVerdicts, LineVerdicts } from '../commands/classify.ts';
import { isHarmlessVariable } from '../commands/values/harmlessVariables.ts';
import { isWithin, pathsOf } from '../commands/paths/operand.ts';
import type { Spot } from '../commands/paths/place.ts';
import { readerOf } from '../commands/readers/allReaders.ts';
import { isRunner, unwrap } from '../commands/structure/runners.ts';
import { hasProgramReason } from '../commands/verdicts/programReasons.ts';
import type { CommandNeed } from './grant.ts';
import { fixedWords, isCodeRunner, knownModules, scriptName } from './prefixes.ts';

/**
 * Returns the consents that the line needs; `undefined` if the user can allow only this single
 * call. A consent to a line that only reads covers exactly its commands.
 */
export function commandNeeds({
  commands,
  verdict,
}: LineVerdicts): readonly CommandNeed[] | undefined {
  if (commands === undefined || verdict.kind === 'deny') return undefined;
  const isSafe = commands.every((each) => each.verdict.kind === 'safe');
  const needs = commands.map((each) =>
    isSafe ? exactNeed(each.command, each.spot) : needsOf(each),
  );
  return needs.includes(undefined) ? undefined : needs.flatMap((each) => each ?? []);
}

type Needs = readonly CommandNeed[] | undefined;

function needsOf(verdicts: CommandVerdicts): Needs {
  const { command, spot, danger, program, verdict } = verdicts;
  if (verdict.kind === 'safe') return [];
  if (danger.kind !== 'safe' || !command.assignments.every(isHarmlessVariable)) return undefined;
  const writes = redirectionNeeds(verdicts);
  const own = program.kind === 'safe' ? [] : programNeed(command, spot);
  return writes === undefined || own === undefined ? undefined : [...own, ...writes];
}

function redirectionNeeds({ command, spot, redirections }: CommandVerdicts): Needs {
  const questions = command.redirections.filter((_each, at) => redirections[at]?.kind !== 'safe');
  const folders = questions.map(({ sign, target }) =>
    sign.includes('>') ? ownFolderOf(target, spot) : undefined,
  );
  if (folders.includes(undefined)) return undefined;
  return folders.flatMap((folder) =>
    folder === undefined ? [] : [{ grant: { kind: 'write', folder }, widest: 'workspace' }],
  );
}

/**
 * Returns the real path of the folder, among the agent's folders, of the file that a word names;
 * `undefined` if the file is elsewhere or not known.
 */
function ownFolderOf(word: ShellWord, spot: Spot): string | undefined {
  if (word.isDynamic) return undefined;
  const paths = pathsOf(word, spot)?.map((path) => spot.place.realPath(path));
  return ownFolders(spot).find((folder) =>
    paths?.every((path) => path !== undefined && isWithin(folder, path)),
  );
}

const ownFolders = ({
  place: { workFolder, readFolders = [workFolder] },
}: Spot): readonly string[] => readFolders;

/**
 * Returns the real path of the folder in which a command runs; `undefined` if there are several
 * possible folders.
 */
function folderOf({ folders, place }: Spot): string | undefined {
  const [folder, ...others] = folders;
  return folder === undefined || others.length > 0 ? undefined : place.realPath(folder);
}

function exactNeed({ words, redirections }: ShellCommand, spot: Spot): Needs {
  const folder = folderOf(spot);
  if (folder === undefined || redirections.length > 0 || words.some(({ isDynamic }) => isDynamic))
    return undefined;
  const grant = { kind: 'command', folder, words: textsOf(words), isExact: true } as const;
  return [{ grant, widest: 'session' }];
}

const textsOf = (words: readonly ShellWord[]): readonly string[] => words.map(({ text }) => text);

function programNeed(command: ShellCommand, spot: Spot): Needs {
  const inner = unwrap(command);
  if (inner !== undefined) return programNeed(inner, spot);
  const [first, ...rest] = command.words;
  const folder = folderOf(spot);
  if (first === undefined || first.isDynamic || folder === undefined) return undefined;
  const name = programOf(first);
  if (/^(?:uv|poetry|pipenv)$/.test(name) && rest[0]?.text === 'run')
    return within(textsOf(command.words.slice(0, 2)), { ...command, words: rest.slice(1) }, spot);
  if (isCodeRunner(name)) return codeNeed(first, rest, { spot, folder });
  const fixed = fixedWords(name, rest);
  if (fixed !== undefined) {
    const isBounded = !fixed.writes || rest.every((word) => isOwnOperand(word, spot));
    const words = textsOf([first, ...rest.slice(0, fixed.count)]);
    const widest = first.text === name ? fixed.widest : 'workspace';
    return isBounded ? [{ grant: { kind: 'command', folder, words }, widest }] : undefined;
  }
  if (first.text !== name) return ownProgram(first, { spot, folder });
  return isUnknown(name, command) ? exactNeed({ ...command, redirections: [] }, spot) : undefined;
}

/** Returns true for a program that is on no list, called without an argument that may be code. */
const isUnknown = (name: string, { assignments, words }: ShellCommand): boolean =>
  assignments.length === 0 &&
  !isRunner(name) &&
  !hasProgramReason(name) &&
  readerOf(name) === undefined &&
  !words.some(({ text }) => /\s/.test(text));

/**
 * Returns the consents for a command that another program runs in the environment of the folder,
 * such as `uv run`.
 */
const within = (before: readonly string[], command: ShellCommand, spot: Spot): Needs =>
  programNeed(command, spot)?.map(({ grant, widest }) => ({
    grant: grant.kind === 'command' ? { ...grant, words: [...before, ...grant.words] } : grant,
    widest: widest === 'always' ? 'workspace' : widest,
  }));

const isOwnOperand = (word: ShellWord, spot: Spot): boolean =>
  word.text.startsWith('-')
    ? /^-[a-z]+$|^--(?:parents|append|verbose)$/.test(word.text)
    : ownFolderOf(word, spot) !== undefined;

interface Place {
  readonly spot: Spot;
  readonly folder: string;
}

/**
 * Returns the consent to a program that runs a script in the agent's folders, or a well-known
 * module.
 */
function codeNeed(program: ShellWord, rest: readonly ShellWord[], { spot, folder }: Place): Needs {
  const [option, module, ...others] = rest;
  if (option?.text === '-m') {
    const fixed = module?.isDynamic === false ? knownModules(module.text, others) : undefined;
    if (fixed === undefined) return undefined;
    const words = textsOf([program, ...rest.slice(0, 2 + fixed.count)]);
    return [{ grant: { kind: 'command', folder, words }, widest: 'workspace' }];
  }
  const script = scriptName(programOf(program), rest);
  const words = textsOf([program, ...rest.slice(0, option?.text === 'launch' ? 1 : 0)]);
  return script === undefined ? undefined : ownProgram(script, { spot, folder }, words);
}

/**
 * Returns the consent to a script file in the agent's folders, run directly or by an interpreter.
 */
function ownProgram(
  script: ShellWord,
  { spot, folder }: Place,
  words: readonly string[] = [],
): Needs {
  const [path, ...others] = (script.isDynamic ? undefined : pathsOf(script, spot)) ?? [];
  const real = path === undefined || others.length > 0 ? undefined : spot.place.realPath(path);
  if (path === undefined || real === undefined || spot.place.exists(path) === false)
    return undefined;
  if (!ownFolders(spot).some((own) => isWithin(own, real))) return undefined;
  return [{ grant: { kind: 'command', folder, words, script: real }, widest: 'workspace' }];
}
