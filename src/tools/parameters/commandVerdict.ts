/**
 * Judges a command for a machine, and resolves links and file name patterns of its paths on that
 * machine.
 */
import { posix } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { MachineFailure, type Machine, type Machines } from '../../machines/machine.ts';
import { keyFilesIn, oddFilesIn } from '../../machines/keyFiles.ts';
import { matchesOf } from '../../machines/matches.ts';
import { pathFacts, type PathFacts } from '../../machines/realPath.ts';
import type { CommandAccess } from '../../permissions/access.ts';
import { codePaths } from '../../permissions/commands/paths/codePaths.ts';
import { classify, judgeLine, loadClassifier } from '../../permissions/commands/classify.ts';
import { isWithin } from '../../permissions/commands/paths/operand.ts';
import type { CommandPlace } from '../../permissions/commands/paths/place.ts';
import {
  asks,
  asksEach,
  denies,
  strictest,
  type Verdict,
} from '../../permissions/commands/verdicts/verdict.ts';
import { commandNeeds } from '../../permissions/grants/commandNeeds.ts';
import { pathVerdict, type CommandPath } from '../../permissions/commands/paths/pathVerdict.ts';
import { usualPaths, type PathRules } from '../../permissions/pathRules.ts';
import { mandateConsent } from '../../permissions/mandate/line.ts';
import type { MachineMandate } from '../../permissions/mandate/mandate.ts';
import { machinePath } from './machinePath.ts';
import { machineMandate, type MandateInForce } from './mandateCoverage.ts';

type JudgingMachine = Pick<
  Machine,
  'query' | 'filesOnly' | 'ready' | 'workFolder' | 'homeFolder' | 'runsFolder'
>;

export interface LineToJudge {
  readonly line: string;
  /** Absolute path of the folder in which the line starts. Default: the working folder. */
  readonly folder?: string | undefined;
}

/**
 * Maximum number of times that the machine is asked. Several times may be needed, because the links
 * of a matching path can only be asked about after the pattern was resolved.
 */
const maxRounds = 5;

/**
 * Resolves with the verdict. If the machine does not answer, no path is resolved, and a line that
 * reads files is not safe. Does not ask the user to connect.
 */
export async function commandVerdict(
  machine: JudgingMachine,
  { line, folder }: LineToJudge,
  { rules = usualPaths, ...how }: JudgingRules = {},
): Promise<Verdict> {
  if (machine.filesOnly)
    return denies('cannot run on Windows itself: use WSL, an SSH host or a container', '');
  const [isReady] = await Promise.all([isReachable(machine), loadClassifier()]);
  const known = new KnownPaths(machine);
  const question = { machine, line, start: folder ?? machine.workFolder, known, rules, ...how };
  const verdict = isReady ? await answered(question) : judged(question);
  return pathVerdict(verdict, known.paths(), rules);
}

export interface JudgingRules {
  /** Rules on paths. Default: the rules for the usual home folder of Helios. */
  readonly rules?: PathRules | undefined;
  /**
   * The mandate on the machine. If set, the verdict includes why the mandate does not cover the
   * command.
   */
  readonly mandate?: MachineMandate | undefined;
  /**
   * True if the command runs as written, even if it only reads (`asArgumentLists` is not applied).
   * The mandate then judges it, too. Default: false.
   */
  readonly isAsWritten?: boolean;
}

interface Question extends Pick<JudgingRules, 'mandate' | 'isAsWritten'> {
  readonly machine: JudgingMachine;
  readonly line: string;
  /** Absolute path of the folder in which the line starts. */
  readonly start: string;
  readonly known: KnownPaths;
  readonly rules: PathRules;
}

async function answered(question: Question): Promise<Verdict> {
  const { known } = question;
  for (let round = 1; ; round += 1) {
    const verdict = judged(question);
    if (!known.hasQuestions)
      return isGranted(placeOf(question))
        ? verdict
        : unless(verdict, 'starts outside the working folder');
    if (round === maxRounds) return unless(verdict, 'names too many files one after the other');
    if (!(await known.ask())) return unless(verdict, 'reads a machine that does not answer');
  }
}

