import * as z from 'zod';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import { counted, oneLine } from '../../base/text.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { KillOptions, KillResult } from '../../runs/runs.ts';
import {
  findRun,
  referenceText,
  runAliases,
  runFields,
  runReference,
  statusText,
  type RunFinder,
  type SweepFinder,
} from '../parameters/runReference.ts';
import { defineTool, type Tool, type ToolResult } from '../tool.ts';
import { runName, type RunSpec } from '../../runs/run.ts';

export interface TaskKiller {
  readonly runs: RunFinder & {
    kill(run: Run, options: KillOptions): Promise<KillResult>;
    /** Takes a waiting run out of the line. Resolves with false if it has started instead. */
    cancel(spec: RunSpec): Promise<boolean>;
  };
  /**
   * Finds sweeps. `stop` ensures that no more points of the sweep are launched, and resolves with
   * the runs of the sweep that have not ended.
   */
  readonly sweeps: SweepFinder & {
    stop(id: string): Promise<readonly Run[]>;
    /** Returns whether no run of the sweep is active or will be started. */
    isOver(id: string): boolean;
    /** Continues a sweep that was paused. Resolves with whether it was paused. */
    resume(id: string): Promise<boolean>;
  };
}

const signalsThatEndNothing: readonly string[] = ['STOP', 'CONT', 'USR1', 'USR2'];
const numbers: Readonly<Record<string, string>> = {
  1: 'HUP',
  2: 'INT',
  3: 'QUIT',
  9: 'KILL',
  10: 'USR1',
  12: 'USR2',
  15: 'TERM',
};
const plainName = (value: unknown): unknown => {
  const name = String(value).toUpperCase().replace(/^SIG/, '');
  return numbers[name] ?? name;
};

const signalName = z
  .preprocess(
    plainName,
    z.enum(['TERM', 'INT', 'HUP', 'QUIT', 'KILL', 'STOP', 'CONT', 'USR1', 'USR2']),
  )
  .default('TERM')
  .describe(
    'TERM, INT, HUP, QUIT: KILL follows after grace_seconds. STOP pauses, CONT resumes. USR1, USR2: only to processes that handle it. Default: TERM.',
  );

export const killTask = ({ runs, sweeps }: TaskKiller): Tool =>
  defineTool({
    name: 'kill_task',
    description:
      'End a run with all its processes; its output and metrics stay. Stops a sweep ("s1") with its points, or continues a paused one (CONT). Cancels a run that waits in line.',
    effect: 'execute',
    changesCode: false,
    isRepeatable: true,
    parameters: z.strictObject({
      ...runReference,
      signal: signalName,
      grace_seconds: z.number().min(0).max(600).default(10).describe('Default: 10.'),
    }),
    aliases: runAliases,
    describe: (args) => `${verb(args.signal)} ${referenceText(args)}`,
    async execute(args) {
      const options = { signal: args.signal, graceMs: args.grace_seconds * 1000 };
      const sweep = sweeps.find(referenceText(args));
      if (sweep !== undefined) return killSweep({ runs, sweeps }, sweep, options);
      const waiting = signalsThatEndNothing.includes(args.signal)
        ? undefined
        : runs.queued(referenceText(args));
      if (waiting !== undefined && (await runs.cancel(waiting.spec)))
        return {
          content: { ...runFields(waiting), status: 'cancelled' },
          summary: 'cancelled before it started',
          runId: waiting.spec.id,
        };
      const run = findRun(runs, args);
      const result = await runs.kill(run, options);
      return {
        content: { ...runFields(run), ...killFields(run, result) },
        summary: oneLine(statusText(run), 80),
        runId: run.spec.id,
      };
    },
  });

async function killSweep(
  { runs, sweeps }: TaskKiller,
  id: string,
  options: KillOptions,
): Promise<ToolResult> {
  if (options.signal === 'CONT' && (await sweeps.resume(id)))
    return {
      content: { sweep: id, status: 'resumed', table: sweeps.table(id) },
      summary: 'resumed',
    };
  if (signalsThatEndNothing.includes(options.signal ?? ''))
    throw new ToolFailure(
      `Signal ${options.signal} works only for a single run; CONT also for a sweep that is paused. Stop a sweep with TERM or KILL.`,
    );
  if (sweeps.isOver(id)) {
    const state = sweeps.table(id).split('\n', 1)[0];
    return { content: { sweep: id, status: 'over', state }, summary: 'was over already' };
  }
  const going = await sweeps.stop(id);
  const outcomes = await Promise.allSettled(going.map((run) => runs.kill(run, options)));
  const names = going.map(({ spec }) => runName(spec.number));
  const left = outcomes.flatMap((outcome, index) => {
    const name = names[index];
    if (outcome.status === 'rejected') return [`${name}: ${messageOf(outcome.reason)}`];
    return outcome.value.isVerified ? [] : [`${name}: still running`];
  });
  const killed = going.length - left.length;
  return {
    content: {
      sweep: id,
      status: left.length > 0 ? 'still_running' : 'stopped',
      killed,
      ...(left.length > 0 ? { left } : {}),
      table: sweeps.table(id),
    },
    summary: `${counted(killed, 'run')} ended`,
  };
}

const verb = (signal: string): string =>
  ({ STOP: 'Paused', CONT: 'Resumed', USR1: 'Sent USR1 to', USR2: 'Sent USR2 to' })[signal] ??
  'Stopped';

function killFields(run: Run, result: KillResult): Record<string, unknown> {
  const processes = result.signalled.length;
  if (signalsThatEndNothing.includes(result.signal)) {
    return {
      status: processes > 0 ? 'signalled' : result.wasRunning ? 'not_handled' : 'already_exited',
      signal: result.signal,
      processes,
    };
  }
  const left = result.left.length > 0 ? { still_running_pids: result.left } : {};
  return {
    status:
      result.left.length > 0 ? 'still_running' : result.wasRunning ? 'killed' : 'already_exited',
    verdict: statusText(run),
    signal: result.signal,
    processes_ended: processes - result.left.length,
    ...(result.isEscalated ? { forced: 'KILL was needed' } : {}),
    verified: result.isVerified,
    ...left,
  };
}
