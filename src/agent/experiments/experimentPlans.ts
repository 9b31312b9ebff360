/**
 * Plans experiments before their first run: chooses the folder, captures the code, and checks
 * whether the experiment was tried before.
 */
import type { Clock } from '../../base/clock.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import { changedLines, sameCode } from '../../experiments/codeDifference.ts';
import { commandForm } from '../../experiments/commandForm.ts';
import { codeKey, fingerprintOf, type Attempt } from '../../experiments/duplicates.ts';
import type { CodeState, ExperimentPlan } from '../../experiments/experiment.ts';
import type { ExperimentRow } from '../../experiments/ledger.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import type { RunLimit } from '../../runs/run.ts';
import type { ExperimentArguments } from '../../tools/parameters/experimentParameters.ts';
import { machinePath } from '../../tools/parameters/machinePath.ts';
import { envFor } from '../journal/runFold.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionState } from '../journal/state.ts';
import type { SessionRuns } from '../runs/sessionRuns.ts';
import { comparedTrees, knownTrees, startOf } from './comparedTrees.ts';
import { duplicatesOf, type AskedAttempts } from './attempts.ts';
import {
  earlierName,
  earlierNotes,
  earlierRefusal,
  importedNotes,
  isExact,
  type EarlierAttempts,
} from './earlierAttempts.ts';
import { experimentNamed } from './experimentReference.ts';
import { duplicateText, otherCodeText, similarNotes } from './experimentLabels.ts';
import { refuseBeyondLimits } from './launchLimits.ts';
import { storeOf } from './storedCode.ts';
import { changedFiles, changedText, restoringText } from './unchangedFiles.ts';

export interface ExperimentPlansDeps {
  readonly log: SessionLog;
  readonly sessionRuns: SessionRuns;
  readonly machines: Machines;
  readonly clock: Clock;
  /** Stores the state of the code, within a limited time; without a name, only reads it. */
  readonly code: CodeCapture;
  /** Finds similar attempts of the home's other sessions. */
  readonly earlier: Pick<EarlierAttempts, 'prepare' | 'like'>;
}

export interface CodeCapture {
  capture(
    machine: Machine,
    folder: string,
    name: string | undefined,
    commands: readonly string[],
  ): Promise<CodeState>;
  /** Returns how captured code differs from `comparedTrees`, if that is known. */
  differences(code: CodeState): string | undefined;
  /** Removes what was stored for a launch that was refused. Never rejects. */
  discard(machine: Machine, repo: string, name: string): Promise<void>;
}

export interface ExperimentRequest extends ExperimentArguments {
  /** Ids of the machines. The code is captured on the first machine that answers. */
  readonly machineIds: readonly string[];
  /** True when the launch may wait for machines that do not answer now. */
  readonly mayWait?: boolean;
  /**
   * Command as the model wrote it. For a sweep, the command contains placeholders for the values.
   */
  readonly command: string;
  /** Shell commands to launch, one per run. */
  readonly commands: readonly string[];
  readonly cwd?: string;
  readonly label?: string;
  readonly limit?: RunLimit;
}

export interface BegunExperiment {
  /** `e7` */
  readonly id: string;
  /** Information from earlier sessions, one line each. */
  readonly notes: readonly string[];
}

/** Plans one experiment after the other, so that each gets the next number. */
export class ExperimentPlans {
  readonly #deps: ExperimentPlansDeps;
  #planning: Promise<unknown> = Promise.resolve();

  constructor(deps: ExperimentPlansDeps) {
    this.#deps = deps;
  }

  /**
   * Plans the experiment of a launch in the journal and resolves with the experiment. If the same
   * tool call planned an experiment before a crash, resolves with that experiment. Rejects with
   * `ToolFailure`, without recording anything, if the experiment was tried before.
   */
  begin(request: ExperimentRequest, callId: string): Promise<BegunExperiment> {
    const begun = this.#planning.then(() => this.#begin(request, callId));
    this.#planning = begun.catch(() => undefined);
    return begun;
  }

  /** Resolves with whether the folder of the plan still contains the code of the plan. */
  async hasCode({ machineId, cwd, code, command, sameCodeAs }: ExperimentPlan): Promise<boolean> {
    const machine = this.#deps.machines.get(machineId);
    const now = await this.#deps.code.capture(machine, cwd, undefined, [command]);
    if (code.kind === 'none' || now.kind === 'none') return false;
    const isSame = now.tree === code.tree || now.tree === sameCodeAs;
    // For a copy, `ignored` says whether all of its files could be compared.
    return isSame && (now.uploaded === undefined || now.ignored === code.ignored);
  }

