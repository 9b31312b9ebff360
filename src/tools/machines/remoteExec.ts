import { preambleOf } from '../../machines/environment/preamble.ts';
import { confinedMachine } from '../../machines/confinement/confinedMachine.ts';
import { confinementNote } from '../../machines/confinement/confinementNote.ts';
import { refusedHostsNote } from '../../machines/confinement/hostContacts.ts';
import type { Confinement } from '../../machines/confinement/policy.ts';
import { withheldNote } from '../../machines/environment/withheldNote.ts';
import { commandAccess } from '../parameters/accesses.ts';
import * as z from 'zod';
import { cleanText, oneLine, formatDuration } from '../../base/text.ts';
import { guardedOutput } from '../../experiments/git/guardWords.ts';
import type { ExecOutcome, ExecResult, Machine, MachineSetup } from '../../machines/machine.ts';
import type { Access } from '../../permissions/access.ts';
import { asArgumentLists } from '../../permissions/commands/argumentLists.ts';
import { machineId, machinePath, onMachine, type MachineTools } from '../parameters/machinePath.ts';
import { defineTool, type Tool } from '../tool.ts';

const maxBytes = 256 * 1024;
const defaultTimeoutSeconds = 300;

export const remoteExec = ({ machines, git, confining }: MachineTools): Tool =>
  defineTool({
    name: 'remote_exec',
    description:
      'Run a short shell command on a machine and wait for it: inspect, install, test. For training and anything ' +
      'longer than a few minutes use remote_exec_background. After timeout_seconds, the command and its child processes are ended.',
    effect: 'execute',
    parameters: z.strictObject({
      machine_id: machineId,
      command: z.string().min(1).describe('Shell command (bash).'),
      timeout_seconds: z
        .number()
        .positive()
        .max(3600)
        .default(defaultTimeoutSeconds)
        .describe('Time limit in seconds. Default: 300.'),
      cwd: z
        .string()
        .min(1)
        .optional()
        .describe("Folder to run in. Default: the machine's working folder."),
    }),
    aliases: { machine: 'machine_id', timeout: 'timeout_seconds', working_directory: 'cwd' },
    describe: (args) => `Ran ${onMachine(oneLine(args.command, 80), args.machine_id)}`,
    accesses: ({ machine_id, command, cwd }) => [
      { ...commandAccess(machine_id, command, cwd), asArguments: true },
    ],
    async execute(args, context) {
      const machine = machines.get(args.machine_id);
      const judged = asJudged(args.command, machine, context.accesses);
      const guarded = (await git?.command(machine, judged)) ?? judged;
      const setup = await machine.setup?.();
      const preamble = preambleOf(machine, setup?.prologue ?? [], args.command);
      const confinement = await confining?.of(machine);
      const result = await confinedMachine(machine, confinement).exec(preamble + guarded, {
        ...(setup && { env: setup.env }),
        timeoutMs: args.timeout_seconds * 1000,
        maxBytes,
        signal: context.signal,
        ...(args.cwd === undefined ? {} : { cwd: await machinePath(machine, args.cwd) }),
      });
      const note = failureNote(machine, { setup, confinement }, result);
      return {
        content: { ...resultFields(result), ...(note !== undefined && { withheld: note }) },
        origins: {
          stdout: `output of the command on ${machine.id}`,
          stderr: `errors of the command on ${machine.id}`,
        },
        summary: outcomeText(result.outcome),
        ...(result.contacts && { contacts: result.contacts }),
        ...(result.outcome.kind === 'exited' && { exitCode: result.outcome.code }),
      };
    },
  });

function failureNote(
  machine: Machine,
  {
    setup,
    confinement,
  }: { readonly setup: MachineSetup | undefined; readonly confinement: Confinement | undefined },
  { outcome, stdout, stderr, contacts = [] }: ExecResult,
): string | undefined {
  const hasFailed = outcome.kind !== 'exited' || outcome.code !== 0;
  const output = hasFailed ? `${stdout}\n${stderr}` : '';
  const notes = [
    setup && withheldNote(machine, setup, { output, isRun: false }),
    confinement && confinementNote(confinement, machine.id, output),
    confinement && refusedHostsNote(confinement, contacts),
  ].filter((each) => each !== undefined);
  return notes.length === 0 ? undefined : notes.join(' ');
}

/** Returns a command that only reads as argument lists; another command as it is. */
function asJudged(command: string, machine: Machine, accesses: readonly Access[]): string {
  const isSafe = accesses.some(
    (access) => access.kind === 'command' && access.verdict?.kind === 'safe',
  );
  return isSafe ? asArgumentLists(command, machine.homeFolder ?? '~') : command;
}

function resultFields({ stdout, stderr, outcome }: ExecResult): Record<string, unknown> {
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
        note: `Ended at the time limit, after ${formatDuration(outcome.afterMs)}. Raise timeout_seconds, or use remote_exec_background.`,
      };
    case 'aborted':
      return { aborted: true, note: 'The command was interrupted before it ended.' };
  }
}

function outcomeText(outcome: ExecOutcome): string {
  switch (outcome.kind) {
    case 'exited':
      return `exit code ${outcome.code}`;
    case 'signalled':
      return `ended by signal ${outcome.signal}`;
    case 'timed_out':
      return `timed out after ${formatDuration(outcome.afterMs)}`;
    case 'aborted':
      return 'interrupted';
  }
}
