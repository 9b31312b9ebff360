/**
 * Builds the engine from the ports that a front end provides, in order of dependency. Used by all
 * front ends and tests, and independent of each of them.
 */
import { homedir } from 'node:os';
import path from 'node:path';
import type { Engine } from '../agent/contract/engine.ts';
import type { EnginePorts } from '../agent/contract/ports.ts';
import type { EngineSettings } from '../agent/contract/settings.ts';
import { JournalSpending } from '../agent/budget/journalSpending.ts';
import { DaySpending } from '../agent/budget/daySpending.ts';
import { createNotifier } from '../agent/user/createNotifier.ts';
import { reportsPlace } from '../agent/session/projectSettings.ts';
import { SessionReports } from '../agent/reports/reports.ts';
import { retentionOf } from '../agent/archive/retention.ts';
import { HomeArchive } from '../agent/session/homeArchive.ts';
import { EarlierAttempts } from '../agent/experiments/earlierAttempts.ts';
import { SessionCatalogue } from '../agent/session/sessionCatalogue.ts';
import { closeAll } from './closeEngine.ts';
import { RequestMailboxes } from '../agent/session/sessionRequests.ts';
import { SessionStore } from '../agent/session/sessionStore.ts';
import { StoredSecrets } from '../agent/session/storedSecrets.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { silentLogger, type Logger } from '../base/logger.ts';
import { placeHere, type Place } from '../base/place.ts';
import { warningsHere } from '../base/placeWarnings.ts';
import { redactingLogger } from '../base/secrets/redactingLogger.ts';
import type { Redactor } from '../base/secrets/redactor.ts';
import { createFetch, openDispatcher } from '../http/network.ts';
import { OwnEngines } from '../machines/container/ownEngines.ts';
import { tidyContainers } from '../machines/container/tidyContainers.ts';
import { ConfinementProbes } from '../machines/confinement/confinementProbes.ts';
import { createRemote } from '../machines/createRemote.ts';
import { HomeFolders } from '../machines/homeFolders.ts';
import { createLocal } from '../machines/local/windowsComputer.ts';
import type { Machine, Machines } from '../machines/machine.ts';
import { MachineProbes } from '../machines/probes/machineProbes.ts';
import { MachineFile } from '../machines/list/machineFile.ts';
import type { MachinePrompts } from '../machines/machinePrompts.ts';
import { MachineRegistry, type CreateMachine } from '../machines/list/machineRegistry.ts';
import type { GoingRun } from '../machines/resources/gpuTimes.ts';
import { MachineResources } from '../machines/resources/machineResources.ts';
import { createProviders } from '../models/createProviders.ts';
import { noUsage, type ModelProvider } from '../models/model.ts';
import { redactingProviders } from '../models/redacting.ts';
import { ModelCache } from '../models/list/modelCache.ts';
import { LiveCatalogue } from '../models/modelCatalogue.ts';
import {
  costOf,
  extendPrices,
  listPrices,
  withToldPrices,
  type PriceTable,
} from '../models/prices.ts';
import { HeldMessages } from '../notify/heldMessages.ts';
import type { Notifier } from '../notify/notifier.ts';
import { publicNetwork } from '../notify/publicNetwork.ts';
import { pathRulesFor } from './pathRules.ts';
import type { Projects } from '../project/projects.ts';
import type { Run } from '../runs/liveRun.ts';
import { Runs } from '../runs/runs.ts';
import { SystemMetrics } from '../runs/systemMetrics.ts';
import { loadShell } from '../shell/grammar.ts';
import { writeFileAtomic } from '../storage/atomicFile.ts';
import type { AwakeTime } from '../storage/awakeTime.ts';
import { memoryFolders } from '../storage/memoryFolders.ts';
import { homeAt, type Home } from '../storage/home.ts';
import { closeHome } from '../storage/homeModes.ts';
import type { OwnerKind } from '../storage/leaseOwner.ts';
import { systemProcesses } from '../storage/processes.ts';
import { SessionIndex } from '../storage/sessionIndex.ts';
import type { WebOptions } from '../web/download.ts';
import { WebReader } from '../web/fetchPage.ts';
import { rememberSecrets, secretsOf } from './engineSecrets.ts';
import { approvalsAt } from './approvals.ts';
import { folderChoicesAt } from './folderChoices.ts';
import { keepAwake } from './keepAwake.ts';
import { localSetupFields, rememberPassed } from './localSetup.ts';
import { mandateReader } from './mandates.ts';
import { projectsAt } from './project.ts';
import { heliosVersion } from './version.ts';

