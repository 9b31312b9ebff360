import * as z from 'zod';
import { formatDuration } from '../base/text.ts';
import type { Clock } from '../base/clock.ts';
import type { Run } from '../runs/liveRun.ts';
import type { OutputTail } from '../runs/outputTail.ts';
import {
  findRun,
  referenceText,
  runAliases,
  runFields,
  runReference,
  statusText,
  type RunFinder,
} from './runReference.ts';
import { defineTool, type Tool } from './tool.ts';

export interface TaskOutputs {
  readonly runs: RunFinder & { output(run: Run, options: { readonly lines: number }): Promise<OutputTail> };
  readonly clock: Clock;
}

export const taskOutput = ({ runs, clock }: TaskOutputs): Tool =>
  defineTool({
    name: 'task_output',
    description:
      'The last lines that a run printed, and whether it is running or how it ended. Works after its end too.',
    effect: 'read',
    parameters: z.strictObject({
      ...runReference,
      lines: z.number().int().positive().max(2000).default(50).describe('Lines from the end. Default 50.'),
    }),
    aliases: runAliases,
    describe: (args) => `Read output of ${referenceText(args)}`,
    async execute(args, context) {
      const run = findRun(runs, args, context.sessionId);
      const { text, sizeBytes, path, isCut } = await runs.output(run, { lines: args.lines });
      return {
        content: {
          ...runFields(run),
          running: run.liveness.kind !== 'ended',
          status: statusText(run),
          ...timeFields(run, clock.now()),
          log_path: path,
          log_bytes: sizeBytes,
          ...(isCut ? { earlier_output: 'left out; raise lines, or read_file log_path' } : {}),
          output: text,
        },
        summary: statusText(run),
        runId: run.spec.id,
      };
    },
  });

function timeFields({ liveness, process, lastOutputMs }: Run, nowMs: number): Record<string, string> {
  const endMs = liveness.kind === 'ended' ? liveness.endedMs : nowMs;
  return {
    ...(process ? { elapsed: formatDuration(endMs - process.startedMs) } : {}),
    ...(lastOutputMs === undefined ? {} : { last_output: `${formatDuration(nowMs - lastOutputMs)} ago` }),
  };
}
