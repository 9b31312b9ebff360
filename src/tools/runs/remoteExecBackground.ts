import { commandAccess, writeAccess } from '../parameters/accesses.ts';
import { posix } from 'node:path';
import * as z from 'zod';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { oneLine, shellQuote } from '../../base/text.ts';
import { confinedMachine } from '../../machines/confinement/confinedMachine.ts';
import { folderWarning } from '../../machines/confinement/grants.ts';
import type { Machine } from '../../machines/machine.ts';
import type { Access } from '../../permissions/access.ts';
import { usualPaths } from '../../permissions/pathRules.ts';
import { checkMetricSpec } from '../../metrics/lines/metricSpec.ts';
import type { MetricSpec } from '../../metrics/metric.ts';
import type { Run } from '../../runs/liveRun.ts';
import { type RunLimit, type RunResources, runName } from '../../runs/run.ts';
import {
  experimentOf,
  experimentParameters,
  type ExperimentArguments,
} from '../parameters/experimentParameters.ts';
import { machineId, machinePath, onMachine, type MachineTools } from '../parameters/machinePath.ts';
import { checkMetricAccesses, metricAccesses } from '../parameters/metricAccesses.ts';
import { checkPath } from '../parameters/pathAccesses.ts';
import { runFields, type WaitingRun } from '../parameters/runReference.ts';
import {
  metricDirections,
  metricsFrom,
  limitOf,
  limitParameters,
  resourceParameters,
  resourcesOf,
} from '../parameters/runParameters.ts';
import { env, withVariables } from '../parameters/runVariables.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from '../tool.ts';
import { commandsOf, startSweep, type SweepArguments, type SweepStarter } from './sweep.ts';
import { seeds } from './sweepPoints.ts';

export interface RunRequest {
  readonly machineId: string;
  readonly command: string;
  /**
   * Absolute path of the folder in which the command runs. Default: the machine's working folder.
   */
  readonly cwd?: string;
  readonly metrics: MetricSpec;
  readonly label?: string;
  readonly limit?: RunLimit;
  readonly resources?: RunResources;
  readonly experiment: ExperimentArguments;
}

export interface RunLauncher extends MachineTools {
  /**
   * Plans the run and its experiment, records both, then launches the run. If the same experiment
   * was tried before, rejects with `ToolFailure` and records nothing.
   */
  launch(request: RunRequest, context: ToolContext): Promise<LaunchedRun>;
}

export type LaunchedRun = (
  | { readonly run: Run; readonly waiting?: never }
  | { readonly run?: never; readonly waiting: WaitingRun }
) & {
  /** Remarks about similar experiments of other sessions and imported results, one line each. */
  readonly notes: readonly string[];
};

const parameters = z
  .strictObject({
    machine_id: machineId,
    command: z
      .string()
      .min(1)
      .describe(
        'bash; prints metrics to stdout, such as "step=10 loss=0.83". Neither redirect nor background it.',
      ),
    metric_names: z
      .array(z.string().min(1))
      .optional()
      .describe('Metrics to read, such as ["loss", "val_acc"]. Default: detected.'),
    metric_patterns: z
      .record(z.string().min(1), z.string().min(1))
      .optional()
      .describe(
        'Metric → regular expression with one group for the value, where it is not printed as name=value.',
      )
      .meta({ isOpaque: true }),
    metric_directions: metricDirections,
    metrics_from: metricsFrom,
    label: z.string().max(60).optional().describe('Short name, such as "lr=3e-4".'),
    cwd: z.string().min(1).optional(),
    log_path: z
      .string()
      .min(1)
      .optional()
      .describe('Path of a link to the log of the run.')
      .meta({ hidden: true }),
    seeds: seeds.describe(
      'One run for each seed, such as [0, 1, 2], put at {seed} in the command. The result is their mean ± sd.',
    ),
    ...limitParameters,
    ...resourceParameters,
    ...experimentParameters,
    env,
  })
  .transform(({ env: variables, ...args }) => ({
    ...args,
    command: withVariables(args.command, variables),
  }));
type Args = z.output<typeof parameters>;

