/** Puts together what one session works with: its component, memory, tools, gate and loop. */
import path from 'node:path';
import { DisposableStore } from '../../base/disposable.ts';
import { messageOf, UserFacing } from '../../base/errors.ts';
import { newEventId } from '../../base/ids.ts';
import { ToolTable } from '../../tools/toolTable.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/clock.ts';
import { ExperimentCodeStore } from '../../experiments/git/experimentCodeStore.ts';
import { defaultLimits, type LeaveOutLimits } from '../../experiments/git/leaveOut.ts';
import type { MachineProbes } from '../../machines/probes/machineProbes.ts';
import type { Machines } from '../../machines/machine.ts';
import type { MachineResources } from '../../machines/resources/machineResources.ts';
import { MemoryStore } from '../../memory/memoryStore.ts';
import { noUsage, type ModelProvider, type ModelReply } from '../../models/model.ts';
import type { ModelCatalogue } from '../../models/modelCatalogue.ts';
import { billedUsage, costOf, withSearches, type Cost, type PriceTable } from '../../models/prices.ts';
import type { Notifier } from '../../notify/notifier.ts';
import { createGate } from '../../permissions/gate.ts';
import type { ProjectFile } from '../../project/projectFile.ts';
import type { Run } from '../../runs/liveRun.ts';
import type { Runs } from '../../runs/runs.ts';
import { Sleeper } from '../../sleep/sleeper.ts';
import { AttachmentFiles } from '../../storage/attachmentFiles.ts';
import type { WebOptions } from '../../web/download.ts';
import type { WebReader } from '../../web/fetchPage.ts';
import { duckDuckGoSearch } from '../../web/search.ts';
import type { EnginePorts } from '../contract/ports.ts';
import type { EngineSettings } from '../contract/settings.ts';
import type { DaySpending } from '../budget/daySpending.ts';
import type { JournalSpending } from '../budget/journalSpending.ts';
import { BudgetGuard } from '../budget/guard.ts';
import { limitsMoney } from '../budget/measures.ts';
import type { Budget, EndReason, Evidence, JournalEvent, StreamEvent } from '../journal/events.ts';
import { createConsultations } from '../consult/consultations.ts';
import { profileOf } from '../profiles/profiles.ts';
import { RequestAttachments } from '../context/attachments.ts';
import { contextSource } from '../context/contextSource.ts';
import type { EarlierAttempts } from '../experiments/earlierAttempts.ts';
import { Experiments } from '../experiments/experiments.ts';
import { GitGuard } from '../runs/gitGuard.ts';
import type { LoopDeps } from '../loop/loop.ts';
import { PlateauGuard } from '../loop/plateauGuard.ts';
import { SessionNotices } from '../user/sessionNotices.ts';
import { permissionMode, toolDefaults } from './projectSettings.ts';
import { Questions } from '../user/questions.ts';
import type { SessionReports } from '../reports/reports.ts';
import { reproduce } from '../experiments/reproduction.ts';
import type { ReproduceRequest, Reproduction } from '../contract/reproduction.ts';
import { SessionRuns } from '../runs/sessionRuns.ts';
import { createWebSearches } from '../consult/webSearches.ts';
import type { SessionLog } from '../journal/sessionLog.ts';
import { SideCalls } from '../consult/sideCalls.ts';
import { Sweeps } from '../runs/sweeps.ts';
import { createToolset, type ToolsetDeps } from './toolset.ts';
import { createSleepWorld } from '../loop/sessionWorld.ts';
import { Waiting } from '../loop/waiting.ts';
import { RunWatchdogs } from '../runs/runWatchdogs.ts';
import { plateauPolicy, watchdogPolicy } from '../runs/watchdogSettings.ts';

/** What all sessions of a process share. */
export interface SharedDeps {
  readonly notifier: Pick<Notifier, 'notify'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runs: Runs;
  /** The machines, with relative paths and commands starting in this folder. */
  machinesIn(workFolder: string): Machines;
  readonly probes: MachineProbes;
  readonly resources: MachineResources;
  readonly ports: EnginePorts;
  readonly globalMemoryFolder: string;
  readonly earlier: Pick<EarlierAttempts, 'prepare' | 'like'>;
  providers(): ReadonlyMap<string, ModelProvider>;
  readonly models: ModelCatalogue;
  settings(): EngineSettings;
  prices(): PriceTable;
  readonly today: DaySpending;
  /** Of single sessions of the home, whoever works on them. */
  readonly spending: Pick<JournalSpending, 'withChildren'>;
  readonly web: WebOptions;
  readonly pages: WebReader;
  readonly reports: Pick<SessionReports, 'writeup'>;
}

export interface SessionParts {
  readonly logger: Logger;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly memory: MemoryStore;
  readonly waiting: Waiting;
  readonly questions: Questions;
  readonly notices: SessionNotices;
  readonly experiments: Experiments;
  readonly watches: RunWatchdogs;
  readonly loop: LoopDeps;
  kill(run: Run): Promise<unknown>;
  reproduce(request: ReproduceRequest): Promise<Reproduction>;
  /** Throws `UserFacing` for a provider that does not exist, or a price that is not known under a money limit. */
  checkModel(provider: string, model: string, budget: Budget): void;
  /** What providers keep of the conversation is let go of; the next call begins it anew. Never rejects. */
  release(): Promise<void>;
  dispose(): void;
}