export interface EngineOptions {
  /** Absolute path of the home folder; usually the value of `defaultHome`. */
  readonly home: string;
  /** Folder that contains `sql-wasm.wasm`. */
  readonly assetsFolder: string;
  /** Returns the current settings. Called each time the engine needs a setting. */
  settings(): EngineSettings;
  readonly ports: EnginePorts;
  /** The operating system of this computer. Default: `currentPlatform()`. */
  readonly platform?: NodeJS.Platform;
  readonly clock?: Clock;
  /** Tells when this process stood still. Default: as the clocks of this computer show it. */
  readonly awakeTime?: Pick<AwakeTime, 'look' | 'onDidStandStill'>;
  readonly logger?: Logger;
  /** Kind of owner that is written to the lease of each session. Default: `terminal`. */
  readonly ownerKind?: OwnerKind;
  /** Place in which the engine runs. Default: as the environment shows it. */
  readonly place?: Place;
  /** Folder in which commands run on the local machine if the session names no folder. */
  readonly workFolder?: string;
  /** Providers that replace the built-in providers with the same ids. */
  readonly providers?: readonly ModelProvider[];
  /**
   * Creates the connection to a machine of `machines.json`. Tests replace this function. Default:
   * real connections.
   */
  readonly createMachine?: CreateMachine;
}

const writeForOwner = (file: string, text: string): Promise<void> => writeFileAtomic(file, text);

const homesOf = ({ machineHomesFile }: Home): HomeFolders =>
  new HomeFolders(machineHomesFile, writeForOwner);

/** Opens everything that sessions depend on. */
async function openBase(options: EngineOptions, secrets: Redactor) {
  const { settings, ports, platform, clock = systemClock, logger = silentLogger } = options;
  const home = homeAt(options.home);
  const { runsFolder } = home;
  const setupDeps = { ports, secrets, settings, entry: () => machines.localEntry };
  const localIn = (workFolder: string): Machine => {
    const setupFields = localSetupFields(setupDeps, workFolder);
    return createLocal({ runsFolder, clock, workFolder, setupFields, platform });
  };
  const { folder, enginesFile: file } = home;
  const engines = new OwnEngines({ home: folder, file, write: writeForOwner, logger });
  const opening = openMachines(options, {
    home,
    engines,
    secrets,
    local: localIn(options.workFolder ?? homedir()),
    isBusy: (id) =>
      runs.all().some(({ spec, liveness }) => spec.machineId === id && liveness.kind !== 'ended'),
  });
  const [machines] = await Promise.all([opening, loadShell()]);
  const runs = new Runs({ machines, folder: runsFolder, clock });
  tidyContainers(machines, engines);
  const resources = resourcesOf(machines, runs, clock);
  const going = (): GoingRun[] => runs.all().flatMap(goingRun);
  const systemMetrics = new SystemMetrics({ resources, home, clock, logger, going });
  const providers = providersOf(options, clock, secrets);
  const models = modelsOf(options, home, () => [...providers().values()]);
  const prices = (): PriceTable =>
    extendPrices(withToldPrices(listPrices, models.priced()), settings().prices);
  const catalogue = catalogueOf(options, home);
  const archive = new HomeArchive({ home, index: catalogue, clock, logger });
  const web = webOf(options, clock);
  const projects = projectsAt(home.folder);
  const folders = folderChoicesAt(home.folder);
  const notifier = notifierOf(options, secrets, projects);
  const machinesIn = (workFolder: string): Machines => machines.with(localIn(workFolder));
  const tools = { resources, providers, models, prices, web, notifier, projects, machinesIn };
  const { place = placeHere(), awakeTime = systemProcesses.awake } = options;
  const placeWarnings = warningsHere(place, home.folder);
  const around = { home, clock, awakeTime, logger, place, placeWarnings };
  const kept = { catalogue, archive, folders, systemMetrics };
  return { ...around, machines, runs, ...kept, ...tools };
}

