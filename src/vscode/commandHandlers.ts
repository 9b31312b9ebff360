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
import type { ModelParts } from './models/modelProvider.ts';
import { notifyCommands } from './notifications/notifyCommands.ts';
import { reportCommands } from './reports/reportCommands.ts';
import { runCommands } from './runs/runCommands.ts';
import { demoCommands } from './sessions/demoCommands.ts';
import { goalCommands } from './sessions/goalCommands.ts';
import { sessionCommands, showActions } from './sessions/sessionCommands.ts';
import { storeCommands } from './sessions/storeCommands.ts';
import type { Handlers } from './ui/commandRegistry.ts';
import type { WindowParts } from './windowParts.ts';

/** What commands reach that is created after them. */
export interface CommandTargets {
  readonly models: ModelParts;
  /** State of all windows. */
  readonly memory: Memento;
  showSession(id: SessionId): Promise<void>;
  showMetrics(id: SessionId): Promise<void>;
  showOutput(): void;
  chatgpt(): ChatgptAuth | undefined;
  keepRunning(): KeepRunning | undefined;
  refresh(): void;
}

export const commandHandlers = (parts: WindowParts, targets: CommandTargets): Handlers => ({
  ...goalCommands(parts),
  ...storeCommands(parts, targets.showSession),
  ...sessionCommands(parts, targets.showSession),
  ...experimentCommands(parts),
  ...ledgerCommands(parts),
  ...runCommands(parts, targets.showMetrics),
  ...machineCommands(parts),
  ...noteCommands(parts),
  ...reportCommands(parts),
  ...inboxCommands(parts),
  ...modelCommands(parts, targets.models),
  ...notifyCommands(parts),
  ...signInCommands(targets.chatgpt),
  ...keepRunningCommands(parts, targets.keepRunning),
  ...demoCommands(parts, targets.memory),
  'helios.showActions': () => showActions(parts),
  'helios.showOutput': () => targets.showOutput(),
  'helios.refresh': () => targets.refresh(),
});
