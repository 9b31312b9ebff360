/**
 * Every name that the manifest and the code share, once. A unit test compares this page with package.json in both
 * directions, so that a misspelt id does not compile and a forgotten one does not pass.
 */
import type { EngineSettings, PermissionMode } from '../../agent/contract/settings.ts';

/** Commands that the palette offers. */
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
  'helios.openBrief',
  'helios.resumeSession',
  'helios.searchSessions',
  'helios.exportSessions',
  'helios.cleanUpSessions',
  'helios.keepRunning',
  'helios.promote',
  'helios.reproduce',
  'helios.exportResults',
  'helios.importResults',
  'helios.compareRuns',
  'helios.openRunOutput',
  'helios.stopRun',
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
  'helios.signIn',
  'helios.signOut',
  'helios.selectModel',
  'helios.tryDemo',
  'helios.showActions',
  'helios.showOutput',
  'helios.refresh',
] as const;

/** Commands that need a row of a tree, a chat button or a notification; the palette hides them. */
export const itemCommands = [
  'helios.copyRunId',
  'helios.compareSelectedRuns',
  'helios.openNote',
  'helios.deleteNote',
  'helios.answerApproval',
  'helios.unpinNote',
  'helios.openFolder',
] as const;

export type CommandId = (typeof paletteCommands)[number] | (typeof itemCommands)[number];

export const viewContainer = 'helios';
export const views = {
  machines: 'helios.machines',
  memory: 'helios.memory',
  experiments: 'helios.experiments',
  inbox: 'helios.inbox',
} as const;

/** What `when` clauses of the manifest may ask, beside VS Code's own keys. */
export const contextKeys = {
  /** A session of this window is not ended. */
  hasSession: 'helios.hasSession',
  /** A session of this window thinks, acts or sleeps. */
  isWorking: 'helios.isWorking',
  /** This window knows at least one run. */
  hasRuns: 'helios.hasRuns',
} as const;

export const participant = { id: 'helios.agent', name: 'helios' } as const;
export const chatCommands = [
  'new',
  'ask',
  'follow',
  'status',
  'stop',
  'writeup',
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
] as const;
export type ChatCommand = (typeof chatCommands)[number];

/** The accounts of the sign-in to ChatGPT, as VS Code knows them. */
export const chatgptAccounts = { id: 'helios-chatgpt', label: 'ChatGPT (Helios)' } as const;

export const modelVendor = 'helios';
/** The id of the model that stands for whatever the settings name. */
export const configuredModelId = 'configured';
export const walkthroughId = 'helios.start';
/** Scheme of our read-only documents: journals, run outputs, comparisons. */
export const documentScheme = 'helios';

/** Settings by key, without the leading `helios.`, with their type as VS Code gives them. */
export interface Settings {
  readonly home: string;
  /** The id of a provider: one of ours, or of an endpoint. */
  readonly 'model.provider': string;
  readonly 'model.name': string;
  readonly 'model.effort': 'default' | NonNullable<EngineSettings['effort']>;
  readonly 'permissions.mode': PermissionMode;
  /** US dollars; 0: no limit. The same for all that follow. */
  readonly 'budget.usd': number;
  readonly 'budget.minutes': number;
  readonly 'budget.turns': number;
  readonly 'budget.tokens': number;
  readonly 'budget.experiment.usd': number;
  readonly 'budget.experiment.minutes': number;
  readonly 'budget.experiment.turns': number;
  readonly 'budget.experiment.tokens': number;
  readonly 'budget.day.usd': number;
  readonly 'budget.day.tokens': number;
  /** Commands and runs cannot change the person's repositories with git. */
  readonly 'git.protect': boolean;
  /** Of a file that is kept with an experiment, in millions of bytes. */
  readonly 'git.maxFileMb': number;
  readonly 'session.idleTurns': number;
  /** 0: never. */
  readonly 'session.plateauExperiments': number;
  readonly 'session.onPlateau': 'advise' | 'end';
  readonly watchdogs: NonNullable<EngineSettings['watchdogs']>;
  /** Whether sessions go on when VS Code closes; `never`: only those for which it is asked. */
  readonly 'session.keepRunning': 'never' | 'always';
  readonly 'session.resume': 'always' | 'ask' | 'never';
  readonly 'session.keepAwake': boolean;
  /** 0: they are kept whatever their age. */
  readonly 'retention.maxAgeDays': number;
  /** 0: they may take what there is. */
  readonly 'retention.maxGb': number;
  readonly 'providers.anthropicBaseUrl': string;
  readonly 'providers.claudePath': string;
  readonly 'providers.openaiBaseUrl': string;
  readonly 'providers.geminiBaseUrl': string;
  readonly 'providers.bedrockBaseUrl': string;
  readonly 'providers.bedrockRegion': string;
  readonly 'providers.compatibleBaseUrl': string;
  readonly endpoints: NonNullable<EngineSettings['endpoints']>;
  readonly 'providers.chatgptBaseUrl': string;
  readonly 'providers.chatgptAuthUrl': string;
  readonly 'network.proxy': string;
  readonly 'network.caFile': string;
  readonly 'web.searxngUrl': string;
  readonly 'web.allowPrivateAddresses': boolean;
  readonly 'consult.provider': string;
  readonly 'consult.model': string;
  readonly prices: Readonly<Record<string, unknown>>;
  readonly 'chat.followMinutes': number;
  readonly 'notifications.channels': readonly unknown[];
  readonly 'notifications.events': readonly string[];
  readonly 'notifications.quietHours': Readonly<Record<string, unknown>>;
  readonly 'notifications.allowProjectCommands': boolean;
  readonly 'report.write': NonNullable<EngineSettings['report']>;
  readonly 'report.open': 'unseen' | 'never';
}

