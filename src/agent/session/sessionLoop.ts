/** Creates the loop of a session, with its permission gate, its budget and its tools. */
import { realpath } from 'node:fs/promises';
import { UserFacing } from '../../base/errors.ts';
import { newEventId } from '../../base/ids.ts';
import { onlyMachine } from '../../machines/filesOnly.ts';
import { localId } from '../../machines/machineEntry.ts';
import type { Machines } from '../../machines/machine.ts';
import { priceOf } from '../../models/prices.ts';
import { redactValue } from '../../base/secrets/redactValue.ts';
import { createGate, type Gate, type GateMode } from '../../permissions/gate.ts';
import { createGrants } from '../../permissions/grants/grants.ts';
import { approvedFolder } from '../../tools/parameters/approvedFolder.ts';
import { accessVerdict } from '../../tools/parameters/commandVerdict.ts';
import { outsideMandate, type MandateInForce } from '../../tools/parameters/mandateCoverage.ts';
import type { Tool } from '../../tools/tool.ts';
import { ToolTable } from '../../tools/toolTable.ts';
import type { PermissionMode, PermissionsInForce } from '../../permissions/mode.ts';
import { BudgetGuard } from '../budget/guard.ts';
import { RequestAttachments } from '../context/attachments.ts';
import { contextSource } from '../context/contextSource.ts';
import type { JournalEvent, StreamEvent } from '../journal/events.ts';
import type { LoopDeps } from '../loop/loop.ts';
import { PlateauGuard } from '../loop/plateauGuard.ts';
import { webSourcesOf } from '../loop/webSources.ts';
import { profileOf } from '../profiles/profiles.ts';
import { foreseenRefusal } from '../runs/foreseen.ts';
import { refusedCalls } from '../user/refusedCalls.ts';
import { plateauPolicy } from '../runs/watchdogSettings.ts';
import { callFateOn } from '../loop/callFate.ts';
import { toolDefaults, runMinutesFor } from './projectSettings.ts';
import { repositoryTop } from './repositoryTop.ts';
import { recordingModes, sessionPermissions } from './circumstances.ts';
import { attachmentsIn } from './messageAttachments.ts';
import type { PartsRequest } from './sessionDeps.ts';
import { withEditWarning } from '../experiments/editWarnings.ts';
import { createEditKeeper, undoForAgent } from './sessionEdits.ts';
import type { SessionListeners } from './sessionListeners.ts';
import { costFor, providerOf } from './sessionModels.ts';
import { createSideCalls } from './sessionSideCalls.ts';
import { createToolset } from './toolset.ts';
import { runName } from '../../runs/run.ts';

export function createLoop(request: PartsRequest, listeners: SessionListeners): LoopDeps {
  const { shared, hooks, log, folder, project } = request;
  const { clock, logger, secrets, paths } = shared;
  const { id: sessionId, workFolder } = log.state;
  const defaultMachine = defaultMachineOf(request, listeners);
  const defaults = toolDefaults(project, defaultMachine);
  const profile = profileOf(log.state.profile);
  const budget = createGuard(request, listeners);
  const files = attachmentsIn(folder);
  const tools = createTools(request, { ...listeners, defaultMachine }, budget).filter((tool) =>
    profile.includes(tool),
  );
  const offers = offersFor(listeners.machines, workFolder);
  const show = (event: StreamEvent): void => hooks.show(redactValue(event, secrets));
  const { idleTurns, effort = 'medium' } = shared.settings();
  return {
    log,
    clock,
    budget,
    plateau: createPlateauGuard(request, listeners),
    idleTurns,
    effort,
    provider: (id) => providerOf(shared, id),
    describe: (id, model) => shared.models.describe(id, model),
    cost: (id, reply) => costFor(shared, id, reply),
    cachePrice: (id, model) => priceOf(id, model, shared.prices()),
    profile,
    ...contextSource({
      ...shared,
      ...request,
      ...listeners,
      sections: profile.sections(tools.filter(offers)),
      runMinutes: () => runMinutesFor(shared.settings(), project),
      permissionMode: () => promptedMode(request),
    }),
    offers,
    attachments: new RequestAttachments(files),
    act: {
      sessionId,
      tools: new ToolTable(tools.map((tool) => tool.withDefaults(defaults))),
      gate: createSessionGate(request, listeners),
      clock,
      logger,
      files,
      secrets,
      paths,
      edits: createEditKeeper(request, listeners),
      fate: callFateOn(listeners.machines),
      warned: (result, accesses) =>
        withEditWarning({ log, machines: listeners.machines }, result, accesses),
      record: log.record,
      show,
      isOver: () => ['sleeping', 'ended', 'paused'].includes(log.state.phase),
    },
    show,
    end: (reason, summary) => hooks.end(reason, summary),
    waitForMonitor: () => listeners.waiting.untilCheckIn(newEventId(clock.now())),
  };
}

/**
 * Returns a function that tells whether a tool has something to work with: several machines, or a
 * repository. Evaluated at each call.
 */
