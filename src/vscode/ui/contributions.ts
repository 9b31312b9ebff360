/**
 * All ids that the code shares with the manifest (package.json), so that a misspelt id does not
 * compile. A unit test checks that this file and the manifest have the same ids.
 */

/** Commands that are listed in the command palette. */
export const paletteCommands = [
  'helios.startGoal',
  'helios.stop',
  'helios.pause',
  'helios.unpause',
  'helios.answerQuestion',
  'helios.pinNote',
  'helios.say',
  'helios.follow',
  'helios.showMetrics',
  'helios.openSession',
  'helios.openJournal',
  'helios.showWhatItDid',
  'helios.openBrief',
  'helios.shareSession',
  'helios.resumeSession',
  'helios.renameSession',
  'helios.searchSessions',
  'helios.exportSessions',
  'helios.cleanUpSessions',
  'helios.keepRunning',
  'helios.changePermissionMode',
  'helios.undoEdits',
  'helios.manageApprovals',
  'helios.promote',
  'helios.reproduce',
  'helios.exportResults',
  'helios.importResults',
  'helios.importRuns',
  'helios.compareRuns',
  'helios.openRunOutput',
  'helios.stopRun',
  'helios.editRunTags',
  'helios.editRunNote',
  'helios.newNote',
  'helios.addMachine',
  'helios.importMachines',
  'helios.removeMachine',
  'helios.testMachine',
  'helios.editMachines',
  'helios.openMachineTerminal',
  'helios.openMachineWindow',
  'helios.setApiKey',
  'helios.setSecret',
  'helios.testNotification',
  'helios.openProjectFile',
  'helios.allowProjectFile',
  'helios.signIn',
  'helios.signOut',
  'helios.selectModel',
  'helios.tryDemo',
  'helios.showActions',
  'helios.showOutput',
  'helios.refresh',
] as const;

/**
 * Commands that need a tree row, a chat button or a notification, and are hidden in the palette.
 */
export const itemCommands = [
  'helios.deleteSession',
  'helios.copyRunId',
  'helios.viewAsTree',
  'helios.viewAsList',
  'helios.compareSelectedRuns',
  'helios.openEdit',
  'helios.openNote',
  'helios.deleteNote',
  'helios.answerApproval',
  'helios.approve',
  'helios.approveForSession',
  'helios.approveInWorkspace',
  'helios.alwaysApprove',
  'helios.deny',
  'helios.unpinNote',
  'helios.openFolder',
  'helios.tryAgain',
  'helios.reopenInWsl',
  'helios.useContainer',
] as const;

export type CommandId = (typeof paletteCommands)[number] | (typeof itemCommands)[number];

export const viewContainer = 'helios';
export const views = {
  machines: 'helios.machines',
  memory: 'helios.memory',
  experiments: 'helios.experiments',
  inbox: 'helios.inbox',
} as const;

/** Context keys for `when` clauses of the manifest. */
export const contextKeys = {
  /** Whether this window has a session that has not ended. */
  hasSession: 'helios.hasSession',
  /** Whether a session of this window is thinking, acting or sleeping. */
  isWorking: 'helios.isWorking',
  /** Whether this window has at least one run. */
  hasRuns: 'helios.hasRuns',
  /** Whether the list of sessions has been read in this window. */
  sessionsListed: 'helios.sessionsListed',
  // Steps of the walkthrough are done by these.
  /** Whether a session of the demo has ended with runs. */
  demoEnded: 'helios.demoEnded',
  /** Whether a key, a sign-in or a model without either is set. */
  hasModel: 'helios.hasModel',
  goalStarted: 'helios.goalStarted',
  goalEnded: 'helios.goalEnded',
  /** Whether a panel has shown a session with runs. */
  runShown: 'helios.runShown',
  /** Whether the Experiments view shows which experiment built on which. */
  experimentsAsTree: 'helios.experimentsAsTree',
} as const;

export const participant = { id: 'helios.agent', name: 'helios' } as const;
export const chatCommands = [
  'new',
  'ask',
  'follow',
  'status',
  'stop',
  'writeup',
  'target',
  'sticky',
  'stickies',
  'resume',
  'inbox',
  'answer',
  'budget',
  'models',
  'model',
  'switch',
  'reasoning',
  'machines',
  'machine',
  'memory',
  'metric',
  'metrics',
  'claude-mode',
  'help',
] as const;
export type ChatCommand = (typeof chatCommands)[number];

/** VS Code's authentication provider for the ChatGPT sign-in. */
export const chatgptAccounts = { id: 'helios-chatgpt', label: 'ChatGPT (Helios)' } as const;

export const modelVendor = 'helios';
/** Id of the entry in the chat's model picker that uses the model of the settings. */
export const configuredModelId = 'configured';
export const walkthroughId = 'helios.start';
/** Step of the walkthrough about unattended work, as VS Code's command for walkthroughs takes it. */
export const unattendedStep = {
  category: `helios.helios#${walkthroughId}`,
  step: `helios.helios#${walkthroughId}#leave`,
} as const;
/** URI scheme of Helios's read-only documents, such as journals and run outputs. */
export const documentScheme = 'helios';
/**
 * Folder of the documents that show approval questions. The manifest gives these documents a
 * language, in which lines are wrapped, and buttons.
 */
export const approvalFolder = '/helios-approval/';
export const approvalLanguage = 'helios-approval';