/**
 * Returns the verdict as far as the paths are known. With a mandate, includes why the mandate does
 * not cover the command.
 */
function judged(question: Question): Verdict {
  const { line, mandate, isAsWritten = false } = question;
  const place = placeOf(question);
  const found = judgeLine(line, place);
  const needs = commandNeeds(found);
  const verdict = { ...found.verdict, ...(needs && { needs }) };
  if (
    mandate === undefined ||
    !(verdict.kind === 'ask' || (isAsWritten && verdict.kind === 'safe'))
  )
    return verdict;
  const readFolders = [...mandate.folders, ...mandate.reads];
  if (!isGranted({ ...place, readFolders }))
    return { ...verdict, outside: 'starts outside the folders of the mandate' };
  const consent = mandateConsent(mandate);
  const consented = classify(line, { ...place, readFolders, consent });
  if (verdict.kind === 'safe')
    return consented.kind === 'safe' ? verdict : { ...consented, outside: consented.reason };
  return { ...verdict, outside: consented.kind === 'safe' ? '' : consented.reason };
}

const isReachable = async (machine: JudgingMachine): Promise<boolean> => {
  try {
    await machine.ready?.();
    return true;
  } catch {
    return false;
  }
};

function placeOf({ machine, line, start, known, rules }: Question): CommandPlace {
  const { workFolder, runsFolder, homeFolder: home = '/nonexistent' } = machine;
  const worktrees = posix.join(posix.dirname(runsFolder), 'worktrees');
  for (const path of codePaths(line)) known.realPath(absolute(path, start, home));
  return {
    workFolder: known.realPath(start) ?? start,
    home,
    readFolders: [workFolder, runsFolder, worktrees].map((each) => known.realPath(each) ?? each),
    rules,
    realPath: (path) => known.realPath(path),
    exists: (path) => known.exists(path),
    matches: (pattern) => known.matches(pattern),
    keyFiles: (folder) => known.keyFiles(folder),
    oddFiles: (folder) => known.oddFiles(folder),
  };
}

const absolute = (path: string, start: string, home: string): string =>
  /^~(?:\/|$)/.test(path) ? posix.join(home, path.slice(1)) : posix.resolve(start, path);

/**
 * Returns true if the line starts in a folder that the agent may read. A line that starts elsewhere
 * could read there without naming a path.
 */
const isGranted = ({ workFolder: start, readFolders = [] }: CommandPlace): boolean =>
  readFolders.some((folder) => isWithin(folder, start));

const unless = (verdict: Verdict, reason: string): Verdict =>
  verdict.kind === 'safe' ? asks(reason, '') : verdict;

/** The answers of the machine that the classifier needs. */
type Answers = Pick<CommandPlace, 'realPath' | 'exists' | 'matches' | 'keyFiles' | 'oddFiles'>;

class KnownPaths implements Answers {
  readonly #machine: JudgingMachine;
  readonly #facts = new Map<string, PathFacts>();
  readonly #matches = new Map<string, readonly string[] | undefined>();
  readonly #paths = new Set<string>();
  /**
   * Paths that the command does not name but the classifier asks about, such as the usual paths of
   * keys.
   */
  readonly #unnamed = new Set<string>();
  readonly #patterns = new Set<string>();
  readonly #keyFiles = new Map<string, readonly string[] | undefined>();
  readonly #folders = new Set<string>();
  readonly #oddFiles = new Map<string, readonly string[] | undefined>();
  readonly #oddFolders = new Set<string>();

  constructor(machine: JudgingMachine) {
    this.#machine = machine;
  }

  get hasQuestions(): boolean {
    return this.#paths.size + this.#patterns.size + this.#folders.size + this.#oddFolders.size > 0;
  }

  realPath(path: string): string | undefined {
    const facts = this.#facts.get(path);
    if (facts === undefined) this.#paths.add(path);
    this.#unnamed.delete(path);
    return facts?.real;
  }

