import * as z from 'zod';
import { counted } from '../../base/text.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { Access } from '../../permissions/access.ts';
import { commandAccess } from '../parameters/accesses.ts';
import { folderWarning } from '../../machines/confinement/grants.ts';
import type { Machines } from '../../machines/machine.ts';
import { checkMetricSpec } from '../../metrics/lines/metricSpec.ts';
import type { Run } from '../../runs/liveRun.ts';
import { freeSlots } from '../../runs/leases.ts';
import { maxPoints, type SweepPlan, type SweepPoint } from '../../runs/sweep.ts';
import {
  experimentOf,
  experimentParameters,
  type ExperimentArguments,
} from '../parameters/experimentParameters.ts';
import { runFields, statusText } from '../parameters/runReference.ts';
import {
  limitOf,
  limitParameters,
  metricDirections,
  metricsFrom,
  undescribed,
} from '../parameters/runParameters.ts';
import { env, withVariables } from '../parameters/runVariables.ts';
import { checkMetricAccesses, metricAccesses } from '../parameters/metricAccesses.ts';
import { pointParameters, pointsOf, type Points } from './sweepPoints.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../tool.ts';

export interface StartedSweep {
  readonly id: string;
  /** Id of the sweep's experiment: `e7`. */
  readonly experimentId: string;
  /** Remarks about similar experiments of other sessions and imported results, one line each. */
  readonly notes: readonly string[];
  /** Runs that the sweep has launched so far. */
  readonly runs: readonly Run[];
  /** Number of points still to be launched. */
  readonly waiting: number;
  /** The progress of the sweep, and what its next points wait for. */
  readonly table: string;
}

export interface SweepRequest {
  readonly plan: Omit<SweepPlan, 'id' | 'experimentId'>;
  /** The command with its placeholders. */
  readonly template: string;
  readonly experiment: ExperimentArguments;
}

export interface SweepStarter {
  readonly machines: Pick<Machines, 'list' | 'get'>;
  /**
   * Records the plan of the sweep and its experiment, and launches as many points as there is room
   * for; the engine launches the remaining points later. If an earlier experiment already tried the
   * points, rejects with `ToolFailure` and records nothing.
   */
  start(request: SweepRequest, context: ToolContext): Promise<StartedSweep>;
}

/** Parameters of a run; the tool `remote_exec_background` describes them. */
const runParameters = undescribed({
  metric_names: z.array(z.string().min(1)).optional(),
  metric_patterns: z
    .record(z.string().min(1), z.string().min(1))
    .optional()
    .meta({ isOpaque: true }),
  metric_directions: metricDirections,
  ...limitParameters,
  cwd: z.string().min(1).optional(),
  ...experimentParameters,
  env,
});

const parameters = z
  .strictObject({
    command_template: z
      .string()
      .min(1)
      .describe(
        'bash, with {name} for a value: "python train.py --lr {lr}". {{name}} stands for the text {name}; ${X} and {a,b} stay.',
      ),
    ...pointParameters,
    machines: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        'Machine ids; a Slurm machine alone, as one job array. Required if there are several machines.',
      )
      .meta({ needs: 'machines' }),
    ...runParameters,
    metrics_from: metricsFrom.describe('May hold {name}.'),
    max_parallel: z
      .int()
      .min(1)
      .max(maxPoints)
      .optional()
      .describe('Most runs at a time. Default: one per free GPU or place; else one.'),
    gpus_per_run: z
      .int()
      .min(0)
      .max(64)
      .optional()
      .describe(
        'GPUs of each run; 0: all shared. Default: 1 where there are GPUs; none under Slurm.',
      ),
    label_prefix: z.string().max(30).optional().meta({ hidden: true }),
    dry_run: z.boolean().default(false).describe('Only returns the first 10 points.'),
  })
  .transform(({ env: variables, ...args }) => ({
    ...args,
    command_template: withVariables(args.command_template, variables),
  }));
export type SweepArguments = z.output<typeof parameters>;

const shownPoints = 10;

/**
 * Returns an access with the template for each machine. The commands of the points are judged
 * instead of the template.
 */
export const commandsOf = (args: SweepArguments): Access[] =>
  (args.machines ?? ['local']).map((id) => ({
    ...commandAccess(id, args.command_template, args.cwd),
    judged: judgedTexts(args),
  }));

