/** The handlers of all commands of this window. */
import type { Memento } from 'vscode';
import type { SessionId } from '../base/ids.ts';
import { experimentCommands } from './experiments/experimentCommands.ts';
import { ledgerCommands } from './experiments/ledgerCommands.ts';
import { inboxCommands } from './inbox/inboxCommands.ts';
import { keepRunningCommands, type KeepRunning } from './keepRunning/keepRunning.ts';
import { machineCommands } from './machines/machineCommands.ts';
import { noteCommands } from './memory/noteCommands.ts';
import { signInCommands, type ChatgptAuth } from './models/chatgptAuth.ts';
import { modelCommands } from './models/modelCommands.ts';
import type { ModelDeps } from './models/modelProvider.ts';
import { notifyCommands } from './notifications/notifyCommands.ts';
import { projectCommands } from './notifications/projectCommands.ts';
import { reportCommands } from './reports/reportCommands.ts';
import { annotateCommands } from './runs/annotateRun.ts';
import { compareCommands } from './runs/compareCommands.ts';
import { runCommands } from './runs/runCommands.ts';
import { approvalCommands } from './sessions/approvalCommands.ts';
import { editCommands } from './sessions/editCommands.ts';
import { demoCommands } from './sessions/demoCommands.ts';
import { goalCommands } from './sessions/goalCommands.ts';
import { manageApprovals } from './sessions/manageApprovals.ts';
import { permissionCommands } from './sessions/permissionCommands.ts';
import { sessionCommands, showActions } from './sessions/sessionCommands.ts';
import { storeCommands } from './sessions/storeCommands.ts';
import type { AllHandlers } from './ui/commandRegistry.ts';
import type { AppDeps } from './appDeps.ts';

/**
 * Features that commands use and that other code creates. Functions, if the feature is created
 * later than the commands or not at all.
 */
export interface CommandTargets {
  readonly models: ModelDeps;
  /** VS Code's global state, which all windows share. */
  readonly memory: Memento;
  showSession(id: SessionId): Promise<void>;
  showMetrics(id: SessionId): Promise<void>;
  showOutput(): void;
  chatgpt(): ChatgptAuth | undefined;
  keepRunning(): KeepRunning | undefined;
  /** Arranges the Experiments view as a tree of what built on what, or as a list. */
  arrange(isTree: boolean): Promise<void>;
  refresh(): void;
}

export const commandHandlers = (deps: AppDeps, targets: CommandTargets): AllHandlers => ({
  ...goalCommands(deps),
  ...storeCommands(deps, targets.showSession),
  ...permissionCommands(deps),
  'helios.manageApprovals': () => manageApprovals(deps),
  ...sessionCommands(deps, targets.showSession),
  ...approvalCommands(deps),
  ...editCommands(deps),
  ...experimentCommands(deps),
  ...ledgerCommands(deps),
  ...compareCommands(deps),
  ...runCommands(deps, targets.showMetrics),
  ...annotateCommands(deps),
  ...machineCommands(deps),
  ...noteCommands(deps),
  ...reportCommands(deps),
  ...inboxCommands(deps),
  ...modelCommands(deps, targets.models),
  ...notifyCommands(deps),
  ...projectCommands(deps),
  ...signInCommands(targets.chatgpt),
  ...keepRunningCommands(deps, targets.keepRunning),
  ...demoCommands(deps, targets.memory),
  'helios.showActions': () => showActions(deps),
  'helios.showOutput': () => targets.showOutput(),
  'helios.viewAsTree': () => targets.arrange(true),
  'helios.viewAsList': () => targets.arrange(false),
  'helios.refresh': () => targets.refresh(),
});
