/**
 * Runs a foreground command of a tool call, with the git guard and the confinement of the session.
 */
import { confinedMachine, startFailure } from '../../machines/confinement/confinedMachine.ts';
import { confinementNote, ownNetworkNote } from '../../machines/confinement/confinementNote.ts';
import { refusedHostsNote } from '../../machines/confinement/hostContacts.ts';
import type { Confinement } from '../../machines/confinement/policy.ts';
import { preambleOf } from '../../machines/environment/preamble.ts';
import { formatDuration } from '../../base/text.ts';
import { withheldNote } from '../../machines/environment/withheldNote.ts';
import type { ExecOutcome, ExecResult, Machine, MachineSetup } from '../../machines/machine.ts';
import type { Access } from '../../permissions/access.ts';
import { asArgumentLists } from '../../permissions/commands/argumentLists.ts';
import type { ToolContext } from '../tool.ts';
import { machinePath, type MachineTools } from './machinePath.ts';

const maxBytes = 256 * 1024;

export interface ForegroundCommand {
  readonly machine_id: string;
  readonly command: string;
  readonly timeout_seconds: number;
  /** Folder in which the command starts. Default: the machine's working folder. */
  readonly cwd?: string | undefined;
}

export interface CommandRun {
  readonly result: ExecResult;
  /**
   * Note about variables or hosts that were withheld from a failed command, if that may be why it
   * failed.
   */
  readonly note: string | undefined;
  /** Why the confinement has not started the command. Omitted if the command was started. */
  readonly notStarted?: string | undefined;
}

/** Call of a tool, unique on all machines. */
export type CallName = Pick<ToolContext, 'sessionId' | 'callId'>;

const callVariable = 'HELIOS_CALL';
// The semicolon ends the name, so that no mark is the beginning of another.
const valueOf = ({ sessionId, callId }: CallName): string =>
  `${sessionId}/${callId.replaceAll(/[^\w.-]/g, '_')};`;

/** Returns the entry in the environment of the command of a call, and of its children. */
export const callMark = (call: CallName): string => `${callVariable}=${valueOf(call)}`;

export async function runCommand(
  { machines, git, confining }: MachineTools,
  { machine_id: id, command, timeout_seconds: seconds, cwd }: ForegroundCommand,
  context: Pick<ToolContext, 'accesses' | 'signal'> & CallName,
): Promise<CommandRun> {
  const { accesses, signal } = context;
  const machine = machines.get(id);
  const judged = asJudged(command, machine, accesses);
  const guarded = (await git?.command(machine, judged)) ?? judged;
  const setup = await machine.setup?.();
  const preamble = preambleOf(machine, setup?.prologue ?? [], command);
  const confinement = await confining?.of(machine);
  const result = await confinedMachine(machine, confinement).exec(preamble + guarded, {
    env: { ...setup?.env, [callVariable]: valueOf(context) },
    timeoutMs: seconds * 1000,
    maxBytes,
    signal,
    ...(cwd === undefined ? {} : { cwd: await machinePath(machine, cwd) }),
  });
  return {
    result,
    note: failureNote(machine, { setup, confinement, command }, result),
    notStarted: confinement && startFailure(result),
  };
}

function failureNote(
  machine: Machine,
  {
    setup,
    confinement,
    command,
  }: {
    readonly setup: MachineSetup | undefined;
    readonly confinement: Confinement | undefined;
    readonly command: string;
  },
  { outcome, stdout, stderr, contacts = [] }: ExecResult,
): string | undefined {
  const hasFailed = outcome.kind !== 'exited' || outcome.code !== 0;
  const output = hasFailed ? `${stdout}\n${stderr}` : '';
  const exitCode = outcome.kind === 'exited' ? outcome.code : undefined;
  const notes = [
    setup && withheldNote(machine, setup, { output, isRun: false }),
    confinement && confinementNote(confinement, machine.id, output),
    confinement && hasFailed && ownNetworkNote(confinement, { command, output, exitCode }),
    confinement && refusedHostsNote(confinement, contacts),
  ].filter((each) => typeof each === 'string');
  return notes.length === 0 ? undefined : notes.join(' ');
}

/**
 * Returns a command that only reads with its arguments quoted (`asArgumentLists`), so that it runs
 * as it was judged. Returns any other command unchanged.
 */
function asJudged(command: string, machine: Machine, accesses: readonly Access[]): string {
  const isSafe = accesses.some(
    (access) =>
      access.kind === 'command' && access.command === command && access.verdict?.kind === 'safe',
  );
  return isSafe ? asArgumentLists(command, machine.homeFolder ?? '~') : command;
}

/** Formats how a command ended: `exit code 1`. */
export function outcomeText(outcome: ExecOutcome): string {
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
