import { commandAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import { cleanText, oneLine, formatDuration } from '../../base/text.ts';
import { guardedOutput } from '../../experiments/git/guardWords.ts';
import type { ExecOutcome, ExecResult } from '../../machines/machine.ts';
import { outcomeText, runCommand } from '../parameters/runCommand.ts';
import { machineId, onMachine, type MachineTools } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

const defaultTimeoutSeconds = 300;

export const remoteExec = (tools: MachineTools): Tool =>
  defineTool({
    name: 'remote_exec',
    description:
      'Run a short shell command and wait for it: inspect, install, test. At timeout_seconds it is ended with its children.',
    effect: 'execute',
    parameters: z.strictObject({
      machine_id: machineId,
      command: z.string().min(1),
      timeout_seconds: z
        .number()
        .positive()
        .max(3600)
        .default(defaultTimeoutSeconds)
        .describe('Default: 300.'),
      cwd: z.string().min(1).optional(),
    }),
    aliases: { machine: 'machine_id', timeout: 'timeout_seconds', working_directory: 'cwd' },
    describe: (args) => `Ran ${onMachine(oneLine(args.command, 80), args.machine_id)}`,
    accesses: ({ machine_id, command, cwd }) => [
      { ...commandAccess(machine_id, command, cwd), asArguments: true },
    ],
    async execute(args, context) {
      const machine = tools.machines.get(args.machine_id);
      const { result, note } = await runCommand(tools, args, context);
      const fields = resultFields(result);
      const refused = refusedCalls(fields.git_guard);
      return {
        content: { ...fields, ...(note !== undefined && { withheld: note }) },
        origins: {
          stdout: `output of the command on ${machine.id}`,
          stderr: `errors of the command on ${machine.id}`,
        },
        summary: refused ?? outcomeText(result.outcome),
        ...(result.contacts && { contacts: result.contacts }),
        ...(result.outcome.kind === 'exited' &&
          refused === undefined && { exitCode: result.outcome.code }),
      };
    },
  });

/**
 * Returns a text for the user about the calls that the git guard refused:
 * `git push refused: Helios never pushes`.
 */
const refusedCalls = (guard: string | undefined): string | undefined =>
  guard
    ?.split('\n')
    .map((line) => line.replace(/^helios: (git \S+) was not run: ([^.]+)\..*$/, '$1 refused: $2'))
    .join('; ');

interface ResultFields extends Readonly<Record<string, unknown>> {
  readonly git_guard?: string;
}

function resultFields({ stdout, stderr, outcome }: ExecResult): ResultFields {
  const [out, err] = [stdout, stderr].map((text) => guardedOutput(cleanText(text)));
  const words = [...(out?.words ?? []), ...(err?.words ?? [])];
  return {
    stdout: out?.rest,
    stderr: err?.rest,
    ...(words.length > 0 && { git_guard: [...new Set(words)].join('\n') }),
    ...outcomeFields(outcome),
  };
}

function outcomeFields(outcome: ExecOutcome): Record<string, unknown> {
  switch (outcome.kind) {
    case 'exited':
      return { exit_code: outcome.code };
    case 'signalled':
      return { signal: outcome.signal };
    case 'timed_out':
      return {
        timed_out: true,
        note: `Ended with its children at the time limit, after ${formatDuration(outcome.afterMs)}. It no longer runs. Raise timeout_seconds, or use remote_exec_background.`,
      };
    case 'aborted':
      return {
        aborted: true,
        note: 'Interrupted: the command was ended with its children; it no longer runs.',
      };
  }
}