const killGraceMs = 5_000;

/** What the parts call back. */
export interface SessionHooks {
  show(event: StreamEvent): void;
  end(reason: EndReason, summary: string, evidence?: readonly Evidence[]): Promise<void>;
  /** Goes on after a sleep. */
  goOn(): void;
  /** Something that must be recorded could not be. */
  fail(error: unknown): void;
}

export interface PartsRequest {
  readonly shared: SharedDeps;
  readonly hooks: SessionHooks;
  readonly log: SessionLog;
  readonly folder: string;
  /** What the project says; as it was when the session was started or taken up. */
  readonly project?: ProjectFile;
}

export function createParts(request: PartsRequest): SessionParts {
  const { shared, log } = request;
  const owned = new DisposableStore();
  const listeners = createListeners(request, owned);
  return {
    ...listeners,
    logger: shared.logger,
    loop: createLoop(request, listeners),
    reproduce: (asked) => reproduce({ ...listeners, log, clock: shared.clock, folder: request.folder }, asked),
    kill: (run) => shared.runs.kill(run, { graceMs: killGraceMs }),
    checkModel: (provider, model, budget) => checkModel(shared, { provider, model, budget }),
    release: () => release(shared, log.state.id),
    dispose: () => owned.dispose(),
  };
}

/** What works on the session's behalf, each for one thing; they live as long as it is open here. */
interface SessionListeners {
  readonly machines: Machines;
  readonly sessionRuns: SessionRuns;
  readonly sweeps: Sweeps;
  readonly questions: Questions;
  readonly notices: SessionNotices;
  readonly experiments: Experiments;
  readonly memory: MemoryStore;
  readonly waiting: Waiting;
  readonly watches: RunWatchdogs;
  readonly git: GitGuard;
  limits(): LeaveOutLimits;
}

const keptLimits = ({ maxKeptFileBytes }: EngineSettings): LeaveOutLimits => ({
  ...defaultLimits,
  ...(maxKeptFileBytes !== undefined && { maxFileBytes: maxKeptFileBytes }),
});

function createListeners(request: PartsRequest, owned: DisposableStore): SessionListeners {
  const { shared, hooks, log, project } = request;
  const { clock, runs } = shared;
  const machines = shared.machinesIn(log.state.workFolder);
  const onFailed = (error: unknown): void => hooks.fail(error);
  const git = new GitGuard(() => shared.settings().protectsGit !== false);
  const runEnv = git.runEnv.bind(git);
  const sessionRuns = owned.add(
    new SessionRuns({ sessionId: log.state.id, log, runs, machines, clock, runEnv, onFailed }),
  );
  const sweeps = owned.add(new Sweeps({ log, sessionRuns, runs, machines, clock, onFailed }));
  const questions = owned.add(new Questions({ log, clock, onFailed }));
  const notices = owned.add(new SessionNotices({ ...shared, log, ...(project && { project }) }));
  const limits = (): LeaveOutLimits => keptLimits(shared.settings());
  const code = new ExperimentCodeStore({ sessionId: log.state.id, clock, limits });
  const experiments = owned.add(new Experiments({ ...shared, log, sessionRuns, machines, code, onFailed }));
  const memory = owned.add(createMemory(request));
  const sleeper = owned.add(new Sleeper(owned.add(createSleepWorld({ ...shared, log, machines, sessionRuns })), clock));
  const waiting = owned.add(
    new Waiting({ log, sessionRuns, sweeps, sleeper, clock, onAwake: () => hooks.goOn(), onFailed }),
  );
  const policy = watchdogPolicy(shared.settings(), request.project);
  const watches = owned.add(new RunWatchdogs({ ...shared, log, sessionRuns, questions, waiting, policy, onFailed }));
  return { machines, sessionRuns, sweeps, questions, notices, experiments, memory, waiting, watches, git, limits };
}

