/**
 * References to a run: one parameter with a handle, id or number, or the two parameters machine and
 * pid.
 */
import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import { confinementText } from '../../machines/confinement/policy.ts';
import type { Run } from '../../runs/liveRun.ts';
import { livenessText, runName, runTitle, type RunSpec } from '../../runs/run.ts';

export interface RunFinder {
  find(reference: string): Run | undefined;
  /** Finds a run that waits in line for a free slot or GPU. */
  queued(reference: string): WaitingRun | undefined;
  /** Returns the runs that were started, oldest first. */
  all(): readonly Run[];
}

/** A run that waits for a free slot or GPU on its machine, and its position in line, from 1. */
export interface WaitingRun {
  readonly spec: RunSpec;
  readonly place: number;
}

/** Finds sweeps, because models also name a sweep (`s1`) where a tool expects a run. */
export interface SweepFinder {
  /** Returns the id of the sweep; `undefined` if `reference` names no sweep. */
  find(reference: string): string | undefined;
  /** Returns the progress of the sweep and its points, best first; long lists are truncated. */
  table(id: string): string;
}

const idOrNumber = z.union([z.string().min(1), z.number().int().positive()]);

export const runReference = {
  run: idOrNumber.optional().describe('Number, run_id or "machine:pid"; or a sweep ("s1").'),
  machine_id: z.string().min(1).default('local').meta({ hidden: true }),
  pid: z.number().int().positive().optional().meta({ hidden: true }),
};

export const runAliases: Readonly<Record<string, string>> = {
  task_id: 'run',
  run_id: 'run',
  task: 'run',
  sweep: 'run',
  machine: 'machine_id',
};

export interface RunReference {
  readonly run?: string | number | undefined;
  readonly machine_id: string;
  readonly pid?: number | undefined;
}

export const referenceText = ({ run, machine_id: machineId, pid }: RunReference): string =>
  run === undefined
    ? `${machineId}:${pid ?? '?'}`
    : /^\d+$/.test(String(run))
      ? runName(Number(run))
      : String(run);

/**
 * Returns the run that the arguments name. Throws `ToolFailure` that lists the existing runs if
 * there is no such run.
 */
export function findRun(finder: RunFinder, args: RunReference): Run {
  if (args.run === undefined && args.pid === undefined)
    throw new ToolFailure(
      `No run is given. Pass run (its number, run_id or "machine:pid"), or machine_id and pid.`,
    );
  const found = finder.find(referenceText(args));
  if (found) return found;
  const waiting = finder.queued(referenceText(args));
  if (waiting)
    throw new ToolFailure(
      `${runTitle(waiting.spec.number)} has not started: it waits for a free slot or GPU on ${waiting.spec.machineId}, as number ${waiting.place} in line. Wait for it with sleep, or cancel it with kill_task.`,
    );
  const known = finder.all().slice(-20).map(runLine);
  const list = known.length > 0 ? `Runs:\n${known.join('\n')}` : 'No run has been started yet.';
  throw new ToolFailure(`${referenceText(args)} is unknown. ${list}`);
}

const runLine = (run: Run): string =>
  `- ${runName(run.spec.number)} (${run.handle ?? run.spec.id})${run.spec.label ? ` ${run.spec.label}` : ''}: ${statusText(run)}`;

/** Returns the state of the run, such as `running` or `queued (Priority)`. */
export const statusText = ({ liveness, spec }: Run): string =>
  livenessText(liveness, spec.machineId);

/** The fields that every tool returns for a run. */
export const runFields = (
  run: Pick<Run, 'spec'> & Partial<Pick<Run, 'handle' | 'process'>>,
): Readonly<Record<string, unknown>> => ({
  run: run.spec.number,
  run_id: run.spec.id,
  ...(run.handle === undefined ? {} : { task: run.handle }),
  ...(run.process === undefined ? {} : { pid: run.process.pid }),
  machine_id: run.spec.machineId,
  ...(run.spec.label === '' ? {} : { label: run.spec.label }),
  ...(run.spec.confinement && { confined: confinementText(run.spec.confinement) }),
});
