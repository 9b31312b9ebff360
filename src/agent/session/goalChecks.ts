/**
 * Checks the requirements of a goal besides numbers, on the code of the runs that are given as
 * evidence.
 */
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import { quotedReason, untrusted } from '../../base/untrusted.ts';
import type { ExperimentPlan } from '../../experiments/experiment.ts';
import type { LedgerRow } from '../../experiments/ledger.ts';
import {
  exampleCommand,
  runsCheck,
  type Requirements,
} from '../../experiments/target/requirements.ts';
import { judgeLaunches } from '../../experiments/target/launchLimits.ts';
import { MachineFailure, type Machine } from '../../machines/machine.ts';
import { outcomeText, runCommand } from '../../tools/parameters/runCommand.ts';
import type { CheckPlace } from '../../tools/session/finish.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { checkFolderName, removeCheckFolders } from '../experiments/checkFolders.ts';
import { launchedRuns } from '../experiments/launchLimits.ts';
import { restoredFolder } from '../experiments/storedCode.ts';
import { changedFiles, changedText } from '../experiments/unchangedFiles.ts';
import type { CheckEnded } from '../journal/experimentEvents.ts';
import type { SessionState } from '../journal/state.ts';
import type { ToolsetDeps } from './toolsetDeps.ts';
import { changedChecks } from './usersChecks.ts';

type Deps = Pick<
  ToolsetDeps,
  'log' | 'folder' | 'machines' | 'defaultMachine' | 'experiments' | 'git' | 'confining' | 'clock'
>;

/** Time limit for each check. */
const checkSeconds = 600;
const maxOutputLines = 12;
const maxOutputChars = 2_000;

/** Returns the distinct plans of the experiments that the runs belong to. */
function plansOf({ experiments }: SessionState, rows: readonly LedgerRow[]): ExperimentPlan[] {
  const ids = [...new Set(rows.flatMap(({ experimentId }) => experimentId ?? []))];
  return ids.flatMap((id) => experiments.get(id)?.plan ?? []);
}

/** Returns the machines and folders in which to run the checks. */
export function checkPlaces(deps: PlaceDeps, rows: readonly LedgerRow[]): CheckPlace[] {
  const plans = plansOf(deps.log.state, rows);
  if (plans.length === 0) return [placeWithoutPlan(deps)];
  return plans.map(({ machineId, cwd }) => ({ machineId, folder: cwd }));
}

type PlaceDeps = Pick<Deps, 'log' | 'machines' | 'defaultMachine'>;

/** Returns the place of a check without an experiment: where commands run by default. */
function placeWithoutPlan({ log, machines, defaultMachine: machineId }: PlaceDeps): CheckPlace {
  const { kind, workFolder } = machines.get(machineId);
  return { machineId, folder: kind === 'local' ? log.state.workFolder : workFolder };
}

/**
 * Resolves with texts that say what was checked. Rejects with `ToolFailure` if a file was changed
 * that the goal requires to stay unchanged, or if a check is missing or fails.
 */
export async function checkRequirements(
  deps: Deps,
  { rows, checks }: { readonly rows: readonly LedgerRow[]; readonly checks: readonly string[] },
  context: ToolContext,
): Promise<readonly string[]> {
  const { requirements } = deps.log.state;
  const plans = plansOf(deps.log.state, rows);
  if (requirements !== undefined) {
    refuseMissing(requirements, checks);
    for (const plan of plans) await refuseChanged(deps, requirements, plan);
  }
  const unchanged = (requirements?.unchanged ?? []).map(({ path }) => `${path} unchanged`);
  const limits = judgeLaunches(requirements ?? {}, launchedRuns(deps.log.state));
  const launches = limits.map(({ isMet, text }) => `${text}${isMet ? '' : ', not met'}`);
  try {
    return [...unchanged, ...launches, ...(await runChecks(deps, { plans, checks }, context))];
  } finally {
    if (checks.length > 0) await removeCheckFolders(deps, plans);
  }
}

interface PlannedChecks {
  readonly plans: readonly ExperimentPlan[];
  readonly checks: readonly string[];
}

/** Runs each check on the code of each plan; without a plan, where commands run by default. */
async function runChecks(
  deps: Deps,
  { plans, checks }: PlannedChecks,
  context: ToolContext,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const command of checks) {
    if (plans.length === 0) {
      const place = { command, ...placeWithoutPlan(deps) };
      texts.push(await check(deps, await withUsersChecks(deps, place), context));
    }
    for (const plan of plans) {
      const { machineId } = plan;
      const place = { command, machineId, folder: await codeFolder(deps, plan), plan };
      texts.push(await check(deps, await withUsersChecks(deps, place), context));
    }
  }
  return texts;
}

function refuseMissing(requirements: Requirements, checks: readonly string[]): void {
  const missing = requirements.checks.find((one) => !checks.some((each) => runsCheck(each, one)));
  if (missing === undefined) return;
  const example = exampleCommand(missing);
  throw new ToolFailure(
    `The goal asks that ${missing} ${missing === 'tests' ? 'pass' : 'passes'}. Call finish with the command that runs it in checks${example === undefined ? '' : `, such as ${JSON.stringify([example])}`}; Helios runs it on the code of the evidence.`,
  );
}