export const remoteExecBackground = (deps: RunLauncher, sweeps: SweepStarter): Tool =>
  defineTool({
    name: 'remote_exec_background',
    description:
      'Start training, evaluation or anything long as a run, and return at once. It continues even if Helios ends; its output is stored, and its metrics are read as they are printed. Without a free place it waits in line.',
    guidance: [
      'Training, evaluation and anything longer than a few minutes is a run: start it with remote_exec_background, never with remote_exec.',
      'Scripts print one line per step, such as: step=120 loss=0.8312 val_loss=0.9120.',
    ],
    effect: 'execute',
    startsRuns: true,
    optionalParts: ['env', 'log_path', 'metrics_from'],
    changesCode: false,
    isRepeatable: true,
    parameters,
    aliases: { machine: 'machine_id', working_directory: 'cwd', name: 'label' },
    describe: (args) =>
      `Launched ${onMachine(oneLine(args.label ?? args.command, 80), args.machine_id)}${args.seeds === undefined ? '' : ` with seeds ${args.seeds.join(', ')}`}`,
    accesses: (args) => accessesOf(deps, args),
    async execute(args, context) {
      if (args.seeds !== undefined)
        return await startSweep(sweeps, checkedSweepArguments(args), context);
      const machine = deps.machines.get(args.machine_id);
      const metrics = metricSpec(args);
      // Rejects a pattern that does not compile, before the run is planned.
      checkMetricSpec(metrics);
      await checkMetricAccesses(deps, { ...args, machines: [machine.id] }, context.accesses);
      const { run, waiting, notes } = await deps.launch(
        { ...(await request(machine, args)), metrics },
        context,
      );
      if (waiting !== undefined) return waitingResult(waiting, { args, notes });
      const link =
        args.log_path === undefined
          ? undefined
          : await linkLog(deps, run, { machine, path: args.log_path, context });
      const { confinement, cwd } = run.spec;
      const warnings = [
        ...commandWarnings(args),
        link?.warning,
        confinement && folderWarning(machine, confinement, cwd),
      ].filter((each) => each !== undefined);
      return {
        content: {
          ...runFields(run),
          ...(run.spec.experimentId !== undefined && { experiment: run.spec.experimentId }),
          log_path: link?.path ?? run.outputPath,
          metrics: trackedText(metrics),
          ...(notes.length > 0 && { note: notes.join('\n') }),
          ...(warnings.length > 0 ? { warnings } : {}),
        },
        summary: `${runName(run.spec.number)} · ${run.handle ?? run.spec.id}`,
        runId: run.spec.id,
      };
    },
  });

/** Returns the result of a launch that waits in line for a free slot or GPU. */
function waitingResult(
  waiting: WaitingRun,
  { args, notes }: { readonly args: Args; readonly notes: readonly string[] },
): ToolResult {
  const { spec, place } = waiting;
  const warnings = [
    ...commandWarnings(args),
    ...(args.log_path === undefined ? [] : ['No link to the log: the run has not started.']),
  ];
  return {
    content: {
      ...runFields(waiting),
      status: 'waiting',
      place_in_line: place,
      ...(spec.experimentId !== undefined && { experiment: spec.experimentId }),
      metrics: trackedText(spec.metrics),
      ...(notes.length > 0 && { note: notes.join('\n') }),
      ...(warnings.length > 0 && { warnings }),
    },
    summary: `${runName(spec.number)} · waits for a free slot or GPU, number ${place} in line`,
    runId: spec.id,
  };
}

/** Returns the launch with several seeds as a sweep. */
const sweepArguments = ({ command, machine_id: machine, label, gpus, ...rest }: Args) => ({
  ...rest,
  command_template: command,
  machines: [machine],
  dry_run: false,
  ...(gpus !== undefined && { gpus_per_run: gpus }),
  ...(label !== undefined && { label_prefix: label }),
});

function checkedSweepArguments(args: Args): SweepArguments {
  const given = (['log_path', 'cpus', 'memory_gb'] as const).filter(
    (name) => args[name] !== undefined,
  );
  if (given.length > 0)
    throw new ToolFailure(
      `${given.join(' and ')} cannot be combined with seeds: leave ${given.length === 1 ? 'it' : 'them'} out, or launch each seed. Nothing was started.`,
    );
  return sweepArguments(args);
}

const accessesOf = async (deps: MachineTools, args: Args): Promise<Access[]> => [
  ...(args.seeds === undefined
    ? [commandAccess(args.machine_id, args.command, args.cwd)]
    : commandsOf(sweepArguments(args))),
  ...(args.log_path === undefined ? [] : [await logAccess(deps, args.machine_id, args.log_path)]),
  ...(await metricAccesses(deps, { ...args, machines: [args.machine_id] })),
];