/** Maximum length of a text to judge. The classifier does not read longer texts. */
const maxJudgedChars = 10_000;

/**
 * Returns the commands of all points, several joined in each text. If the points are invalid,
 * returns only the template.
 */
function judgedTexts(args: SweepArguments): readonly string[] {
  const { command_template: template } = args;
  const texts = [template];
  try {
    for (const { command } of pointsOf(template, args).points) {
      const text = `${texts.at(-1)}\n${command}`;
      if (text.length > maxJudgedChars) texts.push(command);
      else texts[texts.length - 1] = text;
    }
  } catch {
    // The call itself reports invalid points.
  }
  return texts;
}

export const sweep = (deps: SweepStarter): Tool =>
  defineTool({
    name: 'sweep',
    description: `Run a command with many values: params (every combination), random, or points; at most ${maxPoints}, each a run of its own. The engine keeps up to max_parallel of them running until all have ended, also while you sleep. With its id ("s1"), sleep waits for it, task_output shows its table, and kill_task stops it. Arguments without a description are those of remote_exec_background.`,
    guidance: ['To try many values of one command, start a sweep instead of many runs.'],
    effect: 'execute',
    startsRuns: true,
    optionalParts: ['env', 'metrics_from'],
    changesCode: false,
    isRepeatable: true,
    parameters,
    aliases: {
      command: 'command_template',
      machine_ids: 'machines',
      grid: 'params',
      working_directory: 'cwd',
    },
    describe: describeSweep,
    accesses: async (args) =>
      args.dry_run ? [] : [...commandsOf(args), ...(await metricAccesses(deps, args))],
    execute: (args, context) => startSweep(deps, args, context),
  });

/** Starts a sweep, or describes its points for a dry run. Throws `ToolFailure` as `sweep` does. */
export async function startSweep(
  deps: SweepStarter,
  args: SweepArguments,
  context: ToolContext,
): Promise<ToolResult> {
  const points = pointsOf(args.command_template, args);
  const plan = planOf(args, points, machinesOf(args, deps.machines));
  checkMetricSpec(plan.metrics);
  await checkMetricAccesses(deps, args, context.accesses);
  await checkGpus(plan, deps.machines);
  const notes = notesOf(plan, points);
  if (args.dry_run)
    return {
      content: {
        dry_run: true,
        points: plan.points.length,
        ...notes,
        first_points: plan.points.slice(0, shownPoints),
      },
      summary: `${counted(plan.points.length, 'point')}, nothing started`,
    };
  const started = await deps.start(
    { plan, template: args.command_template, experiment: experimentOf(args) },
    context,
  );
  const warnings = folderWarnings(started.runs, deps.machines);
  return {
    content: {
      sweep: started.id,
      experiment: started.experimentId,
      points: plan.points.length,
      machines: plan.machineIds,
      ...notes,
      ...(started.notes.length > 0 && { note: started.notes.join('\n') }),
      launched: started.runs
        .slice(0, shownPoints)
        .map((run) => ({ ...runFields(run), status: statusText(run) })),
      ...(started.runs.length > shownPoints
        ? { more_launched: started.runs.length - shownPoints }
        : {}),
      waiting: started.waiting,
      first_command: plan.points[0]?.command,
      state: started.table.split('\n', 1)[0],
      ...(warnings.length > 0 && { warnings }),
    },
    summary: `${started.id} · ${started.runs.length} launched, ${started.waiting} waiting`,
  };
}

/** Returns each warning about a folder that runs may not change once. */
const folderWarnings = (
  runs: readonly Run[],
  machines: SweepStarter['machines'],
): readonly string[] => [
  ...new Set(
    runs.flatMap(({ spec: { machineId, confinement, cwd } }) =>
      confinement === undefined
        ? []
        : (folderWarning(machines.get(machineId), confinement, cwd) ?? []),
    ),
  ),
];

/** Returns, for example, `Swept 12 points of lr × bs on gpu1`. */
function describeSweep(args: SweepArguments): string {
  const where = args.machines === undefined ? '' : ` on ${args.machines.join(', ')}`;
  try {
    const { points, names } = pointsOf(args.command_template, args);
    return `${args.dry_run ? 'Planned' : 'Swept'} ${counted(points.length, 'point')} of ${names.join(' × ')}${where}`;
  } catch {
    // Invalid arguments are reported by the call itself.
    return `Swept${where}`;
  }
}

