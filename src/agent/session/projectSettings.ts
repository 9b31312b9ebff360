/** Combines the settings of a project with the user's settings. */
import { UserFacing } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { checkCommandsRun } from '../../machines/filesOnly.ts';
import type { Machines } from '../../machines/machine.ts';
import type { ProjectFile, Projects } from '../../project/projects.ts';
import { defaultReports, type ReportsPlace } from '../../reports/reportFolder.ts';
import type { ToolDefault } from '../../tools/tool.ts';
import type { GoalRequest } from '../contract/sessions.ts';
import type { EngineSettings } from '../contract/settings.ts';
import type { PermissionMode, PermissionsInForce } from '../../permissions/mode.ts';
import type { Budget, Limits } from '../journal/events.ts';

/**
 * Reads the current `helios.json`, for a session that is started or resumed. Logs each warning that
 * is not yet in `warned`, and adds it.
 */
export async function readProject(
  { projects, logger }: { readonly projects: Pick<Projects, 'read'>; readonly logger: Logger },
  warned: Set<string>,
  workFolder: string,
): Promise<ProjectFile | undefined> {
  const project = await projects.read(workFolder);
  for (const warning of project?.warnings ?? []) {
    if (!warned.has(warning)) logger.warn(warning);
    warned.add(warning);
  }
  return project;
}

const limits = ['usd', 'tokens', 'minutes', 'turns'] as const;

/**
 * Returns the budget of a session. A limit that the user set in the request applies; otherwise the
 * lower value of the settings and the project applies.
 */
export function budgetFor(
  { budget, defaultBudget = {} }: GoalRequest,
  project: ProjectFile | undefined,
): Budget {
  const projectBudget = project?.budget ?? {};
  const experiment = limitsFrom(
    budget.experiment ?? {},
    defaultBudget.experiment ?? {},
    projectBudget.experiment ?? {},
  );
  return {
    ...budget,
    ...limitsFrom(budget, defaultBudget, projectBudget),
    ...(Object.keys(experiment).length > 0 && { experiment }),
  };
}

function limitsFrom(user: Limits, ...others: readonly Limits[]): Limits {
  const entries = limits.map((name) => [
    name,
    user[name] ?? tightest(others.map((other) => other[name])),
  ]);
  return Object.fromEntries(entries.filter(([, limit]) => limit !== undefined)) as Limits;
}

/** Returns the minutes after which every run ends: the lower value of settings and project. */
export const runMinutesFor = (
  { runMinutes }: Pick<EngineSettings, 'runMinutes'>,
  project: Pick<ProjectFile, 'runMinutes'> | undefined,
): number | undefined => tightest([runMinutes, project?.runMinutes]);

function tightest(values: readonly (number | undefined)[]): number | undefined {
  const definedValues = values.filter((value) => value !== undefined);
  return definedValues.length === 0 ? undefined : Math.min(...definedValues);
}

/**
 * Returns the permission mode that applies to a session. A project can only restrict the user's
 * choice: its only possible mode is `ask`. Where nobody can be asked, the mandate replaces `ask`.
 */
export function permissionsInForce(
  chosen: PermissionMode,
  { canAsk, project }: { readonly canAsk: boolean; readonly project?: ProjectFile | undefined },
): PermissionsInForce {
  const narrowed = project?.permissions?.mode;
  if (narrowed !== undefined && narrowed !== chosen)
    return {
      mode: narrowed,
      note: `Permission mode ${narrowed} instead of ${chosen}: ${project?.file} narrows it.`,
    };
  if (chosen !== 'ask' || canAsk || narrowed !== undefined) return { mode: chosen };
  return {
    mode: 'mandate',
    note: 'Permission mode mandate instead of ask: nobody can be asked here. What the mandate does not cover is refused.',
  };
}

/** Returns the default arguments for tool calls that do not name a machine or metrics. */
export function toolDefaults(
  project: ProjectFile | undefined,
  machine: string | undefined,
): ToolDefault[] {
  const { metricNames, metricPatterns } = project ?? {};
  const defaults: readonly ToolDefault[] = [
    { parameter: 'machine_id', value: machine },
    { parameter: 'machines', value: machine && [machine] },
    // The patterns of `show_metrics` read output again, and are given for that.
    { parameter: 'metric_patterns', value: metricPatterns, effect: 'execute' },
    // If the project has metric patterns, its metric names are ignored.
    {
      parameter: 'metric_names',
      value: metricPatterns === undefined ? metricNames : undefined,
      unless: 'metric_patterns',
    },
  ];
  return defaults.filter(({ value }) => value !== undefined);
}

/**
 * Throws `UserFacing` when no command can run on any machine, and when the project's default
 * machine does not exist.
 */
export function checkMachines(
  project: ProjectFile | undefined,
  machines: Pick<Machines, 'list'>,
): void {
  checkCommandsRun(machines.list());
  const machineId = project?.defaultMachine;
  const machineIds = machines.list().map(({ id }) => id);
  if (project === undefined || machineId === undefined || machineIds.includes(machineId)) return;
  throw new UserFacing(
    `${project.file} names the default machine ${machineId}, which does not exist. Machines: ${machineIds.join(', ')}.`,
    'Add the machine, or name another one in the file.',
  );
}

/**
 * Resolves with the folder for reports. If the project names no folder, or the project file is
 * invalid, resolves with the default folder in the work folder.
 */
export async function reportsPlace(
  projects: Pick<Projects, 'read'>,
  workFolder: string,
): Promise<ReportsPlace> {
  try {
    const project = await projects.read(workFolder);
    return project?.experimentDir === undefined
      ? defaultReports(workFolder)
      : { root: project.folder, folder: project.experimentDir };
  } catch (error) {
    if (error instanceof UserFacing) return defaultReports(workFolder);
    throw error;
  }
}
