import * as z from 'zod';
import { formatDuration } from '../../base/text.ts';
import type { Clock } from '../../base/clock.ts';
import type { Run } from '../../runs/liveRun.ts';
import { runName } from '../../runs/run.ts';
import type { OutputTail } from '../../runs/outputTail.ts';
import { gpuTimeFields, type ResourceSource } from '../machines/machineUse.ts';
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
import { isElsewhere } from './measuredRuns.ts';
import { defineTool, type Tool, type ToolResult } from '../tool.ts';

export interface TaskOutputs {
  readonly runs: RunFinder & {
    output(run: Run, options: { readonly lines: number }): Promise<OutputTail>;
    /** Returns a note on variables that a failed run lacked; `undefined` if there is none. */
    withheld?(run: Run): string | undefined;
    /** Reads the output of a run of another session; `undefined` if no run has this name. */
    archived?(
      reference: string,
      options: { readonly lines: number },
    ): Promise<ArchivedOutput | undefined>;
  };
  readonly sweeps: SweepFinder;
  readonly clock: Clock;
  readonly resources?: ResourceSource;
}

export const taskOutput = ({ runs, sweeps, clock, resources }: TaskOutputs): Tool =>
  defineTool({
    name: 'task_output',
    description:
      'Read the last lines that a run printed, and its status; of a sweep ("s1") its table, best first.',
    effect: 'read',
    countedAs: 'result',
    parameters: z.strictObject({
      ...runReference,
      lines: z.number().int().positive().max(2000).default(50).describe('Default: 50.'),
    }),
    aliases: runAliases,
    describe: (args) => `Read output of ${referenceText(args)}`,
    async execute(args) {
      const sweep = sweeps.find(referenceText(args));
      if (sweep !== undefined) return { content: sweeps.table(sweep) };
      const named = referenceText(args);
      if (isElsewhere.test(named) && runs.find(named) === undefined) {
        const archived = await runs.archived?.(named, { lines: args.lines });
        if (archived !== undefined) return archivedResult(archived);
      }
      const run = findRun(runs, args);
      const withheld = runs.withheld?.(run);
      const { text, sizeBytes, path, isCut } = await runs.output(run, { lines: args.lines });
      return {
        content: {
          ...runFields(run),
          running: run.liveness.kind !== 'ended',
          status: statusText(run),
          ...timeFields(run, clock.now()),
          ...gpuTimeFields(run.spec.id, resources),
          log_path: path,
          log_bytes: sizeBytes,
          ...(isCut
            ? {
                earlier_output:
                  'omitted: call again with a larger lines, or read log_path with read_file',
              }
            : {}),
          output: text,
          ...(withheld !== undefined && { withheld }),
        },
        origins: { output: `output of ${runName(run.spec.number)}` },
        summary: statusText(run),
        runId: run.spec.id,
      };
    },
  });

/** The output of a run of another session. */
export interface ArchivedOutput {
  /** Name with the session: `s-1#7`. */
  readonly name: string;
  readonly status: string;
  readonly command: string;
  readonly text: string;
}

const archivedResult = ({ name, status, command, text }: ArchivedOutput): ToolResult => ({
  content: { run: name, status, command, output: text },
  origins: { output: `output of ${name}` },
  summary: status,
});

function timeFields(
  { liveness, process, lastOutputMs }: Run,
  nowMs: number,
): Record<string, string> {
  const endMs = liveness.kind === 'ended' ? liveness.endedMs : nowMs;
  return {
    ...(process ? { elapsed: formatDuration(endMs - process.startedMs) } : {}),
    ...(lastOutputMs === undefined
      ? {}
      : { last_output: `${formatDuration(nowMs - lastOutputMs)} ago` }),
  };
}