const metricSpec = ({
  metric_names: names,
  metric_patterns: patterns,
  metric_directions: directions,
  metrics_from: from,
}: Args): MetricSpec => ({
  ...(from && { from }),
  ...(directions && { directions }),
  ...(names && names.length > 0 ? { names } : {}),
  ...(patterns && Object.keys(patterns).length > 0 ? { patterns } : {}),
});

const request = async (machine: Machine, args: Args): Promise<Omit<RunRequest, 'metrics'>> => ({
  machineId: args.machine_id,
  command: args.command,
  ...(args.cwd === undefined ? {} : { cwd: await machinePath(machine, args.cwd) }),
  ...(args.label === undefined ? {} : { label: args.label }),
  ...limitOf(args),
  ...resourcesOf(args),
  experiment: experimentOf(args),
});

const trackedText = ({ names, patterns, from }: MetricSpec): readonly string[] | string =>
  patterns ? Object.keys(patterns) : (names ?? `detected from ${from?.join(', ') ?? 'the output'}`);

/**
 * Resolves with the access to the link to a log. The path is not resolved, because an existing link
 * is replaced and not followed.
 */
async function logAccess(
  { machines }: MachineTools,
  machineId: string,
  path: string,
): Promise<Access> {
  const folder = await writeAccess(machines, { machineId, path: posix.dirname(path) });
  if (folder.kind !== 'write') return folder;
  const { linkPath, givenPath } = folder;
  const inside = (each: string): string => posix.join(each, posix.basename(path));
  return {
    ...folder,
    path: inside(folder.path),
    ...(linkPath !== undefined && { linkPath: inside(linkPath) }),
    ...(givenPath !== undefined && { givenPath: inside(givenPath) }),
  };
}

/**
 * Creates a link to the run's log; the log itself stays in the folder of the run. Never replaces an
 * existing file.
 */
async function linkLog(
  deps: MachineTools,
  run: Run,
  { machine, path: given, context }: LinkRequest,
): Promise<{ path?: string; warning?: string }> {
  try {
    const path = await machinePath(machine, given);
    const { paths = usualPaths } = deps;
    checkPath(await logAccess(deps, machine.id, path), { approved: context.accesses, paths });
    const [target, link, folder] = [run.outputPath, path, posix.dirname(path)].map(shellQuote);
    const isFree = `[ -h ${link} ] || ! [ -e ${link} ]`;
    const command = `mkdir -p -- ${folder} && { ${isFree}; } && ln -sfn -- ${target} ${link}`;
    const { confinement } = run.spec;
    const { outcome } = await confinedMachine(machine, confinement).exec(command, {
      cwd: '/',
      timeoutMs: 30_000,
    });
    if (outcome.kind === 'exited' && outcome.code === 0) return { path };
    return {
      warning: `A link to the log could not be created at ${path}. Read the log at log_path instead.`,
    };
  } catch (error) {
    return { warning: `log_path was not used: ${messageOf(error)}` };
  }
}

interface LinkRequest {
  readonly machine: Machine;
  /** The path as given in the call. */
  readonly path: string;
  readonly context: ToolContext;
}

const ownLog =
  /(?:&>>?|(?<![0-9<>&-])1?>>?)\s*(?!\/dev\/(?:null|stdout|stderr)|&)[^\s&|;<>()]+(?:\s+2>&1)?(?:\s*&)?$/;
const backgroundJob = /(?<![&>|])&(?![&>\d])(?!\s*$)/;

/**
 * Returns warnings about parts of the command that hide its output or its end. The run starts
 * regardless.
 */
function commandWarnings({ command, metrics_from: from }: Args): string[] {
  const bare = command.replace(/'[^']*'?|"(?:[^"\\]|\\[^])*"?/g, '""').trimEnd();
  return [
    ...(from === undefined && ownLog.test(bare)
      ? [
          'The command redirects its output to a file, so no metrics are read. Remove the redirection.',
        ]
      : []),
    ...(backgroundJob.test(bare)
      ? [
          'The command starts a background job with &, but the run ends when its shell ends. Remove the &, or add wait at the end.',
        ]
      : []),
  ];
}
