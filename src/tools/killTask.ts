import * as z from 'zod';
import { oneLine } from '../base/text.ts';
import type { Run } from '../runs/liveRun.ts';
import type { KillOptions, KillResult } from '../runs/runs.ts';
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

export interface TaskKiller {
  readonly runs: RunFinder & { kill(run: Run, options: KillOptions): Promise<KillResult> };
}

const numbers: Readonly<Record<string, string>> = { 1: 'HUP', 2: 'INT', 3: 'QUIT', 9: 'KILL', 15: 'TERM' };
const plainName = (value: unknown): unknown => {
  const name = String(value).toUpperCase().replace(/^SIG/, '');
  return numbers[name] ?? name;
};

const signalName = z
  .preprocess(plainName, z.enum(['TERM', 'INT', 'HUP', 'QUIT', 'KILL', 'STOP', 'CONT']))
  .default('TERM')
  .describe(
    'TERM (default), INT, HUP, QUIT: asks to end, then forces. KILL: forces at once. STOP, CONT: pause, resume.',
  );

export const killTask = ({ runs }: TaskKiller): Tool =>
  defineTool({
    name: 'kill_task',
    description:
      'End a run with all its processes, and check that none is left. Its output and metrics stay readable. After ' +
      'grace_seconds, processes that are still there are killed.',
    effect: 'execute',
    isRepeatable: true,
    parameters: z.strictObject({
      ...runReference,
      signal: signalName,
      grace_seconds: z.number().min(0).max(600).default(10).describe('For saving a checkpoint, say. Default 10.'),
    }),
    aliases: runAliases,
    describe: (args) => `${verb(args.signal)} ${referenceText(args)}`,
    async execute(args, context) {
      const run = findRun(runs, args, context.sessionId);
      const result = await runs.kill(run, { signal: args.signal, graceMs: args.grace_seconds * 1000 });
      return {
        content: { ...runFields(run), ...killFields(run, result) },
        summary: oneLine(`${verb(args.signal)} ${statusText(run)}`, 80),
        runId: run.spec.id,
      };
    },
  });

const verb = (signal: string): string => (signal === 'STOP' ? 'Paused' : signal === 'CONT' ? 'Resumed' : 'Stopped');

function killFields(run: Run, result: KillResult): Record<string, unknown> {
  const processes = result.signalled.length;
  if (result.signal === 'STOP' || result.signal === 'CONT') {
    return { status: processes > 0 ? 'signalled' : 'already_exited', signal: result.signal, processes };
  }
  const left = result.left.length > 0 ? { still_running_pids: result.left } : {};
  return {
    status: result.left.length > 0 ? 'still_running' : result.wasRunning ? 'killed' : 'already_exited',
    verdict: statusText(run),
    signal: result.signal,
    processes_ended: processes - result.left.length,
    ...(result.isEscalated ? { forced: 'KILL was needed' } : {}),
    verified: result.isVerified,
    ...left,
  };
}
