/**
 * Parses the model's request to sleep into a form that can be recorded: validates every field and
 * resolves every name. Rejects ambiguous requests instead of guessing.
 */
import type { Clock } from '../base/clock.ts';
import { messageOf, ToolFailure } from '../base/errors.ts';
import { cleanText, oneLine } from '../base/text.ts';
import { absolutePath } from '../machines/absolutePath.ts';
import { resourceLines } from '../machines/resources/resourceText.ts';
import { percentsOf } from './resourceValue.ts';
import type {
  FoundRun,
  RunLookup,
  SleepProbes,
  SleepMachine,
  SleepResources,
} from './sleepPorts.ts';
import type { Comparator, MetricSource, SleepRequest, Trigger } from './trigger.ts';
import { conditionShape, type ConditionShape, type ShapeOf } from './conditionShape.ts';
import { examples, supportedText } from './triggerShapes.ts';

export interface SleepAsk {
  readonly reason: string;
  readonly conditions: readonly unknown[];
  readonly logic: 'any' | 'all';
  /** If missing or 0, the default deadline applies, which the tool's result states. */
  readonly deadlineMinutes?: number | undefined;
}

export interface ParsePorts {
  readonly clock: Clock;
  readonly runs: RunLookup;
  readonly machines: { get(id: string): SleepMachine };
  readonly probes: Pick<SleepProbes, 'once'>;
  readonly resources: Pick<SleepResources, 'take'>;
  /** Returns when the minutes of the session are used up; `undefined` without such a limit. */
  endMs(): number | undefined;
}

export interface ParsedSleep {
  readonly request: SleepRequest & { readonly deadlineMs: number };
  /**
   * True when the model gave no deadline, so that the default deadline applies. Every sleep ends.
   */
  readonly isDefaultDeadline: boolean;
}

const defaultDeadlineMs = 8 * 3600_000;
const maxConditions = 20;

/**
 * Parses the request. Rejects with `ToolFailure`, which shows the correct form of a condition, or
 * with `MachineFailure`. A timer that is later than the default deadline extends that deadline;
 * the end of the session's minutes shortens it.
 */
export async function parseSleep(ask: SleepAsk, ports: ParsePorts): Promise<ParsedSleep> {
  const asksForDeadline = ask.deadlineMinutes !== undefined && ask.deadlineMinutes > 0;
  if (ask.conditions.length === 0 && !asksForDeadline)
    throw new ToolFailure(
      `Nothing would end this sleep: give a condition or deadline_minutes.\n${supportedText}`,
    );
  if (ask.conditions.length > maxConditions)
    throw new ToolFailure(
      `${ask.conditions.length} conditions are too many; the maximum is ${maxConditions}.`,
    );
  const triggers: Trigger[] = [];
  for (const shape of ask.conditions.map(conditionShape))
    triggers.push(await parseCondition(shape, ports));
  const nowMs = ports.clock.now();
  const timersMs = triggers.map((trigger) => (trigger.type === 'timer' ? trigger.atMs : 0));
  const deadlineMs = asksForDeadline
    ? nowMs + (ask.deadlineMinutes ?? 0) * 60_000
    : Math.min(ports.endMs() ?? Infinity, Math.max(nowMs + defaultDeadlineMs, ...timersMs));
  const request = { reason: ask.reason, logic: ask.logic, triggers, deadlineMs };
  return { request, isDefaultDeadline: !asksForDeadline };
}

function parseCondition(shape: ConditionShape, ports: ParsePorts): Promise<Trigger> | Trigger {
  switch (shape.type) {
    case 'timer':
      return parseTimer(shape, ports);
    case 'process_exit':
      return parseExit(shape, ports);
    case 'metric':
      return 'source' in shape ? parseSourceMetric(shape, ports) : parseTracked(shape, ports);
    case 'file':
      return parseFile(shape, ports);
    case 'resource':
      return parseResource(shape, ports);
  }
}

function parseTimer(fields: ShapeOf<'timer'>, { clock }: ParsePorts): Trigger {
  const seconds = fields.wake_after_seconds ?? fields.seconds ?? (fields.minutes ?? 0) * 60;
  return { type: 'timer', atMs: clock.now() + Math.round(seconds * 1000) };
}

