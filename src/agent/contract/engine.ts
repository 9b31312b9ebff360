/**
 * The engine as front ends (the extension, the `helios` command, a test) see it. A front end starts
 * and follows sessions, reads their state and implements the ports. A front end never accesses a
 * journal or a process directly.
 */
import type { Disposable } from '../../base/disposable.ts';
import type { MachineRegistry } from '../../machines/list/machineRegistry.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { ModelProvider } from '../../models/model.ts';
import type { ModelCatalogue } from '../../models/modelCatalogue.ts';
import type { PriceTable } from '../../models/prices.ts';
import type { Notifier } from '../../notify/notifier.ts';
import type { Runs } from '../../runs/runs.ts';
import type { SharedMemoryFolders } from '../../storage/memoryFolders.ts';
import type { Spent } from './budget.ts';
import type { Reports } from './reports.ts';
import type { Retention } from './retention.ts';
import type { SessionRequests } from './requests.ts';
import type { Sessions } from './sessions.ts';

export interface Engine extends Disposable {
  readonly home: string;
  readonly sessions: Sessions;
  /** Requests to sessions that other processes work on. */
  readonly requests: SessionRequests;
  readonly retention: Retention;
  readonly machines: MachineRegistry;
  /** Runs of all sessions that are open in this process. */
  readonly runs: Runs;
  /** Load of the machines. Measured only while a view shows the load or runs are active. */
  readonly resources: MachineResources;
  readonly memoryFolders: SharedMemoryFolders;
  readonly reports: Reports;
  providers(): readonly ModelProvider[];
  readonly models: ModelCatalogue;
  /**
   * Returns the prices of calls. In order of precedence: the setting, prices that providers report,
   * the built-in list. Throws `UserFacing` when the setting is invalid.
   */
  prices(): PriceTable;
  /** Sends notifications. */
  readonly notifier: Pick<Notifier, 'try'>;
  /**
   * Removes secrets from a text: the secrets that this process knows, and everything that looks
   * like a secret.
   */
  redact(text: string): string;
  /**
   * Resolves with the spending of all sessions of the home since midnight, including sessions of
   * other processes.
   */
  spentToday(): Promise<Spent>;
  /**
   * Closes the sessions of this process: releases their leases and writes the index to disk. Runs
   * continue.
   */
  close(): Promise<void>;
}