export async function createEngine(givenOptions: EngineOptions): Promise<Engine> {
  await closeHome(homeAt(givenOptions.home));
  const secrets = await secretsOf(homeAt(givenOptions.home));
  const options = {
    ...givenOptions,
    ports: rememberSecrets(givenOptions.ports, secrets),
    logger: redactingLogger(givenOptions.logger ?? silentLogger, secrets),
  };
  const { settings, ports } = options;
  const { home, catalogue, machines, ...base } = await openBase(options, secrets);
  const { clock, logger, runs, resources, models, notifier, machinesIn, place } = base;
  const today = new DaySpending(home, clock);
  const reports = reportsOf(options, base.projects, {
    ...base,
    home,
    sessions: () => sessions,
    redact: secrets.redact,
  });
  const sessions: SessionStore = new SessionStore({
    home,
    catalogue,
    version: heliosVersion,
    ownerKind: options.ownerKind ?? 'terminal',
    shared: {
      ...base,
      ports,
      settings,
      secrets,
      paths: pathRulesFor(home.folder, machines),
      storedSecrets: new StoredSecrets(secrets, ports),
      today,
      reports,
      spending: new JournalSpending(home, 0),
      pages: new WebReader(base.web),
      probes: new MachineProbes(clock),
      confinements: new ConfinementProbes(),
      mandate: mandateReader(home),
      approvals: approvalsAt(home.folder),
      earlier: new EarlierAttempts({ index: catalogue, clock, logger }),
      memoryFolders: memoryFolders(home),
    },
  });
  const awake = keepAwake(sessions, { settings, clock, logger, place });
  const requests = new RequestMailboxes({ home, clock, sessions, models });
  reports.watch();
  const open = {
    models,
    reports,
    awake,
    requests,
    sessions,
    notifier,
    systemMetrics: base.systemMetrics,
    resources,
    runs,
    machines,
    catalogue,
  };
  const close = (): Promise<void> => closeAll(open);
  return {
    home: home.folder,
    sessions,
    requests,
    machines,
    runs,
    resources,
    reports,
    models,
    prices: base.prices,
    notifier,
    retention: retentionOf(sessions, { home, clock, machinesIn }),
    memoryFolders: memoryFolders(home),
    providers: () => [...base.providers().values()],
    redact: secrets.redact,
    spentToday: () => today.spent(),
    close,
    dispose: () => void close(),
  };
}

interface MachinesDeps {
  readonly home: Home;
  readonly engines: OwnEngines;
  readonly local: Machine;
  readonly secrets: Redactor;
  isBusy(id: string): boolean;
}

function openMachines(options: EngineOptions, deps: MachinesDeps) {
  const { home, engines, local, secrets, isBusy } = deps;
  const { ports, clock = systemClock, logger = silentLogger } = options;
  const create =
    options.createMachine ??
    createRemote({ prompts: promptsOf(ports), homes: homesOf(home), engines, clock });
  return MachineRegistry.open({
    local,
    isBusy,
    clock,
    logger,
    file: new MachineFile({ path: home.machinesFile, write: writeForOwner }),
    create: (entry) => {
      rememberPassed(secrets, entry);
      return create(entry);
    },
  });
}

function catalogueOf(
  { assetsFolder, clock = systemClock, logger = silentLogger }: EngineOptions,
  home: Home,
) {
  const wasmFile = path.join(assetsFolder, 'sql-wasm.wasm');
  const openIndex = () => SessionIndex.open({ file: home.indexFile, wasmFile, clock, logger });
  return new SessionCatalogue({ home, logger, openIndex });
}

