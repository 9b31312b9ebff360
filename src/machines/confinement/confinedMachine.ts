/** A machine whose foreground commands are confined; everything else is forwarded. */
import { randomBytes } from 'node:crypto';
import { signalName } from '../../base/signals.ts';
import { ForwardingMachine } from '../forwardingMachine.ts';
import type { ExecOptions, ExecOutcome, ExecResult, Machine } from '../machine.ts';
import { confinedCommand, refusal } from './confine.ts';
import { parseContacts, type HostContact } from './hostContacts.ts';
import type { Confinement } from './policy.ts';

/**
 * Returns the machine with confined foreground commands; without a confinement, the machine itself.
 */
export const confinedMachine = (machine: Machine, confinement: Confinement | undefined): Machine =>
  confinement === undefined ? machine : new ConfinedMachine(machine, confinement);

class ConfinedMachine extends ForwardingMachine {
  readonly id: string;
  readonly #machine: Machine;
  readonly #confinement: Confinement;

  constructor(machine: Machine, confinement: Confinement) {
    super();
    this.id = machine.id;
    this.#machine = machine;
    this.#confinement = confinement;
  }

  override async exec(command: string, options?: ExecOptions): Promise<ExecResult> {
    const hasList = typeof this.#confinement.network !== 'string';
    const record = hasList ? `hosts-${randomBytes(8).toString('hex')}.log` : '';
    const text = confinedCommand(this.#machine, this.#confinement, command, record);
    const first = await this.#machine.exec(text, options);
    const isGone = vanished.test(startFailure(first) ?? '');
    const result = isGone ? await this.#machine.exec(text, options) : first;
    const confined = { ...result, outcome: outcomeOf(result.outcome) };
    return hasList ? { ...confined, contacts: await this.#contacts(record) } : confined;
  }

  /**
   * Reads and removes the record of the hosts. Resolves with an empty list if the machine no longer
   * answers.
   */
  async #contacts(record: string): Promise<readonly HostContact[]> {
    const command = `cd "/tmp/helios-$(id -u)" && cat ${record} && rm -f ${record}`;
    const options = { cwd: '/', timeoutMs: 30_000, maxBytes: 4 * 1024 * 1024 };
    const read = this.#machine.exec(command, options).catch(() => undefined);
    return parseContacts((await read)?.stdout ?? '');
  }

  protected override target(): Machine {
    return this.#machine;
  }
}

/**
 * Returns why a confined command was not started, in the words of the script or of bubblewrap;
 * `undefined` if it was started.
 */
export function startFailure({ outcome, stdout, stderr }: ExecResult): string | undefined {
  if (outcome.kind !== 'exited' || stdout !== '') return undefined;
  // Before it starts the command, bubblewrap prints at most one line.
  if (outcome.code === 1) return /^bwrap: (.*)\n?(?![^])/m.exec(stderr)?.[1];
  return outcome.code === refusedCode ? refusal.exec(stderr)?.[1] : undefined;
}

/**
 * Matches that bubblewrap did not find a path to hide, such as the socket of a program that has ended
 * since the script listed it. The next start lists the paths again.
 */
const vanished =
  /^Can't (?:mkdir(?: parents for)?|create file at|find source path|get type of source) \/.*: (?:Read-only file system|Permission denied|No such file or directory)$/;

/** Exit code of the script if it does not start the command. */
const refusedCode = 126;

/** Converts an exit code: bubblewrap reports 128 + n if signal n ended the command. */
function outcomeOf(outcome: ExecOutcome): ExecOutcome {
  const signal =
    outcome.kind === 'exited' && outcome.code > 128 ? signalName(outcome.code - 128) : undefined;
  return signal === undefined ? outcome : { kind: 'signalled', signal };
}
