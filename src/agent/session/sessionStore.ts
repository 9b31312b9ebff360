/** Starts, resumes, lists and reads the sessions of a home. */
import { Emitter } from '../../base/emitter.ts';
import { requirementsAtStart } from '../experiments/unchangedFiles.ts';
import { readTarget } from '../../experiments/target/readTarget.ts';
import { targetIfStated } from '../../experiments/target/statedTarget.ts';
import { UserFacing } from '../../base/errors.ts';
import { newSessionId, type SessionId } from '../../base/ids.ts';
import type { Home } from '../../storage/home.ts';
import { Lease } from '../../storage/lease.ts';
import { checkCommandsRun } from '../../machines/filesOnly.ts';
import type { Machines } from '../../machines/machine.ts';
import { watchRun, type RunSink } from '../../runs/foreignRun.ts';
import type { RunEnd } from '../../runs/run.ts';
import type { OwnerKind } from '../../storage/leaseOwner.ts';
import { StorageFailure } from '../../storage/storageFailure.ts';
import { limitsText } from '../journal/limitText.ts';
import type {
  GoalRequest,
  KilledRun,
  ResumeOptions,
  RunPlace,
  Session,
  SessionOwner,
  SessionReading,
  Sessions,
  SessionSummary,
} from '../contract/sessions.ts';
import type { UserLabel } from '../contract/requests.ts';
import type { FileEdit, UndoneEdits } from '../contract/edits.ts';
import { listEdits } from '../edits/undoEdits.ts';
import { readSession } from './readSession.ts';
import { undoForUser } from './sessionEdits.ts';
import { recordLabel } from './userFacts.ts';
import { followJournal, type FollowedEvents } from '../journal/followJournal.ts';
import { killRun } from '../runs/killRun.ts';
import { actionsOf, type SessionActions } from '../journal/actions.ts';
import type { SessionEvent } from '../journal/events.ts';
import { budgetFor, checkMachines, readProject } from './projectSettings.ts';
import { resumeText } from '../context/prompt.ts';
import { profileOf } from '../profiles/profiles.ts';
import type { SearchHit, SearchOptions } from '../contract/search.ts';
import { checkedBudget } from '../budget/checkedBudget.ts';
import { openLog } from './openLog.ts';
import { LiveSession } from './session.ts';
import { sessionIds } from '../journal/sessionIds.ts';
import type { SessionCatalogue } from './sessionCatalogue.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import type { RunState } from '../journal/state.ts';
import { circumstances } from './circumstances.ts';
import { confinedAtStart } from './sessionConfinement.ts';
import type { SharedDeps } from './sessionDeps.ts';
import { checkModel, modelFor } from './sessionModels.ts';
import { createParts } from './sessionParts.ts';
import { runVariablesOf } from './runVariables.ts';
import { unfinishedOf } from './unfinished.ts';
import type { ObservedSession, ObserveOptions } from '../contract/observedSession.ts';
import { ForeignSession } from './foreignSession.ts';

export interface SessionStoreDeps {
  readonly home: Home;
  readonly shared: SharedDeps;
  readonly catalogue: SessionCatalogue;
  readonly version: string;
  /** Kind of this process. Written into the leases of the sessions that it opens. */
  readonly ownerKind: OwnerKind;
}

export class SessionStore implements Sessions {
  readonly #deps: SessionStoreDeps;
  readonly #open = new Map<SessionId, LiveSession>();
  readonly #changed = new Emitter<void>();
  /** Resumes in progress. A second caller for the same session gets the same promise. */
  readonly #resuming = new Map<SessionId, Promise<Session>>();
  readonly #warned = new Set<string>();
  #isClosed = false;
  readonly onDidChange = this.#changed.event;

  constructor(deps: SessionStoreDeps) {
    this.#deps = deps;
  }