/**
 * Returns the machines to use: the machines that the call names or, if only one machine exists,
 * that machine. Throws `ToolFailure` if the call names none of several machines.
 */
function machinesOf(
  { machines: machineIds }: SweepArguments,
  machines: SweepStarter['machines'],
): string[] {
  const ids = machines.list().map(({ id }) => id);
  if (machineIds === undefined) {
    if (ids.length === 1) return ids;
    throw new ToolFailure(
      `The argument machines is missing, and there are several machines: ${ids.join(', ')}. Pass the ids of the machines to use. Nothing was started.`,
    );
  }
  const chosen = [...new Set(machineIds)].map((id) => machines.get(id));
  if (chosen.length > 1 && chosen.some(({ kind }) => kind === 'slurm'))
    throw new ToolFailure(
      'The points on a Slurm machine are one job array, so a sweep with a Slurm machine cannot use other machines. Pass only that machine, or start one sweep per machine. Nothing was started.',
    );
  return chosen.map(({ id }) => id);
}

function planOf(
  args: SweepArguments,
  { names, points }: Points,
  machineIds: readonly string[],
): SweepRequest['plan'] {
  const {
    metric_names: metricNames,
    metric_patterns: patterns,
    metric_directions: directions,
    metrics_from: from,
    label_prefix: prefix,
  } = args;
  const labelled =
    prefix === undefined
      ? points
      : points.map((one) => ({ ...one, label: `${prefix} ${one.label}` }));
  return {
    params: names,
    points: from === undefined ? labelled : withMetricFiles(labelled, from),
    machineIds,
    metrics: {
      ...(metricNames?.length && { names: metricNames }),
      ...(patterns && { patterns }),
      ...(directions && { directions }),
    },
    ...(args.cwd !== undefined && { cwd: args.cwd }),
    ...(args.max_parallel !== undefined && { maxParallel: args.max_parallel }),
    ...(args.gpus_per_run !== undefined && { gpusPerRun: args.gpus_per_run }),
    ...limitOf(args),
    ...(args.random && { seed: args.random.seed }),
  };
}

/**
 * Returns the points with the paths of their metrics. Throws `ToolFailure` if two points would write
 * to the same path.
 */
function withMetricFiles(
  points: readonly SweepPoint[],
  paths: readonly string[],
): readonly SweepPoint[] {
  const filled = points.map((point) => ({
    ...point,
    metricsFrom: paths.map((path) => pathOf(path, point)),
  }));
  if (new Set(filled.flatMap(({ metricsFrom: each }) => each)).size < points.length * paths.length)
    throw new ToolFailure(
      'Several points have the same path in metrics_from, so their metrics would mix. Put a parameter in it, as in "logs/{seed}.csv", and let the command write there. Nothing was started.',
    );
  return filled;
}

const pathOf = (path: string, { params }: SweepPoint): string =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));

/**
 * Rejects if a machine has fewer GPUs than one run needs. Accepts a machine that does not answer,
 * because it may have enough GPUs.
 */
async function checkGpus(
  { gpusPerRun = 0, machineIds }: SweepRequest['plan'],
  machines: SweepStarter['machines'],
) {
  if (gpusPerRun === 0) return;
  for (const machine of machineIds
    .map((id) => machines.get(id))
    .filter(({ kind }) => kind !== 'slurm')) {
    const found = await freeSlots(machine).catch(() => undefined);
    if (found !== undefined && found.gpus.length < gpusPerRun)
      throw new ToolFailure(
        `${machine.id} has ${found.gpus.length} GPUs that runs may use, and gpus_per_run is ${gpusPerRun}. Nothing was started.`,
      );
  }
}

const notesOf = (
  { maxParallel, seed }: SweepRequest['plan'],
  { duplicates }: Points,
): Record<string, unknown> => ({
  ...(maxParallel === undefined ? {} : { max_parallel: maxParallel }),
  ...(seed === undefined ? {} : { seed }),
  ...(duplicates === 0
    ? {}
    : {
        duplicates: `${duplicates} points have the same command as another point; each command is run once`,
      }),
});