  get #state(): SessionState {
    return this.#deps.log.state;
  }

  async #begin(request: ExperimentRequest, callId: string): Promise<BegunExperiment> {
    const before = this.#begunFor(callId);
    if (before !== undefined) return { id: before, notes: [] };
    const { machineIds, commands } = request;
    const planned = { count: commands.length, machineIds };
    refuseBeyondLimits(this.#state, this.#deps.log.events, planned);
    this.#deps.earlier.prepare();
    const joined =
      request.experiment === undefined
        ? undefined
        : experimentNamed(this.#deps.sessionRuns.ledger(), request.experiment);
    const number = nextNumber(this.#state);
    // Without a name, no code is stored: the stored code of an existing experiment must not be
    // replaced.
    const place = await this.#place(request, joined === undefined ? `e${number}` : undefined);
    if (joined !== undefined) return this.#join(joined, request, place);
    try {
      return await this.#plan(request, { place, number, callId });
    } catch (error) {
      const { machine, code } = place;
      const store = storeOf(this.#deps.machines, machine, code);
      if (code.kind === 'git') await this.#deps.code.discard(store, code.repo, `e${number}`);
      throw error;
    }
  }

  /**
   * Adds a launch to an existing experiment. If its code differs in comments or outputs, this code
   * is stored under a further name.
   */
  async #join(
    joined: ExperimentRow,
    request: ExperimentRequest,
    place: Place,
  ): Promise<BegunExperiment> {
    const { machine, cwd, code } = place;
    const sameCodeAs = await this.#sameCode(place, request.commands);
    await this.#refuseOtherCode(joined, { machine, code, sameCodeAs });
    await this.#refuseChanged(place);
    const attempts = attemptsIn(request, place, sameCodeAs);
    const { notes } = this.#duplicates(request, {
      attempts,
      limit: request.limit,
      experimentId: joined.id,
    });
    if (sameCodeAs !== undefined) {
      const name = `${joined.id}-${this.#state.runs.size + 1}`;
      await this.#deps.code.capture(machine, cwd, name, request.commands);
    }
    return { id: joined.id, notes: [...codeNotes(code), ...notes] };
  }

  async #plan(
    request: ExperimentRequest,
    { place, number, callId }: { place: Place; number: number; callId: string },
  ): Promise<BegunExperiment> {
    const { code } = place;
    await this.#refuseChanged(place);
    const sameCodeAs = await this.#sameCode(place, request.commands);
    const attempts = attemptsIn(request, place, sameCodeAs);
    const { of, notes } = this.#duplicates(request, { attempts, limit: request.limit });
    const earlier = await this.#earlier(request, attempts);
    const from = startOf(this.#state, { code, sameCodeAs }, this.#deps.code.differences(code));
    const plan: ExperimentPlan = {
      ...planOf({ ...place, request, attempts, number, state: this.#state }),
      ...(sameCodeAs !== undefined && { sameCodeAs }),
      ...retestOf(of ?? earlier.exact, request),
      ...(from !== undefined && { basedOn: from }),
    };
    await this.#deps.log.record({ type: 'experiment.planned', plan, callId });
    return {
      id: plan.id,
      notes: [
        ...codeNotes(code),
        ...notes,
        ...earlier.notes,
        ...importedNotes(this.#state.imported, code),
      ],
    };
  }

  /**
   * Resolves with notes about similar experiments of other sessions. Rejects with `ToolFailure` if
   * another session has the result of exactly the same experiment, unless `retest` is set.
   */
  async #earlier({ retest }: ExperimentRequest, attempts: readonly Attempt[]): Promise<Earlier> {
    const [first] = attempts;
    const found = await this.#deps.earlier.like(attempts, this.#state.id);
    const exact = found.filter((one) => first !== undefined && isExact(one, first.code));
    if (exact.length > 0 && retest === undefined)
      throw new ToolFailure(earlierRefusal(exact, attempts.length));
    return { exact: exact[0] && earlierName(exact[0]), notes: earlierNotes(found) };
  }

  /**
   * Resolves with the first machine that answers, the folder on that machine, and the folder's
   * code. Rejects when no machine answers, unless `mayWait` is true.
   */
  async #place(
    { machineIds, cwd: folder = '.', mayWait = false, commands }: ExperimentRequest,
    name: string | undefined,
  ): Promise<Place> {
    const machines = machineIds.map((id) => this.#deps.machines.get(id));
    const failures: unknown[] = [];
    for (const machine of machines) {
      try {
        const cwd = await machinePath(machine, folder);
        return { machine, cwd, code: await this.#deps.code.capture(machine, cwd, name, commands) };
      } catch (error) {
        failures.push(error);
      }
    }
    const [machine] = machines;
    if (!mayWait || machine === undefined) throw failures[0];
    return { machine, cwd: folder, code: { kind: 'none', why: messageOf(failures[0]) } };
  }

  /** Returns the id of the experiment that this tool call already planned before a crash. */
  #begunFor(callId: string): string | undefined {
    const id = this.#plannedFor(callId);
    return id !== undefined && this.#state.experiments.has(id) ? id : undefined;
  }

  #plannedFor(callId: string): string | undefined {
    const event = this.#deps.log.events.findLast(
      (one) =>
        (one.type === 'experiment.planned' ||
          one.type === 'run.planned' ||
          one.type === 'sweep.started') &&
        one.callId === callId,
    );
    switch (event?.type) {
      case 'experiment.planned':
        return event.plan.id;
      case 'run.planned':
        return event.spec.experimentId;
      case 'sweep.started':
        return event.plan.experimentId;
      default:
        return undefined;
    }
  }

  /**
   * Returns the id of the earlier experiment that the launch deliberately repeats, if any, and
   * notes about similar runs. Throws `ToolFailure` if the launch repeats a run without new
   * information, and `retest` is not set.
   */
  #duplicates({ retest }: ExperimentRequest, asked: AskedAttempts): Duplicates {
    const found = duplicatesOf(this.#deps.log.events, this.#state, asked);
    const ledger = this.#deps.sessionRuns.ledger();
    const repeats = found.filter(({ counts }) => counts);
    const of = asked.attempts.length;
    if (repeats.length > 0 && retest === undefined)
      throw new ToolFailure(duplicateText({ found: repeats, of, ledger }));
    const notes = retest === undefined ? similarNotes({ found, of, ledger }) : [];
    return { of: found[0]?.found.experimentId, notes };
  }

  /**
   * Resolves with the git tree of an earlier experiment whose code differs from the launched code,
   * but not in anything that can affect a run. Compares with the newest experiments only.
   */
  async #sameCode(
    { machine, code }: Place,
    commands: readonly string[],
  ): Promise<string | undefined> {
    if (code.kind !== 'git') return undefined;
    if (knownTrees(this.#state).includes(code.tree)) return undefined;
    const { repo, tree } = code;
    const { clock, machines } = this.#deps;
    const others = comparedTrees(this.#state);
    const differences = this.#deps.code.differences(code);
    const compared = { repo, tree, commands, others, clock, differences };
    return sameCode(storeOf(machines, machine, code), compared);
  }

  /** Rejects with `ToolFailure` if a file was changed that the goal requires to stay unchanged. */
  async #refuseChanged(place: Place): Promise<void> {
    const changed = await changedFiles(this.#state.requirements ?? {}, place.machine, place);
    if (changed.length > 0)
      throw new ToolFailure(
        `Nothing was started: ${changedText(changed)}. ${restoringText(changed, place)}`,
      );
  }

  /** Rejects with `ToolFailure` if the code differs from that of the experiment. */
  async #refuseOtherCode(
    { id, plan }: ExperimentRow,
    { machine, code, sameCodeAs }: Pick<Attempt, 'code' | 'sameCodeAs'> & Pick<Place, 'machine'>,
  ): Promise<void> {
    const [before, now] = [plan && codeKey(plan), codeKey({ code, sameCodeAs })];
    if (before === undefined || now === undefined || before === now) return;
    const { machines, clock } = this.#deps;
    const changed =
      code.kind === 'git' && plan?.code.kind === 'git'
        ? await changedLines(storeOf(machines, machine, code), {
            repo: code.repo,
            before: plan.code.tree,
            tree: code.tree,
            clock,
          })
        : undefined;
    const isSent = code.kind === 'git' && code.uploaded !== undefined;
    throw new ToolFailure(otherCodeText(id, { changed, isSent }));
  }
}

/**
 * Returns a number that no experiment has had, not even an experiment whose only run never started.
 */
function nextNumber({ experiments, runs }: SessionState): number {
  const used = [...runs.values()].flatMap(({ spec }) => spec.experimentId ?? []);
  return 1 + Math.max(0, ...[...experiments.keys(), ...used].map((id) => Number(id.slice(1))));
}

const codeNotes = ({ notes = [] }: CodeState): readonly string[] => notes;

interface Duplicates {
  readonly of: string | undefined;
  readonly notes: readonly string[];
}

const attemptsIn = (
  { commands }: ExperimentRequest,
  { cwd, code }: Place,
  sameCodeAs: string | undefined,
): Attempt[] => commands.map((command) => ({ command, cwd, code, sameCodeAs }));

interface Earlier {
  /**
   * Experiment of another session with exactly the same code and arguments, such as `e7 of session
   * …`.
   */
  readonly exact: string | undefined;
  readonly notes: readonly string[];
}

const retestOf = (
  of: string | undefined,
  { retest: why }: ExperimentRequest,
): Pick<ExperimentPlan, 'retest'> =>
  of === undefined || why === undefined ? {} : { retest: { of, why } };

interface Place {
  readonly machine: Machine;
  /** Folder of the runs. An absolute path, unless no machine answered. */
  readonly cwd: string;
  readonly code: CodeState;
}

interface PlanSource extends Place {
  readonly request: ExperimentRequest;
  readonly attempts: readonly Attempt[];
  readonly number: number;
  readonly state: SessionState;
}

function planOf({
  request,
  machine,
  cwd,
  code,
  attempts,
  number,
  state,
}: PlanSource): ExperimentPlan {
  const { command, commands, hypothesis, label } = request;
  const seed = commands.length === 1 ? commandForm(command).seed : undefined;
  const { envId } = envFor(state, { machineId: machine.id, cwd });
  return {
    id: `e${number}`,
    number,
    machineId: machine.id,
    command,
    cwd,
    code,
    hypothesis: hypothesis ?? oneLine(label ?? command, 200),
    fingerprint: fingerprintOf(attempts),
    ...(seed !== undefined && { seed }),
    ...(envId !== undefined && { envId }),
  };
}