async function parseExit(fields: ShapeOf<'process_exit'>, ports: ParsePorts): Promise<Trigger> {
  const { machine_id: machineId, pid, process_pattern: pattern } = fields;
  if (machineId !== undefined && pattern !== undefined)
    return parsePattern(ports.machines.get(machineId), pattern, ports);
  const named = fields.task_id ?? fields.run ?? fields.sweep;
  if (named === undefined && machineId === undefined) return parseAllExit(ports);
  const reference = named ?? `${machineId}:${pid}`;
  const sweepId = ports.runs.findSweep(reference);
  if (sweepId !== undefined) return { type: 'sweep_end', sweepId };
  const run = fields.sweep === undefined ? ports.runs.find(reference) : undefined;
  if (run !== undefined) return { type: 'process_exit', runId: run.id, name: run.name };
  if (fields.sweep !== undefined) throw noSuchSweep(fields.sweep);
  if (machineId === undefined || pid === undefined) throw noSuchRun(reference, ports.runs);
  return parseForeign({ machineId, pid }, ports);
}

function parseAllExit({ runs }: ParsePorts): Trigger {
  if (runs.isIdle())
    throw new ToolFailure('No run goes on or waits, so nothing would end this sleep.');
  return { type: 'all_exit' };
}

async function parseForeign(
  { machineId, pid }: { readonly machineId: string; readonly pid: number },
  ports: ParsePorts,
): Promise<Trigger> {
  const found = await ports.probes.once(ports.machines.get(machineId), { kind: 'process', pid });
  if (found === undefined)
    throw new ToolFailure(
      `No process ${pid} on ${machineId}: it has ended, or the pid is wrong. Do not wait for it; check its results. Current runs: ${goingText(ports.runs)}.`,
    );
  const { startTime } = found;
  return { type: 'foreign_exit', machineId, pid, ...(startTime !== '' && { startTime }) };
}

/**
 * Parses a condition on a process pattern. Rejects a pattern that matches no process: the pattern
 * may have a typing error, and the sleep would end immediately.
 */
async function parsePattern(
  machine: SleepMachine,
  pattern: string,
  { probes, runs }: ParsePorts,
): Promise<Trigger> {
  const found = await probes.once(machine, { kind: 'pattern', pattern }).catch((error: unknown) => {
    throw new ToolFailure(
      `The pattern ${JSON.stringify(pattern)} cannot be searched for on ${machine.id}: ${messageOf(error)}`,
    );
  });
  if (found.length === 0)
    throw new ToolFailure(
      `No process on ${machine.id} has a command line that matches ${JSON.stringify(pattern)} (an extended regular expression). The process has ended, or its command line differs. ${await nearText(machine, pattern, probes)} Current runs: ${goingText(runs)}.`,
    );
  const processes = found.map(({ pid, startTime, command }) => ({
    pid,
    startTime,
    command: oneLine(cleanText(command), 120),
  }));
  const isOwn = found.every((process) => runs.isOwn(machine.id, process));
  const trigger = { type: 'pattern_exit', machineId: machine.id, pattern, processes } as const;
  return isOwn ? { ...trigger, isOwn } : trigger;
}

const maxNear = 5;

/** Describes processes whose command line contains a word of the pattern, ignoring case. */
async function nearText(
  machine: SleepMachine,
  pattern: string,
  probes: ParsePorts['probes'],
): Promise<string> {
  const words = (pattern.match(/[A-Za-z0-9_]{3,}/g) ?? []).slice(0, 8);
  if (words.length === 0) return '';
  const anyCase = words.map((word) =>
    word.replace(/[a-z]/gi, (c) => `[${c.toLowerCase()}${c.toUpperCase()}]`),
  );
  const near = await probes.once(machine, { kind: 'pattern', pattern: anyCase.join('|') });
  if (near.length === 0) return 'No process has a similar command line.';
  return `Processes with a similar command line: ${near
    .slice(0, maxNear)
    .map(({ pid, command }) => `${pid} ${oneLine(cleanText(command), 120)}`)
    .join('; ')}.`;
}