function createLoop(request: PartsRequest, listeners: SessionListeners): LoopDeps {
  const { shared, hooks, log, folder } = request;
  const { clock, logger, runs, probes, resources } = shared;
  const sessionId = log.state.id;
  const profile = profileOf(log.state.profile);
  const gate = createGate({
    mode: () => profile.permissions ?? permissionMode(shared.settings().permissionMode, request.project),
    ask(call, signal) {
      listeners.notices.asks(call);
      return shared.ports.approve({ sessionId, ...call }, signal);
    },
    clock,
    allowedTools: allowedBefore(log.events),
  });
  const budget = createGuard(request, listeners.sessionRuns);
  const files = new AttachmentFiles(path.join(folder, 'attachments'));
  const tools = createToolset({
    ...listeners,
    ...{ log, folder, runs, probes, resources, clock },
    consult: createConsult(request, budget),
    end: (reason, summary, evidence) => hooks.end(reason, summary, evidence),
  }).filter((tool) => profile.includes(tool));
  return {
    ...{ log, sessionRuns: listeners.sessionRuns, clock, budget },
    plateau: createPlateauGuard(request, listeners),
    idleTurns: shared.settings().idleTurns,
    effort: shared.settings().effort ?? 'medium',
    provider: (id) => providerOf(shared, id),
    describe: (id, model) => shared.models.describe(id, model),
    cost: (id, reply) => costFor(shared, id, reply),
    profile,
    ...contextSource({ ...shared, ...request, ...listeners, sections: profile.sections(tools) }),
    attachments: new RequestAttachments(files),
    act: {
      sessionId,
      tools: new ToolTable(tools.map((tool) => tool.withDefaults(toolDefaults(request.project)))),
      gate,
      clock,
      logger,
      files,
      record: log.record,
      show: (event) => hooks.show(event),
      isOver: () => ['sleeping', 'ended', 'paused'].includes(log.state.phase),
    },
    show: (event) => hooks.show(event),
    end: (reason, summary) => hooks.end(reason, summary),
    waitForMonitor: () => listeners.waiting.untilCheckIn(newEventId(clock.now())),
  };
}

const createMemory = ({ shared: { globalMemoryFolder: globalFolder, clock }, folder }: PartsRequest): MemoryStore =>
  new MemoryStore({ sessionFolder: path.join(folder, 'memory'), globalFolder, clock });

async function release({ providers, logger }: SharedDeps, conversation: string): Promise<void> {
  const letGo = async (provider: ModelProvider): Promise<void> => {
    try {
      await provider.release?.(conversation);
    } catch (error) {
      logger.warn(`${provider.id} did not let go of ${conversation}: ${messageOf(error)}`);
    }
  };
  await Promise.all([...providers().values()].map(letGo));
}

type Billed = Pick<ModelReply, 'model' | 'usage' | 'discardedUsage'>;

/** What a plan covers is counted at list price, and said to be covered. */
function costFor(shared: SharedDeps, id: string, reply: Billed): Cost {
  const cost = costOf(id, reply.model, billedUsage(reply), shared.prices());
  return 'usd' in cost && providerOf(shared, id).billing === 'plan' ? { ...cost, isPlan: true } : cost;
}

/** What goes beyond the session's own machines: pages, searches and second opinions. */
function createConsult({ shared, log }: PartsRequest, budget: BudgetGuard): ToolsetDeps['consult'] {
  const { pages } = shared;
  const calls = new SideCalls({
    budget,
    cost: (id, { model, usage, searches = 0 }) => withSearches(costFor(shared, id, { model, usage }), id, searches),
    record: (event) => log.record(event),
  });
  return {
    pages,
    searcher: createWebSearches({
      ...shared,
      calls,
      keyless: duckDuckGoSearch(shared.web),
      own: () => ({ provider: providerOf(shared, log.state.provider), model: log.state.model }),
    }),
    consultant: createConsultations({ ...shared, calls, own: () => log.state.provider }),
    writer: { write: (notes) => shared.reports.writeup(log.state.id, notes) },
  };
}

const createPlateauGuard = (
  { shared, hooks, log, project }: PartsRequest,
  { sessionRuns }: SessionListeners,
): PlateauGuard =>
  new PlateauGuard({
    log,
    ledger: () => sessionRuns.ledger(),
    policy: plateauPolicy(shared.settings(), project),
    end: (reason, summary) => hooks.end(reason, summary),
  });

const createGuard = ({ shared, hooks, log }: PartsRequest, sessionRuns: SessionRuns): BudgetGuard =>
  new BudgetGuard({
    log,
    clock: shared.clock,
    provider: (id) => providerOf(shared, id),
    prices: () => shared.prices(),
    dayLimits: () => shared.settings().dayLimits,
    today: () => shared.today.spent(),
    children: () => shared.spending.withChildren(log.state.children),
    going: () => sessionRuns.live().map(({ spec }) => `run ${spec.number}`),
    end: (reason, summary) => hooks.end(reason, summary),
  });

const allowedBefore = (events: readonly JournalEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'permission.decided' && event.allowedTool !== undefined ? [event.allowedTool] : [],
  );

export function checkModel(shared: SharedDeps, plan: { provider: string; model: string; budget: Budget }): void {
  const { provider, model, budget } = plan;
  // A plan is paid for already, whatever its calls come to.
  if (providerOf(shared, provider).billing === 'plan') return;
  const cost = costOf(provider, model, noUsage, shared.prices());
  if ('usd' in cost || !limitsMoney(budget, shared.settings().dayLimits)) return;
  throw new UserFacing(
    `A money limit cannot be kept with ${model}: ${cost.unknown}`,
    `Add the price of ${provider}/${model} to the prices setting, or go on without a limit of money for the goal, its experiments and the day.`,
  );
}

function providerOf(shared: SharedDeps, id: string): ModelProvider {
  const provider = shared.providers().get(id);
  if (provider !== undefined) return provider;
  throw new UserFacing(
    `There is no model provider ${id}.`,
    `Choose one of: ${[...shared.providers().keys()].join(', ')}.`,
  );
}