async function refuseChanged(
  { machines }: Deps,
  requirements: Requirements,
  plan: ExperimentPlan,
): Promise<void> {
  const changed = await changedFiles(requirements, machines.get(plan.machineId), plan);
  if (changed.length > 0)
    throw new ToolFailure(
      `Not ended: in ${plan.cwd}, ${changedText(changed)}. Restore it; if ${plan.id} was measured with the change, decide it invalid and measure again.`,
    );
}

/**
 * Resolves with the folder of the runs if it still has their code; otherwise with a new worktree.
 */
async function codeFolder(deps: Deps, plan: ExperimentPlan): Promise<string> {
  const { log, machines, experiments } = deps;
  const { id, cwd, code, machineId } = plan;
  if (code.kind === 'none' || (await experiments.hasCode(plan))) return cwd;
  const place = { plan, machine: machines.get(machineId) };
  return newFolder(deps, place, checkFolderName(id, log.state.turns, false));
}

async function newFolder(
  { log, machines, clock }: Pick<Deps, 'log' | 'machines' | 'clock'>,
  { plan, machine }: { readonly plan: ExperimentPlan; readonly machine: Machine },
  name: string,
): Promise<string> {
  const sessionId = log.state.id;
  const { cwd } = plan;
  return (await restoredFolder({ plan, machine, cwd, name }, { sessionId, machines, clock })).cwd;
}

/**
 * Resolves with the check, in a new worktree with the user's version of its scripts if the session
 * has changed them. Without stored code there is no such worktree: the check then stays in its
 * folder, and its text says that it was changed.
 */
async function withUsersChecks(deps: Deps, asked: Check): Promise<Check> {
  const { command, machineId, folder: cwd, plan } = asked;
  const machine = deps.machines.get(machineId);
  const changed = await changedChecks(deps, { command, machine, cwd, code: plan?.code });
  const names = changed.map(({ name }) => name).join(', ');
  if (changed.length === 0) return asked;
  const own = { ...asked, note: `${names} is not the user's: this session changed it` };
  if (plan === undefined) return own;
  const name = checkFolderName(plan.id, deps.log.state.turns, true);
  const folder = await newFolder(deps, { plan, machine }, name);
  if (folder === plan.cwd) return own;
  for (const each of changed)
    await machine.writeFile(machine.path.join(folder, each.name), each.content);
  return {
    ...asked,
    folder,
    note: `run with the user's ${names}, which ${plan.id} changed`,
  };
}

interface Check extends CheckPlace {
  readonly command: string;
  readonly plan?: ExperimentPlan | undefined;
  /** Which version of its scripts runs. Omitted if the session has not changed them. */
  readonly note?: string;
}

/**
 * Runs and records the check. Resolves with a text if it passed. Rejects with `ToolFailure` if it
 * failed, with the end of its output, or if it could not be started.
 */
async function check(deps: Deps, asked: Check, context: ToolContext): Promise<string> {
  const { command, machineId, folder, plan, note } = asked;
  const { outcome, text, output } = await run(deps, asked, context);
  const { callId } = context;
  const ended = { callId, machineId, command, folder, outcome, text };
  const code = plan && { experimentId: plan.id };
  await deps.log.record({ type: 'check.ended', ...ended, ...code });
  const name = oneLine(command, 80);
  const where = `${plan === undefined ? '' : ` on the code of ${plan.id}`}${note === undefined ? '' : `, ${note}`}`;
  if (outcome === 'passed') return `${name} passed${where}`;
  if (outcome === 'not_started')
    throw new ToolFailure(
      `Not ended: ${name} could not be started on ${machineId}: ${output}. It has not failed: call finish again. If it still does not start, repair what this names.`,
    );
  throw new ToolFailure(
    `Not ended: ${name} failed (${text}) on ${machineId}${plan === undefined ? '' : ','}${where}.${note === undefined ? '' : ' If that check is wrong, call finish with outcome blocked and say why.'}\n${output}`,
  );
}

interface RunCheck extends Pick<CheckEnded, 'outcome' | 'text'> {
  /** End of the output, or why the check was not started, for the model. */
  readonly output: string;
}

async function run(
  deps: Deps,
  { command, machineId, folder: cwd }: Check,
  context: ToolContext,
): Promise<RunCheck> {
  const given = { machine_id: machineId, command, cwd, timeout_seconds: checkSeconds };
  try {
    const { result, notStarted: why } = await runCommand(deps, given, context);
    const { outcome, stdout, stderr } = result;
    if (why !== undefined)
      return { outcome: 'not_started', text: why, output: quotedReason(why, machineId, '') };
    const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-maxOutputLines).join('\n');
    return {
      outcome: outcome.kind === 'exited' && outcome.code === 0 ? 'passed' : 'failed',
      text: outcomeText(outcome),
      output: untrusted(lines, 'end of its output', maxOutputChars),
    };
  } catch (error) {
    if (!(error instanceof MachineFailure) || error.reason !== 'missing') throw error;
    const why = messageOf(error).replace(/\.$/, '');
    return { outcome: 'not_started', text: why, output: why };
  }
}
