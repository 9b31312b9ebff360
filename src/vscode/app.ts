/**
 * Creates the features of this VS Code window, such as the chat and the trees. If a feature cannot
 * be created, the error is logged and all other features still work.
 */
import { lm, window, workspace, type ExtensionContext, type LogOutputChannel } from 'vscode';
import { systemClock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import { Emitter } from '../base/emitter.ts';
import { messageOf } from '../base/errors.ts';
import type { Message } from '../notify/notification.ts';
import { registerChat } from './chat/chat.ts';
import { KeepRunning } from './keepRunning/keepRunning.ts';
import { ChatgptAuth } from './models/chatgptAuth.ts';
import { HostModels } from './models/hostModels.ts';
import { keepModelKey } from './models/modelKey.ts';
import { HeliosModels, type ModelDeps } from './models/modelProvider.ts';
import { createNotices } from './notifications/notices.ts';
import { metricsPanels, sessionViews, type MetricsPanels, type SessionViews } from './panels.ts';
import { Briefs } from './reports/briefs.ts';
import { createStatusBar } from './sessions/statusBarItem.ts';
import { attempt, resumeWork } from './startup.ts';
import { Arrangement } from './experiments/arrangement.ts';
import { Trees } from './trees.ts';
import { registerCommands, type AllHandlers } from './ui/commandRegistry.ts';
import { modelVendor } from './ui/contributions.ts';
import { homeFolder } from './ui/settings.ts';
import { keepContextKeys } from './window/contextKeys.ts';
import type { CreateEngine } from './window/engineHost.ts';
import { growDocuments } from './window/growDocuments.ts';
import { createAppDeps, isTrusted, openFolders, type AppDeps } from './appDeps.ts';

export class App implements Disposable {
  readonly #context: ExtensionContext;
  readonly #owned = new DisposableStore();
  readonly #logger: LogOutputChannel;
  readonly #deps: AppDeps;
  readonly #models: ModelDeps;
  readonly #messages = this.#owned.add(new Emitter<Message>());
  readonly #hostModels = this.#owned.add(new HostModels());
  #arrangement: Arrangement | undefined;
  #trees: Trees | undefined;
  #panels: MetricsPanels | undefined;
  #views: SessionViews | undefined;
  #chatgpt: ChatgptAuth | undefined;
  #briefs: Briefs | undefined;
  #keepRunning: KeepRunning | undefined;

  /** Registers all features. Slow work is left to `begin`. */
  constructor(context: ExtensionContext, createEngine: CreateEngine) {
    this.#context = context;
    this.#logger = this.#owned.add(window.createOutputChannel('Helios', { log: true }));
    this.#deps = createAppDeps({
      context,
      owned: this.#owned,
      hostModels: this.#hostModels,
      logger: this.#logger,
      createEngine,
      onNotify: (message) => this.#messages.fire(message),
    });
    this.#models = { host: this.#deps.host, keys: this.#deps.keys, isTrusted };
    this.#register();
  }

  /**
   * Loads the language models, then resumes interrupted sessions; in an untrusted workspace, only
   * after the user has granted trust. Never rejects.
   */
  async begin(): Promise<void> {
    await attempt('models', this.#logger, () => lm.selectChatModels({ vendor: modelVendor }));
    await attempt('models of VS Code', this.#logger, () => this.#hostModels.refresh());
    if (workspace.isTrusted) await this.#resume();
    else this.#owned.add(workspace.onDidGrantWorkspaceTrust(() => void this.#resume()));
  }

  /**
   * Releases the sessions, so that another process can continue them. Runs continue on their
   * machines.
   */
  close(): Promise<void> {
    // Stops updates to the background process first: an update that omits the released sessions
    // would keep the background process from continuing them.
    this.#keepRunning?.dispose();
    return this.#deps.host.close();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #register(): void {
    const deps = this.#deps;
    const { sessions, approvals, following, documents } = deps;
    this.#feature('commands', () => this.#registerCommands());
    this.#feature('chat', () => registerChat(deps));
    this.#feature('accounts', () => (this.#chatgpt = new ChatgptAuth(deps.keys)));
    this.#feature('models', () => this.#registerModels());
    this.#feature('status bar', () => createStatusBar(sessions, approvals));
    this.#feature('trees', () => this.#createTrees());
    this.#feature('metrics panel', () => (this.#panels = metricsPanels(deps)));
    this.#feature('session views', () => (this.#views = sessionViews(deps)));
    this.#feature('notifications', () => createNotices(this.#messages.event, approvals, following));
    this.#feature('keep running', () => (this.#keepRunning = new KeepRunning(deps, systemClock)));
    this.#feature('briefs', () => (this.#briefs = this.#createBriefs()));
    this.#feature('documents', () => growDocuments(sessions, documents));
    this.#feature('context keys', () => keepContextKeys(sessions, (id) => this.#isShown(id)));
    this.#feature('key of a model', () => keepModelKey(deps.keys));
  }

  #feature(name: string, register: () => Disposable): void {
    try {
      this.#owned.add(register());
    } catch (error) {
      this.#logger.error(`${name}: ${messageOf(error)}`);
    }
  }

  #registerCommands(): Disposable {
    let handlers: Promise<AllHandlers> | undefined;
    const owned = new DisposableStore();
    for (const registered of registerCommands(() => (handlers ??= this.#handlers()), this.#logger))
      owned.add(registered);
    return owned;
  }

  /** Imports the code of the commands, which a window that only opens does not need. */
  async #handlers(): Promise<AllHandlers> {
    const { commandHandlers } = await import('./commandHandlers.ts');
    return commandHandlers(this.#deps, {
      models: this.#models,
      memory: this.#context.globalState,
      showSession: async (id) => this.#views?.show(id),
      showMetrics: async (id) => this.#panels?.show(id),
      showOutput: () => this.#logger.show(),
      chatgpt: () => this.#chatgpt,
      keepRunning: () => this.#keepRunning,
      arrange: (isTree) => this.#arrange(isTree),
      refresh: () => this.#refresh(),
    });
  }

  #isShown(sessionId: string): boolean {
    return [this.#panels, this.#views].some((panels) => panels?.isShown(sessionId));
  }

  #registerModels(): Disposable {
    const owned = new DisposableStore();
    const models = owned.add(new HeliosModels(this.#models));
    owned.add(
      workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration('helios')) return;
        models.changed();
        this.#deps.sessions.refresh();
      }),
    );
    owned.add(workspace.onDidGrantWorkspaceTrust(() => models.changed()));
    return owned;
  }

  #createBriefs(): Briefs {
    const memory = this.#context.workspaceState;
    return new Briefs({
      deps: this.#deps,
      memory,
      home: homeFolder(),
      folders: openFolders,
      clock: systemClock,
    });
  }

  #createTrees(): Trees {
    this.#arrangement = new Arrangement(this.#context.workspaceState);
    return (this.#trees = new Trees({ ...this.#deps, arrangement: this.#arrangement }));
  }

  async #arrange(isTree: boolean): Promise<void> {
    await this.#arrangement?.choose(isTree);
    this.#trees?.refresh();
  }

  #refresh(): void {
    this.#trees?.refresh();
    this.#deps.notes.refresh();
    this.#deps.sessions.refresh();
  }

  #resume(): Promise<void> {
    const memory = this.#context.globalState;
    return resumeWork({ deps: this.#deps, owned: this.#owned, briefs: this.#briefs, memory });
  }
}
