/**
 * The engine as front ends (the extension, the terminal, a test) see it. A front end starts and
 * follows sessions, reads state, and answers the ports; it never touches a journal or a process
 * itself.
 */
import type { Disposable } from '../../base/disposable.ts';
import type { MachineRegistry } from '../../machines/list/machineRegistry.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { ModelProvider } from '../../models/model.ts';
import type { ModelCatalogue } from '../../models/modelCatalogue.ts';
import type { PriceTable } from '../../models/prices.ts';
import type { Notifier } from '../../notify/notifier.ts';
import type { Runs } from '../../runs/runs.ts';
import type { Spent } from './budget.ts';
import type { Reports } from './reports.ts';
import type { Retention } from './retention.ts';
import type { Sessions } from './sessions.ts';

export interface Engine extends Disposable {
  readonly home: string;
  readonly sessions: Sessions;
  readonly retention: Retention;
  readonly machines: MachineRegistry;
  /** All runs known to this process, of all its sessions. */
  readonly runs: Runs;
  /** What the machines are busy with; sampled while somebody watches or runs are going on. */
  readonly resources: MachineResources;
  readonly globalMemoryFolder: string;
  readonly reports: Reports;
  providers(): readonly ModelProvider[];
  readonly models: ModelCatalogue;
  /**
   * What calls cost: by our list, by what providers tell, and before both by the setting. Throws
   * `UserFacing` where that is wrong.
   */
  prices(): PriceTable;
  /** Tells people what happens. */
  readonly notifier: Pick<Notifier, 'try'>;
  /** Takes out of a text what this process knows to be a secret, and what has the form of one. */
  redact(text: string): string;
  /** What all sessions of the home have spent since midnight, those of other processes too. */
  spentToday(): Promise<Spent>;
  /**
   * Ends what this process does with the sessions (leases are let go, runs go on) and writes out
   * the index.
   */
  close(): Promise<void>;
}
