/** Finds out on which machines bubblewrap starts. */
import { randomBytes } from 'node:crypto';
import type { SessionId } from '../../base/ids.ts';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import { quotedReason } from '../../base/untrusted.ts';
import type { Machine } from '../machine.ts';
import { confinedCommand, refusal, script } from './confine.ts';
import type { Confinement } from './policy.ts';

type Network = Confinement['network'];
const timeoutMs = 30_000;
const restrictions = shellText('./restrictions.sh', import.meta.url);

/** Remembers the machines on which bubblewrap has started; other machines are asked again. */
export class ConfinementProbes {
  readonly #started = new Map<string, Promise<string | undefined>>();

  /**
   * Starts a confined command on the machine. Resolves with `undefined` if it started, otherwise
   * with a clause that gives the reason. Rejects with `MachineFailure` if the machine does not
   * answer.
   */
  failure(machine: Machine, network: Network = 'all'): Promise<string | undefined> {
    const key = `${machine.id} ${typeof network === 'string' ? network : 'hosts'}`;
    const known = this.#started.get(key);
    if (known !== undefined) return known;
    const asked = failureOn(machine, network);
    this.#started.set(key, asked);
    const forget = (): unknown => this.#started.delete(key);
    asked.then((why) => why !== undefined && forget(), forget);
    return asked;
  }
}

async function failureOn(machine: Machine, network: Network): Promise<string | undefined> {
  const mark = randomBytes(8).toString('hex');
  const confinement = { network, writable: [], sessionId: 'probe' as SessionId };
  const command = confinedCommand(machine, confinement, `echo ${mark}`);
  const { stdout, stderr } = await machine.exec(command, { cwd: '/', timeoutMs });
  if (stdout.includes(mark)) return undefined;
  const own = refusal.exec(stderr)?.[1];
  return (
    (own && (isFixed(own) ? own : quotedReason(own, machine.id, own))) ??
    (await restrictionOn(machine)) ??
    `bubblewrap does not start (${quotedReason(stderr.replace('bwrap: ', ''), machine.id, 'it gave no reason')})`
  );
}

/** Returns true for a reason of the script that contains nothing of the machine. */
const isFixed = (reason: string): boolean => script.includes(`'${reason}.'`);

const clauses: Readonly<Record<string, string>> = {
  apparmor:
    'AppArmor lets no program of users create user namespaces; an administrator can load a profile for bwrap',
  userns: 'user namespaces are turned off for users (sysctl user.max_user_namespaces)',
};

async function restrictionOn(machine: Machine): Promise<string | undefined> {
  const command = `exec /bin/sh -c ${shellQuote(restrictions)}`;
  const { stdout } = await machine.exec(command, { cwd: '/', timeoutMs });
  return clauses[stdout.trim()];
}