  async start(request: GoalRequest): Promise<Session> {
    const goal = request.goal.trim();
    const { profile = 'goal', parent, workFolder } = request;
    if (goal === '')
      throw new UserFacing(
        'The goal is empty.',
        'Describe what to reach, such as: bring val_loss below 0.3.',
      );
    const { shared, version } = this.#deps;
    const project = await shared.projects.read(workFolder);
    const machines = shared.machinesIn(workFolder);
    checkMachines(project, machines);
    const ids = machines.list().map(({ id }) => id);
    const { provider, model } = modelFor(shared, request, project);
    const budget = checkedBudget({ ...profileOf(profile).limits, ...budgetFor(request, project) });
    checkModel(shared, { provider, model, budget });
    const stated = targetIfStated(request.target ?? project?.target);
    const id = newSessionId(shared.clock.now());
    const first: Extract<SessionEvent, { type: 'session.started' }> = {
      type: 'session.started',
      sessionId: id,
      goal,
      budget,
      provider,
      model,
      workFolder,
      helios: version,
      ...(await runVariablesOf(shared, request)),
      ...(await confinedAtStart(shared, { sessionId: id, workFolder, project })),
      ...(profile === 'goal' ? await requirementsAtStart(goal, workFolder, ids) : { profile }),
      ...(parent !== undefined && { parent }),
      ...circumstances(shared, profile, { workFolder, project }),
    };
    // Record the child before it can spend anything, so the parent's budget always includes it.
    if (parent !== undefined) await this.#parent(parent).started(id);
    const session = await this.#attach(id, { first });
    const facts = { ...first, limits: limitsText(budget), target: stated ?? readTarget(goal) };
    const opening = profileOf(profile).opening(goal, facts);
    return this.#begun(session, session.introduce(opening, { ...request, target: stated }));
  }