function parseTracked(fields: ShapeOf<'tracked'>, { runs }: ParsePorts): Trigger {
  const { metric_name: metric, task_id: reference, threshold } = fields;
  const run = reference === undefined ? undefined : runs.find(reference);
  if (reference !== undefined && run === undefined) throw noSuchRun(reference, runs);
  const watched = run === undefined ? runs.going() : [run];
  if (watched.length === 0)
    throw new ToolFailure(
      `No run is active, so ${metric} cannot change. Launch one first; to wait for a value in a file, use ${examples.source}`,
    );
  const comparator: Comparator = fields.comparator ?? (fields.direction === 'below' ? '<' : '>');
  const runIds = watched.map((each) => each.id);
  return { type: 'tracked_metric', runIds, metric, comparator, threshold, ...sustainedOf(fields) };
}

function parseSourceMetric(fields: ShapeOf<'source'>, { machines }: ParsePorts): Trigger {
  const machine = machines.get(fields.machine_id);
  const source = absoluteSource(machine, fields.source);
  const field = fields.field ?? (source.type === 'command' ? oneLine(source.command, 60) : '');
  const { comparator, threshold } = fields;
  return {
    type: 'metric',
    machineId: machine.id,
    source,
    field,
    comparator,
    threshold,
    ...sustainedOf(fields),
  };
}

function absoluteSource(machine: SleepMachine, source: MetricSource): MetricSource {
  switch (source.type) {
    case 'command':
      return source;
    case 'tensorboard':
      return { ...source, logdir: absolute(machine, source.logdir) };
    case 'json_file':
    case 'csv_file':
      return { ...source, path: absolute(machine, source.path) };
  }
}

const sustainedOf = ({
  sustained_checks: count,
}: {
  readonly sustained_checks?: number | undefined;
}) => (count === undefined ? {} : { sustainedChecks: count });

async function parseFile(
  fields: ShapeOf<'file'>,
  { machines, probes }: ParsePorts,
): Promise<Trigger> {
  const machine = machines.get(fields.machine_id);
  await machine.ready?.();
  const path = absolute(machine, fields.path);
  const trigger = { type: 'file', machineId: machine.id, path, mode: fields.mode } as const;
  if (fields.mode === 'size_stable')
    return { ...trigger, windowMs: (fields.window_seconds ?? 60) * 1000 };
  if (fields.mode === 'exists') return trigger;
  const found = await probes.once(machine, { kind: 'file', path });
  if (found === undefined) return trigger;
  return { ...trigger, baseline: { modifiedMs: found.modifiedMs, sizeBytes: found.sizeBytes } };
}

/**
 * Parses a condition on a resource. Rejects a resource that the machine does not report at present,
 * since the condition would never be met.
 */
async function parseResource(
  fields: ShapeOf<'resource'>,
  { machines, resources }: ParsePorts,
): Promise<Trigger> {
  const machine = machines.get(fields.machine_id);
  const { resource, comparator, threshold, gpu_index: gpuIndex } = fields;
  const sample = await resources.take(machine);
  // Never rejects CPU use: the first sample lacks it, since its calculation takes two samples.
  if (resource !== 'cpu' && percentsOf(sample, { resource, gpuIndex }).length === 0)
    throw new ToolFailure(
      `${machine.id} does not report ${resource}${gpuIndex === undefined ? '' : ` of GPU ${gpuIndex}`}; it reports: ${resourceLines(sample).join('; ') || 'nothing'}.`,
    );
  const gpu = gpuIndex === undefined ? {} : { gpuIndex };
  return {
    type: 'resource',
    machineId: machine.id,
    resource,
    ...gpu,
    comparator,
    threshold,
    ...sustainedOf(fields),
  };
}

const noSuchSweep = (reference: string): ToolFailure =>
  new ToolFailure(
    `There is no sweep ${JSON.stringify(oneLine(reference, 80))}. Pass the id that sweep returned, such as "s1".`,
  );

const noSuchRun = (reference: string, runs: RunLookup): ToolFailure =>
  new ToolFailure(
    `There is no run ${JSON.stringify(oneLine(reference, 80))}. Current runs: ${goingText(runs)}. For a process that is not one of your runs: ${examples.process_exit}`,
  );

function goingText(runs: RunLookup): string {
  const names = runs.going().map((run: FoundRun) => run.name);
  return names.length === 0 ? 'none' : oneLine(names.join(', '), 400);
}

function absolute(machine: SleepMachine, path: string): string {
  const found = absolutePath(machine, path);
  if (machine.path.isAbsolute(found)) return found;
  throw new ToolFailure(
    `The home folder of ${machine.id} is not known yet. Give an absolute path instead of ${oneLine(path, 80)}.`,
  );
}
