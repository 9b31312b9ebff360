/** Decides whether the commands and runs of a session are confined, and by what. */
import { messageOf, ToolFailure } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import type { ConfinementProbes } from '../../machines/confinement/confinementProbes.ts';
import { confinementText, type Confinement } from '../../machines/confinement/policy.ts';
import type { Machine } from '../../machines/machine.ts';
import type { EngineSettings } from '../contract/settings.ts';

export interface ConfiningDeps {
  readonly sessionId: SessionId;
  readonly probes: Pick<ConfinementProbes, 'failure'>;
  settings(): Pick<EngineSettings, 'confinement' | 'permissionMode'>;
}

export class Confining {
  readonly #deps: ConfiningDeps;

  constructor(deps: ConfiningDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves with what confines commands and runs on the machine; `undefined` if nothing does.
   * Rejects with `ToolFailure` if they must be confined and cannot be, and with `MachineFailure`.
   */
  async of(machine: Machine): Promise<Confinement | undefined> {
    const {
      required,
      writable = [],
      network = 'all',
    } = (await machine.setup?.())?.confinement ?? {};
    const use = required === true ? 'always' : (this.#deps.settings().confinement ?? 'never');
    if (use === 'never' || machine.kind === 'container') return undefined;
    await machine.ready?.({ mayAsk: true });
    const why = await this.#deps.probes.failure(machine, network);
    if (why !== undefined)
      throw new ToolFailure(
        `Nothing was run on ${machine.id}: commands must be confined, and cannot be there: ${why}. The user can mend that, change helios.run.confinement, or use a container.`,
      );
    const { sessionId } = this.#deps;
    return { network, writable: [machine.workFolder, ...writable], sessionId };
  }

  /** Resolves with what confines commands on the machine, in words. Never rejects. */
  async text(machine: Machine): Promise<string> {
    if (machine.kind === 'container') return 'by its container';
    const confinement = await this.of(machine).catch((error: unknown) => messageOf(error));
    if (confinement === undefined) return 'no';
    return typeof confinement === 'string' ? confinement : confinementText(confinement);
  }
}
