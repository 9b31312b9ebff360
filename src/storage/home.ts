/** Paths in the home folder of Helios (`~/.helios` by default). Never reads or writes files. */
import path from 'node:path';
import type { RunId, SessionId } from '../base/ids.ts';

export interface Home {
  readonly folder: string;
  readonly sessionsFolder: string;
  readonly runsFolder: string;
  readonly globalMemoryFolder: string;
  /** Folder of the data that the sessions of a project share, by project. */
  readonly projectsFolder: string;
  readonly authFolder: string;
  /**
   * Folder of secrets that the background process renewed while no window was open. The next window
   * moves them to the secret storage of VS Code.
   */
  readonly renewedSecretsFolder: string;
  /** File with the log of the background process. */
  readonly backgroundLogFile: string;
  readonly machinesFile: string;
  /** File with the user's approvals that apply to a working folder or everywhere. */
  readonly approvalsFile: string;
  /** File with the user's choices for folders, such as the permission mode. */
  readonly foldersFile: string;
  /** File with the model provider that last answered in the terminal. */
  readonly lastProviderFile: string;
  /** Folder of the mandates that the user has written. */
  readonly mandatesFolder: string;
  /** Folder of the contents of project files that the user has allowed. */
  readonly allowedFolder: string;
  /** Folder of notifications that are delayed until quiet hours end. */
  readonly heldFolder: string;
  /** File with facts about machines, such as their home folders; created again if missing. */
  readonly machineHomesFile: string;
  /** File with the container engines that Helios has used with this home folder. */
  readonly enginesFile: string;
  /** Cache of the models that each provider reported. Created again when missing. */
  readonly modelsFile: string;
  /** Working folder of `claude` processes. Contains only the input files of these processes. */
  readonly claudeFolder: string;
  /**
   * File of the index. Not called `helios.db`, which is the database of the original Helios in this
   * folder.
   */
  readonly indexFile: string;
  /** Key with which the labels of secrets are derived from the secrets. */
  readonly labelKeyFile: string;
  sessionFolder(id: SessionId): string;
  journalFile(id: SessionId): string;
  leaseFile(id: SessionId): string;
  runFolder(id: RunId): string;
}

export function homeAt(folder: string): Home {
  const sessionsFolder = path.join(folder, 'sessions');
  const runsFolder = path.join(folder, 'runs');
  const sessionFolder = (id: SessionId): string => path.join(sessionsFolder, id);
  return {
    folder,
    sessionsFolder,
    runsFolder,
    globalMemoryFolder: path.join(folder, 'memory'),
    projectsFolder: path.join(folder, 'projects'),
    authFolder: path.join(folder, 'auth'),
    renewedSecretsFolder: path.join(folder, 'auth', 'renewed'),
    backgroundLogFile: path.join(folder, 'background.log'),
    machinesFile: path.join(folder, 'machines.json'),
    approvalsFile: path.join(folder, 'approvals.json'),
    foldersFile: path.join(folder, 'folders.json'),
    lastProviderFile: path.join(folder, 'last-provider.json'),
    mandatesFolder: path.join(folder, 'mandates'),
    allowedFolder: path.join(folder, 'allowed'),
    heldFolder: path.join(folder, 'held'),
    machineHomesFile: path.join(folder, 'machine-homes.json'),
    enginesFile: path.join(folder, 'engines.json'),
    modelsFile: path.join(folder, 'models.json'),
    claudeFolder: path.join(folder, 'claude'),
    indexFile: path.join(folder, 'session-index.db'),
    labelKeyFile: path.join(folder, 'label-key'),
    sessionFolder,
    journalFile: (id) => path.join(sessionFolder(id), 'journal.jsonl'),
    leaseFile: (id) => path.join(sessionFolder(id), 'lease.json'),
    runFolder: (id) => path.join(runsFolder, id),
  };
}
