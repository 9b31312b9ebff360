/** Judges a command for a machine, with the links and patterns of its paths resolved there. */
import { messageOf } from '../../base/errors.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { matchesOf } from '../../machines/matches.ts';
import { realPaths } from '../../machines/realPath.ts';
import type { CommandAccess } from '../../permissions/access.ts';
import { classify, loadClassifier } from '../../permissions/commands/classify.ts';
import { isWithin } from '../../permissions/commands/operand.ts';
import type { CommandPlace } from '../../permissions/commands/place.ts';
import { asks, type Verdict } from '../../permissions/commands/verdict.ts';
import { machinePath } from './machinePath.ts';

type JudgingMachine = Pick<Machine, 'query' | 'ready' | 'workFolder' | 'homeFolder' | 'runsFolder'>;

export interface LineToJudge {
  readonly line: string;
  /** Absolute path of the folder in which the line starts. Default: the working folder. */
  readonly folder?: string | undefined;
}

/** Rounds of questions: the links of a match are known only after the match. */
const maxRounds = 4;

/**
 * Resolves with the verdict. If the machine does not answer, no path is resolved, and a line that
 * reads files is not safe. Does not ask the user to connect.
 */
export async function commandVerdict(
  machine: JudgingMachine,
  { line, folder }: LineToJudge,
): Promise<Verdict> {
  const [isReady] = await Promise.all([isReachable(machine), loadClassifier()]);
  if (!isReady) return classify(line, unknownPlace);
  const known = new KnownPaths(machine);
  const start = folder ?? machine.workFolder;
  for (let round = 1; ; round += 1) {
    const place = placeOf(machine, start, known);
    const verdict = classify(line, place);
    if (!known.hasQuestions) return isGranted(place) ? verdict : outside(verdict);
    if (round === maxRounds || !(await known.ask())) return outside(verdict);
  }
}

const isReachable = async (machine: JudgingMachine): Promise<boolean> => {
  try {
    await machine.ready?.();
    return true;
  } catch {
    return false;
  }
};

const unknownPlace: CommandPlace = {
  workFolder: '/nonexistent',
  home: '/nonexistent',
  realPath: () => undefined,
  matches: () => undefined,
};

const placeOf = (machine: JudgingMachine, start: string, known: KnownPaths): CommandPlace => ({
  workFolder: known.realPath(start) ?? start,
  home: machine.homeFolder ?? '/nonexistent',
  readFolders: [machine.workFolder, machine.runsFolder].map((each) => known.realPath(each) ?? each),
  realPath: (path) => known.realPath(path),
  matches: (pattern) => known.matches(pattern),
});

/** A line that starts elsewhere may read there without naming a path. */
const isGranted = ({ workFolder: start, readFolders: [work = ''] = [] }: CommandPlace): boolean =>
  isWithin(work, start);

const outside = (verdict: Verdict): Verdict =>
  verdict.kind === 'safe' ? asks('starts outside the working folder', '') : verdict;

/** The answers of the machine, and the questions that the classifier had besides. */
class KnownPaths implements Pick<CommandPlace, 'realPath' | 'matches'> {
  readonly #machine: JudgingMachine;
  readonly #real = new Map<string, string | undefined>();
  readonly #matches = new Map<string, readonly string[] | undefined>();
  readonly #paths = new Set<string>();
  readonly #patterns = new Set<string>();

  constructor(machine: JudgingMachine) {
    this.#machine = machine;
  }

  get hasQuestions(): boolean {
    return this.#paths.size + this.#patterns.size > 0;
  }

  realPath(path: string): string | undefined {
    if (!this.#real.has(path)) this.#paths.add(path);
    return this.#real.get(path);
  }

  matches(pattern: string): readonly string[] | undefined {
    if (!this.#matches.has(pattern)) this.#patterns.add(pattern);
    return this.#matches.get(pattern);
  }

  /** Asks the machine. Resolves with false if it does not answer. */
  async ask(): Promise<boolean> {
    const [paths, patterns] = [[...this.#paths], [...this.#patterns]];
    this.#paths.clear();
    this.#patterns.clear();
    try {
      const [real, matches] = await Promise.all([
        realPaths(this.#machine, paths),
        matchesOf(this.#machine, patterns),
      ]);
      paths.forEach((path, index) => this.#real.set(path, real[index]));
      patterns.forEach((pattern, index) => this.#matches.set(pattern, matches[index]));
      return true;
    } catch {
      return false;
    }
  }
}

/**
 * Resolves with the verdict on a command that a call would run. A command on a machine that does
 * not exist, or in a folder that cannot be found, is not safe.
 */
export async function accessVerdict(
  machines: Pick<Machines, 'get'>,
  { machineId, command: line, folder }: CommandAccess,
): Promise<Verdict> {
  try {
    const machine = machines.get(machineId);
    if (folder === undefined) return await commandVerdict(machine, { line });
    return await commandVerdict(machine, { line, folder: await machinePath(machine, folder) });
  } catch (error) {
    return asks(`cannot be judged: ${messageOf(error)}`, '');
  }
}
