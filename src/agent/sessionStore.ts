/** The sessions of a home: starts, takes up, lists and reads them. */
import { Emitter } from '../base/emitter.ts';
import { UserFacing } from '../base/errors.ts';
import { newSessionId, type SessionId } from '../base/ids.ts';
import { readJournal } from '../storage/journal.ts';
import type { Home } from '../storage/home.ts';
import { Lease } from '../storage/lease.ts';
import { StorageFailure } from '../storage/storageFailure.ts';
import type { GoalRequest, Session, SessionReading, Sessions, SessionSummary } from './engine.ts';
import type { Budget, JournalEvent, SessionEvent } from './events.ts';
import { foldSession } from './fold.ts';
import { readProjectFile } from './projectFile.ts';
import { goalText, resumeText } from './prompt.ts';
import { ledgerOf } from './runDesk.ts';
import { LiveSession } from './session.ts';
import { sessionIds, type SessionCatalogue } from './sessionCatalogue.ts';
import { SessionLog } from './sessionLog.ts';
import { checkModel, createParts, providerOf, type SharedDeps } from './sessionParts.ts';

export interface SessionStoreDeps {
  readonly home: Home;
  readonly shared: SharedDeps;
  readonly catalogue: SessionCatalogue;
  /** Version of Helios, for the journal. */
  readonly version: string;
}

export class SessionStore implements Sessions {
  readonly #deps: SessionStoreDeps;
  readonly #open = new Map<SessionId, LiveSession>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  constructor(deps: SessionStoreDeps) {
    this.#deps = deps;
  }

  async start(request: GoalRequest): Promise<Session> {
    const goal = request.goal.trim();
    if (goal === '')
      throw new UserFacing('There is no goal.', 'Say what is to be reached, such as: bring val_loss below 0.3.');
    const { shared, version } = this.#deps;
    const settings = shared.settings();
    const project = await readProjectFile(request.workFolder);
    const providerId = request.provider ?? project?.provider ?? settings.provider;
    // A model belongs to its provider: one that was named beside another provider is not taken over.
    const ofProject = (project?.provider ?? settings.provider) === providerId ? project?.model : undefined;
    const ofSettings = settings.provider === providerId ? settings.model : undefined;
    const model = request.model ?? ofProject ?? ofSettings ?? providerOf(shared, providerId).defaultModel;
    const budget = checkedBudget(request.budget);
    checkModel(shared, { provider: providerId, model, budget });
    const id = newSessionId(shared.clock.now());
    const first: Extract<SessionEvent, { type: 'session.started' }> = {
      type: 'session.started',
      sessionId: id,
      goal,
      budget,
      provider: providerId,
      model,
      workFolder: request.workFolder,
      helios: version,
    };
    const session = await this.#attach(id, first);
    await session.introduce(goalText(goal, limitsText(budget)));
    return session;
  }

  async resume(id: SessionId, options: { readonly budget?: Budget } = {}): Promise<Session> {
    const open = this.#open.get(id);
    if (open !== undefined) return open;
    const session = await this.#attach(id);
    await session.takeUp(`process ${process.pid}`, resumeText, options.budget && checkedBudget(options.budget));
    return session;
  }

  open(): readonly Session[] {
    return [...this.#open.values()];
  }

  list(): Promise<readonly SessionSummary[]> {
    return this.#deps.catalogue.list(this.open());
  }

  async interrupted(): Promise<readonly SessionId[]> {
    const ids = (await sessionIds(this.#deps.home)).filter((id) => !this.#open.has(id));
    const found = await Promise.all(ids.map(async (id) => ((await this.#isInterrupted(id)) ? id : undefined)));
    return found.filter((id) => id !== undefined).reverse();
  }

  async read(id: SessionId): Promise<SessionReading> {
    const { events, damage } = await readJournal<SessionEvent>(this.#deps.home.journalFile(id));
    const state = foldSession(events as readonly JournalEvent[]);
    if (state === undefined) throw new UserFacing(`There is no session ${id}.`, 'List the sessions to see their ids.');
    const open = this.#open.get(id);
    const ledger = open?.ledger ?? ledgerOf(state, (run) => run.metrics);
    return { state, events: events as readonly JournalEvent[], ledger, damage };
  }

  /** Lets go of all sessions; runs go on. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.close()));
    this.#open.clear();
    this.#changed.dispose();
  }

  async #isInterrupted(id: SessionId): Promise<boolean> {
    const { home, shared } = this.#deps;
    if (await Lease.isHeld(home.leaseFile(id), shared.clock)) return false;
    const { events } = await readJournal<SessionEvent>(home.journalFile(id));
    const phase = foldSession(events as readonly JournalEvent[])?.phase;
    return phase !== undefined && phase !== 'ended' && phase !== 'paused';
  }

  async #attach(id: SessionId, first?: Extract<SessionEvent, { type: 'session.started' }>): Promise<LiveSession> {
    const { home, shared } = this.#deps;
    if (first === undefined) await this.#mustExist(id);
    const lease = await this.#lease(id);
    try {
      const log = await SessionLog.open(home.journalFile(id), shared.clock, first);
      for (const damage of log.damage) shared.logger.warn(`Journal of ${id}: ${damage}`);
      const project = await readProjectFile(log.state.workFolder);
      const folder = home.sessionFolder(id);
      const session = new LiveSession({
        folder,
        lease,
        log,
        parts: (hooks) =>
          createParts({
            ...{ shared, hooks, log, folder },
            ...(project?.instructions !== undefined && { instructions: project.instructions }),
          }),
      });
      this.#open.set(id, session);
      log.onDidRecord(() => this.#changed.fire());
      return session;
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  async #mustExist(id: SessionId): Promise<void> {
    if (!(await sessionIds(this.#deps.home)).includes(id))
      throw new UserFacing(`There is no session ${id}.`, 'List the sessions to see their ids.');
  }

  async #lease(id: SessionId): Promise<Lease> {
    const { home, shared } = this.#deps;
    try {
      return await Lease.acquire(home.leaseFile(id), shared.clock, () => void this.#lost(id));
    } catch (error) {
      if (error instanceof StorageFailure && error.reason === 'owned') throw new UserFacing(error.message);
      throw error;
    }
  }

  /** Somebody else took the session over while this host was not running: nothing more is written here. */
  async #lost(id: SessionId): Promise<void> {
    this.#deps.shared.logger.warn(`Session ${id} was taken over by another process`);
    const session = this.#open.get(id);
    this.#open.delete(id);
    await session?.close();
    this.#changed.fire();
  }
}

function checkedBudget(budget: Budget): Budget {
  for (const [name, value] of Object.entries(budget)) {
    if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) {
      throw new UserFacing(`The limit ${name} must be a number above 0, not ${String(value)}.`);
    }
  }
  return budget;
}

const limitsText = ({ turns, usd, minutes }: Budget): string[] => [
  ...(turns === undefined ? [] : [`${turns} turns`]),
  ...(usd === undefined ? [] : [`$${usd} for model calls`]),
  ...(minutes === undefined ? [] : [`${minutes} minutes`]),
];