type ReportsDeps = Omit<
  ConstructorParameters<typeof SessionReports>[0],
  'placeFor' | 'isWrittenAtEnd' | 'userFolder'
>;

const reportsOf = (
  { settings }: EngineOptions,
  projects: Projects,
  around: ReportsDeps,
): SessionReports =>
  new SessionReports({
    ...around,
    userFolder: homedir(),
    placeFor: (workFolder) => reportsPlace(projects, workFolder),
    isWrittenAtEnd: () => settings().report !== 'never',
  });

const providersOf = (
  { home, settings, ports, providers, logger = silentLogger }: EngineOptions,
  clock: Clock,
  secrets: Redactor,
): (() => ReadonlyMap<string, ModelProvider>) => {
  const providersNow = createProviders({
    settings,
    secret: (name) => ports.secret(name),
    storeSecret: ports.storeSecret?.bind(ports),
    fetch: createFetch(settings),
    claudeFolder: homeAt(home).claudeFolder,
    clock,
    logger,
    ...(providers && { others: providers }),
  });
  const redacting = redactingProviders(secrets);
  return () => new Map([...providersNow()].map(([id, each]) => [id, redacting(each)]));
};

const notifierOf = (options: EngineOptions, secrets: Redactor, projects: Projects): Notifier => {
  const { settings, ports, clock = systemClock, logger = silentLogger } = options;
  const held = new HeldMessages({ folder: homeAt(options.home).heldFolder, write: writeForOwner });
  return createNotifier({
    settings,
    ports,
    clock,
    logger,
    secrets,
    held,
    env: process.env,
    fetch: createFetch(settings),
    publicNetwork: publicNetwork({
      openDispatcher: (lookup) => openDispatcher(settings(), lookup),
    }),
    isAllowed: (allowance) => projects.isAllowed(allowance),
  });
};

function modelsOf(
  options: EngineOptions,
  home: Home,
  providers: () => readonly ModelProvider[],
): LiveCatalogue {
  const { settings, clock = systemClock, logger = silentLogger } = options;
  const prices = (): PriceTable => extendPrices(listPrices, settings().prices);
  return new LiveCatalogue({
    providers,
    configured: settings,
    isPriced: (provider, model) => 'usd' in costOf(provider, model, noUsage, prices()),
    cache: new ModelCache({ path: home.modelsFile, write: writeFileAtomic, clock, logger }),
    clock,
    logger,
  });
}

const webOf = ({ settings }: EngineOptions, clock: Clock): WebOptions => ({
  clock,
  userAgent: `Helios/${heliosVersion} (research agent)`,
  allowsPrivateAddresses: () => settings().web?.allowsPrivateAddresses === true,
  openDispatcher: (lookup) => openDispatcher(settings(), lookup),
});

const resourcesOf = (machines: Machines, runs: Runs, clock: Clock): MachineResources =>
  new MachineResources({
    machines,
    going: () => runs.all().flatMap(goingRun),
    onDidChangeRuns: runs.onDidChange,
    clock,
  });

const goingRun = ({ spec, process, liveness }: Run): GoingRun[] =>
  liveness.kind === 'ended'
    ? []
    : [{ runId: spec.id, machineId: spec.machineId, pid: process?.pid, gpuIds: process?.gpuIds }];

/**
 * Returns functions that ask the user for passwords, and to confirm host keys. If the front end
 * cannot ask, passwords get no answer and no host key is trusted.
 */
const promptsOf = (ports: EnginePorts): MachinePrompts => ({
  askSecret: (question, signal) =>
    ports.askSecret?.(question, signal) ?? Promise.resolve(undefined),
  keptSecret: async (question) => ports.keptSecret?.(question),
  confirmHostKey: (question, signal) =>
    ports.confirmHostKey?.(question, signal) ?? Promise.resolve(false),
});