  exists(path: string): boolean | undefined {
    const facts = this.#facts.get(path);
    if (facts === undefined && !this.#paths.has(path)) {
      this.#paths.add(path);
      this.#unnamed.add(path);
    }
    return facts && facts.kind !== 'missing';
  }

  /** Returns the paths that the command names, with what is known about them. */
  paths(): readonly CommandPath[] {
    return [
      ...[...this.#paths].map((path) => ({ path })),
      ...[...this.#facts].map(([path, facts]) => ({ path, ...facts })),
    ].filter(({ path }) => !this.#unnamed.has(path));
  }

  matches(pattern: string): readonly string[] | undefined {
    if (!this.#matches.has(pattern)) this.#patterns.add(pattern);
    return this.#matches.get(pattern);
  }

  keyFiles(folder: string): readonly string[] | undefined {
    if (!this.#keyFiles.has(folder)) this.#folders.add(folder);
    return this.#keyFiles.get(folder);
  }

  oddFiles(folder: string): readonly string[] | undefined {
    if (!this.#oddFiles.has(folder)) this.#oddFolders.add(folder);
    return this.#oddFiles.get(folder);
  }

  /** Asks the machine all open questions. Resolves with false if the machine does not answer. */
  async ask(): Promise<boolean> {
    const [paths, patterns] = [[...this.#paths], [...this.#patterns]];
    const [folders, oddFolders] = [[...this.#folders], [...this.#oddFolders]];
    try {
      const [facts, matches, keyFiles, oddFiles] = await Promise.all([
        pathFacts(this.#machine, paths),
        matchesOf(this.#machine, patterns),
        keyFilesIn(this.#machine, folders),
        oddFilesIn(this.#machine, oddFolders),
      ]);
      paths.forEach((path, index) => this.#facts.set(path, facts[index] ?? { kind: 'missing' }));
      patterns.forEach((pattern, index) => this.#matches.set(pattern, matches[index]));
      folders.forEach((folder, index) => this.#keyFiles.set(folder, keyFiles[index]));
      oddFolders.forEach((folder, index) => this.#oddFiles.set(folder, oddFiles[index]));
      this.#oddFolders.clear();
      this.#paths.clear();
      this.#patterns.clear();
      this.#folders.clear();
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * Resolves with the verdict on a command that a call would run. Denies a command on a machine that
 * does not exist. If the folder of the command cannot be found, the command needs an approval in
 * every mode.
 */
export async function accessVerdict(
  machines: Pick<Machines, 'get'>,
  { machineId, command, judged = [command], folder, asArguments }: CommandAccess,
  { rules, inForce }: { readonly rules?: PathRules; readonly inForce?: MandateInForce } = {},
): Promise<Verdict> {
  try {
    const machine = machines.get(machineId);
    const start = folder === undefined ? undefined : await machinePath(machine, folder);
    const mandate = inForce && (await machineMandate(machine, inForce));
    if (inForce !== undefined && mandate === undefined)
      return asks(`runs on ${machineId}, which the mandate does not grant`, '');
    const verdicts: Verdict[] = [];
    for (const line of judged)
      verdicts.push(
        await commandVerdict(
          machine,
          { line, folder: start },
          { rules, mandate, isAsWritten: asArguments !== true },
        ),
      );
    const isAsked = strictest(verdicts).kind === 'ask';
    const uncovered = verdicts.find(({ kind, outside }) => kind === 'ask' && outside !== '');
    return isAsked && uncovered !== undefined ? uncovered : strictest(verdicts);
  } catch (error) {
    return unjudged(error);
  }
}

/**
 * Returns the verdict on a command that could not be judged, which therefore needs an approval in
 * every mode.
 */
function unjudged(error: unknown): Verdict {
  const reason = `cannot be judged: ${messageOf(error).replace(/\.$/, '')}`;
  return error instanceof MachineFailure && error.reason === 'unknown_machine'
    ? denies(reason, '')
    : asksEach(reason, '', `The command ${reason}`);
}
