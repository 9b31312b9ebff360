/** Dependencies of a session: those that all sessions share, and the callbacks of the session. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { PlaceWarning } from '../../base/placeWarnings.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { ConfinementProbes } from '../../machines/confinement/confinementProbes.ts';
import type { Machines } from '../../machines/machine.ts';
import type { MachineProbes } from '../../machines/probes/machineProbes.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import type { ApprovalFile } from '../../permissions/grants/approvalFile.ts';
import type { MandateReading } from '../../permissions/mandate/mandateFiles.ts';
import type { PathRules } from '../../permissions/pathRules.ts';
import type { ModelProvider } from '../../models/model.ts';
import type { ModelCatalogue } from '../../models/modelCatalogue.ts';
import type { PriceTable } from '../../models/prices.ts';
import type { Notifier } from '../../notify/notifier.ts';
import type { FolderChoices } from '../../project/folderChoices.ts';
import type { ProjectFile, Projects } from '../../project/projects.ts';
import type { Runs } from '../../runs/runs.ts';
import type { SharedMemoryFolders } from '../../storage/memoryFolders.ts';
import type { WebOptions } from '../../web/download.ts';
import type { WebReader } from '../../web/fetchPage.ts';
import type { HomeArchive } from './homeArchive.ts';
import type { DaySpending } from '../budget/daySpending.ts';
import type { JournalSpending } from '../budget/journalSpending.ts';
import type { EnginePorts } from '../contract/ports.ts';
import type { EngineSettings } from '../contract/settings.ts';
import type { EarlierAttempts } from '../experiments/earlierAttempts.ts';
import type { EndReason, EndEvidence, StreamEvent } from '../journal/events.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { SessionReports } from '../reports/reports.ts';
import type { StandstillsDeps } from '../runs/standstills.ts';
import type { StoredSecrets } from './storedSecrets.ts';

/** Dependencies that all sessions of a process share. */
export interface SharedDeps {
  readonly notifier: Pick<Notifier, 'notify'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secrets: Redactor;
  readonly paths: PathRules;
  readonly storedSecrets: Pick<StoredSecrets, 'learn'>;
  readonly runs: Runs;
  readonly projects: Pick<Projects, 'read'>;
  readonly approvals: Pick<ApprovalFile, 'list' | 'add'>;
  readonly folders: Pick<FolderChoices, 'read'>;
  /** Reads the mandate for a working folder. Never throws. */
  mandate(workFolder: string, project: ProjectFile | undefined): MandateReading;
  /** Returns the machines. `workFolder` is the base folder for relative paths and commands. */
  machinesIn(workFolder: string): Machines;
  readonly probes: MachineProbes;
  readonly confinements: ConfinementProbes;
  readonly resources: MachineResources;
  readonly ports: EnginePorts;
  readonly memoryFolders: SharedMemoryFolders;
  readonly earlier: Pick<EarlierAttempts, 'prepare' | 'like'>;
  readonly archive: HomeArchive;
  providers(): ReadonlyMap<string, ModelProvider>;
  readonly models: ModelCatalogue;
  settings(): EngineSettings;
  prices(): PriceTable;
  readonly today: DaySpending;
  /** Spending of individual sessions of the home, whichever process works on them. */
  readonly spending: Pick<JournalSpending, 'withChildren'>;
  readonly web: WebOptions;
  readonly pages: WebReader;
  readonly reports: Pick<SessionReports, 'brief' | 'writeup'>;
  readonly placeWarnings: readonly PlaceWarning[];
  readonly awakeTime: StandstillsDeps['awakeTime'];
}

/** Functions of the session that its parts (loop, sleep, watchdogs and others) call. */
export interface SessionHooks {
  show(event: StreamEvent): void;
  end(reason: EndReason, summary: string, ended?: EndEvidence): Promise<void>;
  /** Continues the session after a sleep. */
  goOn(): void;
  /** Called when an event could not be recorded. */
  fail(error: unknown): void;
}

export interface PartsRequest {
  readonly shared: SharedDeps;
  readonly hooks: SessionHooks;
  readonly log: SessionLog;
  readonly folder: string;
  /** Content of the project file at the time when the session was started or resumed. */
  readonly project?: ProjectFile;
}
