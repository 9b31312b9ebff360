/** Decides whether the commands and runs of a session are confined, and how. */
import { messageOf, ToolFailure } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { ConfinementProbes } from '../../machines/confinement/confinementProbes.ts';
import { isGrantable, worksAtHome } from '../../machines/confinement/grants.ts';
import {
  confinementRule,
  confinementText,
  type Confinement,
} from '../../machines/confinement/policy.ts';
import type { ConfinementFields, Machine } from '../../machines/machine.ts';
import type { PermissionMode } from '../../permissions/mode.ts';
import type { EngineSettings } from '../contract/settings.ts';

export interface ConfiningDeps {
  readonly sessionId: SessionId;
  readonly probes: Pick<ConfinementProbes, 'failure'>;
  /** Returns the user's setting for confinement: `auto`, `always` or `never`. */
  use(): NonNullable<EngineSettings['confinement']>;
  /** Returns the permission mode in force. */
  mode(): PermissionMode;
  /**
   * Returns the folders and hosts that the mandate grants on the machine, besides the working
   * folder.
   */
  mandated(machine: Machine): MandatedConfinement;
  /** Returns the folders into which the session uploaded files, with links resolved. */
  uploaded?(machine: Machine): readonly string[];
}

interface MandatedConfinement {
  readonly folders: readonly string[];
  readonly hosts: readonly string[];
  /** Place in which the user lists the hosts, as the end of a sentence. */
  readonly listedIn: string;
}

export interface ConfinementState {
  /** False if commands on the machine are not to be confined by Helios. */
  readonly isWanted: boolean;
  /**
   * Confinement of commands on the machine as text: `bubblewrap, network on`, or `no` with the
   * reason.
   */
  readonly text: string;
}

interface Plan {
  /** True if commands must not run unconfined. */
  readonly isRequired: boolean;
  readonly confinement: Confinement;
  /** Why commands cannot be confined on the machine; `undefined` if they can. */
  readonly failure: string | undefined;
}

export class Confining {
  readonly #deps: ConfiningDeps;

  constructor(deps: ConfiningDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with the confinement of commands and runs on the machine; `undefined` if they are not
   * confined. Rejects with `ToolFailure` if they must be confined and cannot be, and with
   * `MachineFailure`.
   */
  async of(machine: Machine): Promise<Confinement | undefined> {
    const plan = await this.#plan(machine);
    if (plan?.failure === undefined) return plan?.confinement;
    if (!plan.isRequired) return undefined;
    throw new ToolFailure(
      `Nothing was run on ${machine.id}: commands must be confined, and cannot be there: ${plan.failure}. The user can fix this problem, change the setting helios.run.confinement, or use a container.`,
    );
  }

  /** Resolves with a description of the confinement on the machine. Never rejects. */
  async state(machine: Machine): Promise<ConfinementState> {
    if (machine.kind === 'container') return { isWanted: false, text: 'by its container' };
    if (machine.filesOnly) return { isWanted: false, text: machine.filesOnly.note };
    try {
      const plan = await this.#plan(machine);
      if (plan === undefined) return { isWanted: false, text: 'no' };
      const { failure, isRequired, confinement } = plan;
      const text =
        failure === undefined
          ? `${confinementText(confinement)}${confinement.isAtHome ? homeText : ''}`
          : `no, because ${failure}${isRequired ? '; nothing is run there' : ''}`;
      return { isWanted: true, text };
    } catch (error) {
      return { isWanted: true, text: `not known: ${messageOf(error)}` };
    }
  }

  /**
   * Resolves with what confinement means for the agent on the machine; `undefined` if its commands
   * are not confined. Never rejects.
   */
  async ruleOn(machine: Machine): Promise<string | undefined> {
    try {
      const plan = await this.#plan(machine);
      if (plan === undefined || (plan.failure !== undefined && !plan.isRequired)) return undefined;
      return plan.failure === undefined
        ? confinementRule(plan.confinement, machine.workFolder)
        : `Commands must be confined, and cannot be here: ${plan.failure}.`;
    } catch {
      return undefined;
    }
  }

  /**
   * Resolves with how to confine commands on the machine; with `undefined` if Helios need not
   * confine them.
   */
  async #plan(machine: Machine): Promise<Plan | undefined> {
    const { sessionId, probes, mode, mandated, uploaded } = this.#deps;
    const entry = (await machine.setup?.())?.confinement;
    const isRequired = this.#isRequired(entry);
    if (!isRequired && !this.#isByMode()) return undefined;
    if (machine.kind === 'container') return undefined;
    await machine.ready?.({ mayAsk: true });
    const granted = mode() === 'mandate' ? mandated(machine) : undefined;
    const sent = uploaded?.(machine) ?? [];
    const folders = foldersOn(machine, sent, [entry?.writable, granted?.folders]);
    const wanted = wantedNetwork(machine.id, entry?.network, granted);
    const { network, failure } = await networkOn(machine, wanted, probes);
    const confinement = { ...network, ...folders, sessionId };
    return { isRequired, confinement, failure };
  }

  #isRequired(entry: ConfinementFields | undefined): boolean {
    return entry?.required === true || this.#deps.use() === 'always';
  }

  #isByMode(): boolean {
    return this.#deps.use() === 'auto' && this.#deps.mode() === 'mandate';
  }
}

/** Returns the folders that commands may change: those of the machine first. */
function foldersOn(
  machine: Machine,
  uploaded: readonly string[],
  granted: readonly (readonly string[] | undefined)[],
): Pick<Confinement, 'writable' | 'isAtHome'> {
  const isAtHome = worksAtHome(machine);
  const own = isAtHome ? [] : [machine.workFolder];
  const sent = uploaded.filter((folder) => isGrantable(machine, folder));
  const writable = new Set([own, sent, ...granted].flatMap((folders) => folders ?? []));
  return { writable: [...writable], ...(isAtHome && { isAtHome }) };
}

const homeText = '; of the home folder, only folders that you uploaded can be written';

type Network = Pick<Confinement, 'network' | 'listedIn' | 'offlineBecause'>;

function wantedNetwork(
  machineId: string,
  given: Network['network'] | undefined,
  granted: MandatedConfinement | undefined,
): Network {
  if (typeof given === 'string') return { network: given };
  if (given !== undefined)
    return { network: given, listedIn: `confinement.network of ${machineId} in machines.json` };
  return granted ? { network: granted.hosts, listedIn: granted.listedIn } : { network: 'all' };
}

/**
 * Resolves with the network that commands get: no network if the machine cannot enforce the list of
 * hosts.
 */
async function networkOn(
  machine: Machine,
  wanted: Network,
  probes: ConfiningDeps['probes'],
): Promise<{ readonly network: Network; readonly failure: string | undefined }> {
  const failure = await probes.failure(machine, wanted.network);
  if (failure === undefined || typeof wanted.network === 'string')
    return { network: wanted, failure };
  const network = { network: 'none', offlineBecause: failure } as const;
  return { network, failure: await probes.failure(machine, 'none') };
}
