/** Puts the features of this window together. Each stands alone: one that fails is logged, the others go on. */
import { join } from 'node:path';
import { commands, lm, window, workspace, type ExtensionContext, type LogOutputChannel } from 'vscode';
import { systemClock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { messageOf } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import { homeAt } from '../compose/home.ts';
import { ApiKeys } from './models/apiKeys.ts';
import { Approvals } from './window/approvals.ts';
import { Briefs } from './reports/briefs.ts';
import { registerChat } from './chat/chat.ts';
import { ChatgptAuth, signInCommands } from './models/chatgptAuth.ts';
import { registerCommands, run, tell, type Handlers } from './ui/commandRegistry.ts';
import { experimentCommands } from './experiments/experimentCommands.ts';
import { ledgerCommands } from './experiments/ledgerCommands.ts';
import { demoCommands, startPendingDemo } from './sessions/demoCommands.ts';
import { goalCommands } from './sessions/goalCommands.ts';
import { inboxCommands } from './inbox/inboxCommands.ts';
import { machineCommands } from './machines/machineCommands.ts';
import { modelCommands } from './models/modelCommands.ts';
import { noteCommands } from './memory/noteCommands.ts';
import { notifyCommands } from './notifications/notifyCommands.ts';
import { runCommands } from './runs/runCommands.ts';
import { reportCommands } from './reports/reportCommands.ts';
import { sessionCommands, showActions } from './sessions/sessionCommands.ts';
import { storeCommands } from './sessions/storeCommands.ts';
import { contextKeys, modelVendor } from './ui/contributions.ts';
import { Documents, journalFolder, outputFolder } from './window/documents.ts';
import { EngineHost, type CreateEngine } from './window/engineHost.ts';
import { FollowTarget } from './window/followTarget.ts';
import { HostModels } from './models/hostModels.ts';
import { createMetricsPanels } from './metrics/panel.ts';
import { KeepRunning, keepRunningCommands, type KeepRunningParts } from './keepRunning/keepRunning.ts';
import { takeRenewed } from './keepRunning/keepRunningSecrets.ts';
import { createMetricsSource } from './metrics/metricsSource.ts';
import type { Message } from '../notify/notification.ts';
import { createMachineQuestions } from './machines/machineQuestions.ts';
import { HeliosModels, type ModelParts } from './models/modelProvider.ts';
import { Notes } from './memory/notes.ts';
import { createNotices } from './notifications/notices.ts';
import { OpenSessions } from './window/openSessions.ts';
import { Resumption } from './keepRunning/resume.ts';
import { applyRetention } from './sessions/retention.ts';
import { engineSettings, homeFolder, setting } from './ui/settings.ts';
import { createSessionViewSource } from './sessionView/sessionViewSource.ts';
import { createSessionViews } from './sessionView/views.ts';
import { createStatusBar } from './sessions/statusBarItem.ts';
import { Trees } from './trees.ts';

type AppParts = KeepRunningParts & { readonly notes: Notes };

export class App implements Disposable {
  readonly #context: ExtensionContext;
  readonly #owned = new DisposableStore();
  readonly #logger: LogOutputChannel;
  readonly #parts: AppParts;
  readonly #models: ModelParts;
  readonly #told = this.#owned.add(new Emitter<Message>());
  readonly #hostModels = this.#owned.add(new HostModels());
  #trees: Trees | undefined;
  #panels: ReturnType<typeof createMetricsPanels> | undefined;
  #views: ReturnType<typeof createSessionViews> | undefined;
  #chatgpt: ChatgptAuth | undefined;
  #briefs: Briefs | undefined;
  #keepRunning: KeepRunning | undefined;

  /** Registers everything and returns; what takes time begins afterwards. */
  constructor(context: ExtensionContext, createEngine: CreateEngine) {
    this.#context = context;
    this.#logger = this.#owned.add(window.createOutputChannel('Helios', { log: true }));
    this.#parts = this.#createParts(createEngine);
    this.#models = { host: this.#parts.host, keys: this.#parts.keys, isTrusted };
    this.#register();
  }

  /** Takes up what was interrupted. Never rejects. */
  async begin(): Promise<void> {
    await this.#attempt('models', () => lm.selectChatModels({ vendor: modelVendor }));
    await this.#attempt('models of VS Code', () => this.#hostModels.refresh());
    if (workspace.isTrusted) await this.#goOn();
    else this.#owned.add(workspace.onDidGrantWorkspaceTrust(() => void this.#goOn()));
  }

  /** Lets go of the sessions; runs go on. */
  close(): Promise<void> {
    // That they are let go of here is no reason for the background process to do so.
    this.#keepRunning?.dispose();
    return this.#parts.host.close();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #createParts(createEngine: CreateEngine): AppParts {
    const { secrets, extensionUri } = this.#context;
    const keys = new ApiKeys(secrets, process.env);
    const approvals = new Approvals();
    const questions = createMachineQuestions(secrets);
    const logger = this.#logger;
    const host = new EngineHost({
      isTrusted,
      create: () =>
        createEngine({
          home: homeFolder(),
          assetsFolder: join(extensionUri.fsPath, 'dist'),
          ownerKind: 'window',
          settings: engineSettings,
          ports: {
            secret: async (name) => {
              await takeRenewed(homeAt(homeFolder()).renewedSecretsFolder, keys);
              return keys.get(name);
            },
            storeSecret: (name, value) => keys.set(name, value ?? ''),
            approve: (request, signal) => approvals.ask(request, signal),
            notify: (message) => this.#told.fire(message),
            ...questions.prompts,
          },
          providers: [this.#hostModels.provider],
          logger,
        }),
    });
    const sessions = this.#owned.add(new OpenSessions(systemClock));
    host.onDidOpen((engine) => sessions.attach(engine));
    host.onDidOpen((engine) => this.#owned.add(questions.attach(engine)));
    const notes = this.#owned.add(new Notes(host, sessions, systemClock));
    const documents = this.#owned.add(new Documents());
    const following = new FollowTarget();
    return { host, sessions, notes, approvals, keys, questions, following, documents, extensionUri, logger };
  }

  #register(): void {
    const parts = this.#parts;
    const { sessions, approvals, following } = parts;
    this.#feature('commands', () => this.#registerCommands());
    this.#feature('chat', () => registerChat(parts));
    this.#feature('accounts', () => (this.#chatgpt = new ChatgptAuth(parts.keys)));
    this.#feature('models', () => this.#registerModels());
    this.#feature('status bar', () => createStatusBar(sessions, approvals));
    this.#feature('trees', () => (this.#trees = new Trees(parts)));
    this.#feature('metrics panel', () => (this.#panels = this.#createPanels()));
    this.#feature('session views', () => (this.#views = this.#createViews()));
    this.#feature('notifications', () => createNotices(this.#told.event, approvals, following));
    this.#feature('keep running', () => (this.#keepRunning = new KeepRunning(parts, systemClock)));
    this.#feature('briefs', () => (this.#briefs = this.#createBriefs()));
    this.#feature('documents', () => this.#growDocuments());
    this.#feature('context keys', () => keepContextKeys(sessions));
  }

  #feature(name: string, register: () => Disposable): void {
    try {
      this.#owned.add(register());
    } catch (error) {
      this.#logger.error(`${name}: ${messageOf(error)}`);
    }
  }

  #registerCommands(): Disposable {
    const parts = this.#parts;
    const handlers: Handlers = {
      ...goalCommands(parts),
      ...storeCommands(parts, async (id) => this.#views?.show(id)),
      ...sessionCommands(parts, async (id) => this.#views?.show(id)),
      ...experimentCommands(parts),
      ...ledgerCommands(parts),
      ...runCommands(parts, (id) => this.#showPanel(id)),
      ...machineCommands(parts),
      ...noteCommands(parts),
      ...reportCommands(parts),
      ...inboxCommands(parts),
      ...modelCommands(parts, this.#models),
      ...notifyCommands(parts),
      ...signInCommands(() => this.#chatgpt),
      ...keepRunningCommands(parts, () => this.#keepRunning),
      ...demoCommands(parts, this.#context.globalState),
      'helios.showActions': () => showActions(parts),
      'helios.showOutput': () => this.#logger.show(),
      'helios.refresh': () => this.#refresh(),
    };
    const owned = new DisposableStore();
    for (const registered of registerCommands(handlers, this.#logger)) owned.add(registered);
    return owned;
  }

  #registerModels(): Disposable {
    const owned = new DisposableStore();
    const models = owned.add(new HeliosModels(this.#models));
    owned.add(
      workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration('helios')) return;
        models.changed();
        this.#parts.sessions.refresh();
      }),
    );
    owned.add(workspace.onDidGrantWorkspaceTrust(() => models.changed()));
    return owned;
  }

  #createPanels(): ReturnType<typeof createMetricsPanels> {
    const { host, sessions, extensionUri } = this.#parts;
    return createMetricsPanels({
      extensionUri,
      clock: systemClock,
      logger: this.#logger,
      openRun: (runId) => void run('helios.openRunOutput', runId),
      source: async (sessionId) =>
        createMetricsSource(
          { engine: await host.get(), sessions, clock: systemClock, logger: this.#logger },
          sessionId as SessionId,
        ),
    });
  }

  #createViews(): ReturnType<typeof createSessionViews> {
    const { host, sessions, extensionUri } = this.#parts;
    const logger = this.#logger;
    return createSessionViews({
      ...{ extensionUri, logger, clock: systemClock },
      openRunOutput: (runId) => void run('helios.openRunOutput', runId),
      openMetrics: (sessionId) => void run('helios.showMetrics', sessionId),
      source: async (sessionId) =>
        createSessionViewSource(
          { engine: await host.get(), sessions, clock: systemClock, logger },
          sessionId as SessionId,
        ),
    });
  }

  #createBriefs(): Briefs {
    const memory = this.#context.workspaceState;
    return new Briefs({ parts: this.#parts, memory, home: homeFolder(), folders: openFolders, clock: systemClock });
  }

  #growDocuments(): Disposable {
    const { sessions, documents } = this.#parts;
    const owned = new DisposableStore();
    owned.add(sessions.onDidRecord(({ session }) => documents.changed(journalFolder(session.id))));
    owned.add(
      sessions.onDidChangeRun(({ kind, run: { spec } }) => {
        if (kind === 'output' || kind === 'ended') documents.changed(outputFolder(spec.id));
      }),
    );
    return owned;
  }

  async #showPanel(id: SessionId): Promise<void> {
    await this.#panels?.show(id);
  }

  #refresh(): void {
    this.#trees?.refresh();
    this.#parts.notes.refresh();
    this.#parts.sessions.refresh();
  }

  async #goOn(): Promise<void> {
    this.#parts.sessions.refresh();
    const { host } = this.#parts;
    const policy = setting('session.resume');
    const [home, clock, logger] = [homeFolder(), systemClock, this.#logger];
    const resumption = this.#owned.add(new Resumption({ host, home, policy, folders: openFolders, clock, logger }));
    await this.#attempt('resume', () => resumption.begin());
    await this.#attempt('retention', () => applyRetention(host, this.#logger));
    await this.#attempt('briefs', async () => this.#briefs?.openMissed());
    try {
      await startPendingDemo(this.#parts, this.#context.globalState);
    } catch (error) {
      tell(error, this.#logger);
    }
  }

  async #attempt(name: string, action: () => PromiseLike<unknown>): Promise<void> {
    try {
      await action();
    } catch (error) {
      this.#logger.error(`${name}: ${messageOf(error)}`);
    }
  }
}

const isTrusted = (): boolean => workspace.isTrusted;
const openFolders = (): string[] => (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);

/** Sets a key only when it is different: each is a message to the window. */
function keepContextKeys(sessions: OpenSessions): Disposable {
  const known = new Map<string, boolean>();
  const set = (key: string, value: boolean): void => {
    if (known.get(key) === value) return;
    known.set(key, value);
    void commands.executeCommand('setContext', key, value);
  };
  const update = (): void => {
    set(contextKeys.hasSession, sessions.going().length > 0);
    set(contextKeys.isWorking, sessions.isWorking);
    set(
      contextKeys.hasRuns,
      sessions.all().some(({ state }) => state.runs.size > 0),
    );
  };
  update();
  return sessions.onDidChange(update);
}