  #parent(id: SessionId): LiveSession {
    const parent = this.#open.get(id);
    if (parent !== undefined) return parent;
    throw new UserFacing(`Session ${id} is not open here, so it cannot start another session.`);
  }

  async resume(id: SessionId, options: ResumeOptions = {}): Promise<Session> {
    const budget = options.budget && checkedBudget(options.budget);
    const open = this.#open.get(id);
    if (open === undefined || this.#resuming.has(id)) return this.#resumeOnce(id, options);
    if (budget !== undefined) await open.allow(by(), budget);
    return open;
  }

  open(): readonly Session[] {
    return [...this.#open.values()];
  }

  list(): Promise<readonly SessionSummary[]> {
    return this.#deps.catalogue.list(this.open());
  }

  async interrupted(): Promise<readonly SessionId[]> {
    const { home, shared } = this.#deps;
    const ids = (await sessionIds(home)).reverse().filter((id) => !this.#open.has(id));
    const unfinished = await unfinishedOf(home, ids, shared.logger);
    const found = await Promise.all(
      unfinished.map(async (id) => ((await this.#isForsaken(id)) ? id : undefined)),
    );
    return found.filter((id) => id !== undefined);
  }

  read(id: SessionId): Promise<SessionReading> {
    return readSession(this.#deps.home, id, this.#open.get(id)?.ledger);
  }

  async actions(id: SessionId): Promise<SessionActions> {
    return actionsOf(this.#open.get(id)?.events() ?? (await this.read(id)).events);
  }

  search(query: string, options: SearchOptions = {}): Promise<readonly SearchHit[]> {
    return this.#deps.shared.archive.search(query, options);
  }

  owner(id: SessionId): Promise<SessionOwner | undefined> {
    return Lease.holder(this.#deps.home.leaseFile(id), this.#deps.shared.clock);
  }

  findRun(reference: string): Promise<RunPlace | undefined> {
    return this.#deps.catalogue.findRun(reference);
  }

  follow(id: SessionId, signal: AbortSignal): AsyncIterable<FollowedEvents> {
    const { home, shared } = this.#deps;
    return followJournal({ home, clock: shared.clock }, id, signal);
  }

  observe(id: SessionId, options: ObserveOptions = {}): ObservedSession {
    const { home, shared } = this.#deps;
    const { clock, logger } = shared;
    return new ForeignSession(
      { home, clock, logger, isOpenHere: () => this.#open.has(id), ...options },
      id,
    );
  }

  async watchRun(place: RunPlace, sink: RunSink, signal: AbortSignal): Promise<RunEnd | undefined> {
    const { run, machines } = await this.#placed(place);
    const machine = machines.get(run.spec.machineId);
    await machine.ready?.({ mayAsk: true });
    return watchRun({ spec: run.spec, machine, clock: this.#deps.shared.clock }, sink, { signal });
  }

  label(id: SessionId, label: UserLabel): Promise<string> {
    const record = () => this.#withLog(id, (log) => recordLabel(log, label));
    return this.#open.get(id)?.label(label) ?? record().finally(() => this.#changed.fire());
  }

  async edits(id: SessionId): Promise<readonly FileEdit[]> {
    return listEdits({ ...(await this.read(id)), folder: this.#deps.home.sessionFolder(id) });
  }

  async undoEdits(id: SessionId, paths?: readonly string[]): Promise<UndoneEdits> {
    const open = this.#open.get(id);
    if (open !== undefined) return open.undoEdits(paths);
    const folder = this.#deps.home.sessionFolder(id);
    return this.#withLog(id, (log) => undoForUser({ log, folder }, paths));
  }

  async killRun(place: RunPlace): Promise<KilledRun> {
    const { runs, clock } = this.#deps.shared;
    const { run, machines } = await this.#placed(place);
    const parts = {
      runs,
      machines,
      clock,
      owner: (id: SessionId) => this.owner(id),
      withLog: this.#withLog,
    };
    return killRun(parts, place.sessionId, run);
  }

  async release(id: SessionId): Promise<void> {
    const session = this.#open.get(id);
    if (session !== undefined) await this.#letGo(session, () => session.close());
  }

  /** Closes all sessions that are open in this process. Runs continue. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#open.values()].map((session) => this.#letGo(session, () => session.close())),
    );
    this.#changed.dispose();
  }

  /**
   * Resolves with true if no process owns the session, or if its owner would hand the session over
   * to this process.
   */
  async #isForsaken(id: SessionId): Promise<boolean> {
    const { home, shared, ownerKind } = this.#deps;
    const holder = await Lease.holder(home.leaseFile(id), shared.clock);
    return holder === undefined || (holder.kind === 'detached' && ownerKind !== 'detached');
  }

  async #placed({
    sessionId,
    runId,
  }: RunPlace): Promise<{ readonly run: RunState; readonly machines: Machines }> {
    const { state } = await this.read(sessionId);
    const run = state.runs.get(runId);
    if (run === undefined) throw new UserFacing(`Session ${sessionId} has no run ${runId}.`);
    return { run, machines: this.#deps.shared.machinesIn(state.workFolder) };
  }

  /**
   * Runs `work` with the journal of a session that is not open in this process. Holds the lease of
   * the session until `work` is done.
   */
  readonly #withLog = async <T>(
    id: SessionId,
    work: (log: SessionLog) => Promise<T>,
  ): Promise<T> => {
    await using owned = new AsyncDisposableStack();
    const lease = await this.#lease(id);
    owned.defer(() => lease.release());
    const log = await openLog(this.#deps, id);
    owned.defer(() => log.close());
    return await work(log);
  };

  #resumeOnce(id: SessionId, options: ResumeOptions): Promise<Session> {
    const resuming =
      this.#resuming.get(id) ?? this.#resume(id, options).finally(() => this.#resuming.delete(id));
    this.#resuming.set(id, resuming);
    return resuming;
  }

  async #resume(id: SessionId, { budget, takesOver = false }: ResumeOptions): Promise<Session> {
    const session = await this.#attach(id, { takesOver });
    return this.#begun(session, session.takeUp(by(), resumeText, budget));
  }

  /**
   * Resolves with the session when it has started. If the start fails, closes the session, so that
   * it can be resumed after the cause is fixed.
   */
  async #begun(session: LiveSession, beginning: Promise<void>): Promise<Session> {
    try {
      await beginning;
      return session;
    } catch (error) {
      await this.#letGo(session, () => session.close());
      throw error;
    }
  }

  async #attach(id: SessionId, { first, takesOver = false }: Attaching): Promise<LiveSession> {
    const { home, shared } = this.#deps;
    if (this.#isClosed) throw closing();
    if (first === undefined) await this.#mustExist(id);
    checkCommandsRun(shared.machinesIn(home.folder).list());
    const owned = new AsyncDisposableStack();
    const lease = await this.#lease(id, takesOver);
    owned.defer(() => lease.release());
    try {
      const log = await openLog(this.#deps, id, first);
      owned.defer(() => log.close());
      for (const damage of log.damage) shared.logger.warn(`Journal of ${id}: ${damage}`);
      const project = await readProject(shared, this.#warned, log.state.workFolder);
      const place = { sessionId: id, workFolder: log.state.workFolder, project, log };
      const folder = home.sessionFolder(id);
      if (this.#isClosed) throw closing();
      const session: LiveSession = new LiveSession({
        folder,
        lease,
        log,
        circumstances: () => circumstances(shared, log.state.profile, place),
        confined: () => confinedAtStart(shared, place),
        parts: (hooks) =>
          createParts({
            shared,
            hooks,
            log,
            folder,
            ...(project && { project }),
          }),
        onBroken: () => void this.#letGo(session, () => session.close()),
      });
      this.#open.set(id, session);
      log.onDidRecord(() => this.#changed.fire());
      return session;
    } catch (error) {
      await owned.disposeAsync();
      throw error;
    }
  }

  async #letGo(session: LiveSession, close: () => Promise<void>): Promise<void> {
    if (this.#open.get(session.id) === session) this.#open.delete(session.id);
    await close().catch((error: unknown) =>
      this.#deps.shared.logger.error(`Session ${session.id} did not close cleanly`, error),
    );
    this.#changed.fire();
  }

  async #mustExist(id: SessionId): Promise<void> {
    if (!(await sessionIds(this.#deps.home)).includes(id))
      throw new UserFacing(`There is no session ${id}.`, 'List the sessions to see their ids.');
  }

  async #lease(id: SessionId, takesOver = false): Promise<Lease> {
    const { home, shared, ownerKind } = this.#deps;
    try {
      return await Lease.acquire(home.leaseFile(id), {
        clock: shared.clock,
        kind: ownerKind,
        takesOver,
        onLost: () => void this.#lost(id),
        onWanted: () => void this.#handOver(id),
      });
    } catch (error) {
      if (error instanceof StorageFailure && error.reason === 'owned')
        throw new UserFacing(error.message);
      throw error;
    }
  }

  /** Called when another process took over the session while this process was suspended. */
  async #lost(id: SessionId): Promise<void> {
    this.#deps.shared.logger.warn(`Session ${id} was taken over by another process`);
    const session = this.#open.get(id);
    if (session !== undefined) await this.#letGo(session, () => session.lose());
  }

  /**
   * Called when another process requests the session. Closes the session in this process, like a
   * shutdown of Helios does.
   */
  async #handOver(id: SessionId): Promise<void> {
    this.#deps.shared.logger.info(`Session ${id} is handed over`);
    await this.#resuming.get(id)?.catch(() => undefined);
    const session = this.#open.get(id);
    if (session !== undefined) await this.#letGo(session, () => session.close());
  }
}

interface Attaching {
  /** First event of a new session; omitted for an existing session. */
  readonly first?: Extract<SessionEvent, { type: 'session.started' }>;
  readonly takesOver?: boolean;
}

const by = (): string => `process ${process.pid}`;

const closing = (): UserFacing =>
  new UserFacing('Helios is closing.', 'Restart Helios, then try again.');