const offersFor =
  (machines: Pick<Machines, 'list'>, workFolder: string) =>
  ({ needs }: Pick<Tool, 'needs'>): boolean => {
    if (needs === undefined || machines.list().length > 1) return true;
    return needs === 'repository' && repositoryTop(workFolder) !== undefined;
  };

/**
 * Returns the permission mode that the prompt explains; `undefined` for a profile with fixed
 * permissions.
 */
const promptedMode = ({ shared, log, project }: PartsRequest): PermissionMode | undefined => {
  const { profile, workFolder } = log.state;
  return profileOf(profile).permissions === undefined
    ? sessionPermissions(shared, { workFolder, project, log }).mode
    : undefined;
};

/** Returns the id of the machine for calls that name none; `undefined` without a choice. */
function defaultMachineOf(
  { shared, log, project }: PartsRequest,
  { machines }: SessionListeners,
): string | undefined {
  const { choice } = shared.folders.read(log.state.workFolder);
  return project?.defaultMachine ?? choice?.container ?? onlyMachine(machines.list());
}

function createTools(
  request: PartsRequest,
  {
    defaultMachine = localId,
    ...listeners
  }: SessionListeners & { readonly defaultMachine: string | undefined },
  budget: BudgetGuard,
): Tool[] {
  const { shared, hooks, log, folder } = request;
  const { runs, probes, resources, clock, secrets, paths, archive } = shared;
  return createToolset({
    ...listeners,
    defaultMachine,
    log,
    folder,
    runs,
    probes,
    resources,
    clock,
    secrets,
    paths,
    archive,
    edits: undoForAgent(request),
    consult: createSideCalls(request, budget),
    end: (reason, summary, ended) => hooks.end(reason, summary, ended),
  });
}

function createSessionGate(
  { shared, log, project }: PartsRequest,
  { notices, machines, questions, git, confining }: SessionListeners,
): Gate {
  const { clock, paths, ports, settings } = shared;
  const { profile, workFolder } = log.state;
  const { permissions: fixedMode } = profileOf(profile);
  const inForce = (): PermissionsInForce =>
    sessionPermissions(shared, { workFolder, project, log });
  const mode = (): GateMode => fixedMode ?? inForce().mode;
  const mandate = (): MandateInForce => ({
    mandate: shared.mandate(workFolder, project).mandate,
    isGitGuarded: settings().protectsGit !== false,
    container: shared.folders.read(workFolder).choice?.container,
  });
  const gate = createGate({
    mode,
    ask(call, signal) {
      if (ports.approve === undefined)
        return Promise.reject(new UserFacing('Nobody can be asked.'));
      notices.asks(call);
      return ports.approve({ sessionId: log.state.id, ...call }, signal);
    },
    refused: refusedCalls({ questions, state: () => log.state }),
    onUserActed: (listener) => void log.onDidRecord((event) => isOfUser(event) && listener()),
    outside: (call) => outsideMandate(machines, call, mandate()),
    forecast: ({ accesses }) => foreseenRefusal(accesses, { machines, git, confining, paths }),
    clock,
    paths,
    judge: (access) =>
      accessVerdict(machines, access, {
        rules: paths,
        ...(mode() === 'mandate' && { inForce: mandate() }),
      }),
    grants: createGrants({
      file: shared.approvals,
      workspace: () => realpath(workFolder).catch(() => workFolder),
      folderOf: (access) => approvedFolder(machines, access),
      ofSession: () => log.state.approvals,
      allowedTools: allowedBefore(log.events),
    }),
    web: {
      hasReadOthers: () => webSourcesOf(log.events).hasReadOthers(),
      hasSeen: (url) => webSourcesOf(log.events).hasSeen(url),
      allowedHosts: () => shared.settings().web?.allowedHosts ?? [],
    },
  });
  return recordingModes(gate, log, () => (fixedMode === undefined ? inForce() : undefined));
}

/** Returns true for an event that the user caused. */
const isOfUser = (event: JournalEvent): boolean =>
  event.type === 'message.added'
    ? event.origin === 'person'
    : event.type === 'note.pinned' || (event.type === 'question.answered' && event.by === 'person');

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

export const createGuard = (
  { shared, hooks, log }: PartsRequest,
  { sessionRuns, standstills }: Pick<SessionListeners, 'sessionRuns' | 'standstills'>,
): BudgetGuard =>
  new BudgetGuard({
    log,
    clock: shared.clock,
    provider: (id) => providerOf(shared, id),
    prices: () => shared.prices(),
    dayLimits: () => shared.settings().dayLimits,
    today: () => shared.today.spent(),
    children: () => shared.spending.withChildren(log.state.children),
    look: () => standstills.look(),
    going: () => sessionRuns.live().map(({ spec }) => runName(spec.number)),
    end: (reason, summary) => hooks.end(reason, summary),
  });

const allowedBefore = (events: readonly JournalEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === 'permission.decided' && event.allowedTool !== undefined
      ? [event.allowedTool]
      : [],
  );