/** Values where nothing is set; the manifest states the same. */
export const defaults: Settings = {
  home: '',
  'model.provider': 'claude',
  'model.name': '',
  'model.effort': 'default',
  'permissions.mode': 'ask',
  'budget.usd': 5,
  'budget.minutes': 0,
  'budget.turns': 0,
  'budget.tokens': 0,
  'budget.experiment.usd': 0,
  'budget.experiment.minutes': 0,
  'budget.experiment.turns': 0,
  'budget.experiment.tokens': 0,
  'budget.day.usd': 0,
  'budget.day.tokens': 0,
  'git.protect': true,
  'git.maxFileMb': 10,
  'session.idleTurns': 5,
  'session.plateauExperiments': 12,
  'session.onPlateau': 'advise',
  watchdogs: {},
  'session.keepRunning': 'never',
  'session.resume': 'always',
  'session.keepAwake': false,
  'retention.maxAgeDays': 0,
  'retention.maxGb': 0,
  'providers.anthropicBaseUrl': '',
  'providers.claudePath': '',
  'providers.openaiBaseUrl': '',
  'providers.geminiBaseUrl': '',
  'providers.bedrockBaseUrl': '',
  'providers.bedrockRegion': '',
  'providers.compatibleBaseUrl': '',
  endpoints: [],
  'providers.chatgptBaseUrl': '',
  'providers.chatgptAuthUrl': '',
  'network.proxy': '',
  'network.caFile': '',
  'web.searxngUrl': '',
  'web.allowPrivateAddresses': false,
  'consult.provider': '',
  'consult.model': '',
  prices: {},
  'chat.followMinutes': 30,
  'notifications.channels': [{ type: 'vscode' }],
  'notifications.events': [],
  'notifications.quietHours': {},
  'notifications.allowProjectCommands': false,
  'report.write': 'always',
  'report.open': 'unseen',
};

/** Settings that name a folder or an address: a workspace that is not trusted cannot set them. */
export const restrictedSettings = [
  'home',
  'permissions.mode',
  'git.protect',
  'providers.anthropicBaseUrl',
  'providers.claudePath',
  'providers.openaiBaseUrl',
  'providers.geminiBaseUrl',
  'providers.bedrockBaseUrl',
  'providers.bedrockRegion',
  'providers.compatibleBaseUrl',
  'endpoints',
  'providers.chatgptBaseUrl',
  'providers.chatgptAuthUrl',
  'network.proxy',
  'network.caFile',
  'web.searxngUrl',
  'web.allowPrivateAddresses',
  'consult.provider',
  'notifications.channels',
  'notifications.allowProjectCommands',
] as const satisfies readonly (keyof Settings)[];

export const settingKey = (key: keyof Settings): string => `helios.${key}`;
