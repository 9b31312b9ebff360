/**
 * Continues the sessions of a closed VS Code window in the background, until they end or a new
 * window resumes them.
 */
import { createEngine } from '../compose/engine.ts';
import type { Engine } from '../agent/contract/engine.ts';
import type { EnginePorts } from '../agent/contract/ports.ts';
import type { Session } from '../agent/contract/sessions.ts';
import type { Handover } from '../compose/handover.ts';
import { delay, type Clock } from '../base/clock.ts';
import { adviceOf, UserFacing } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { MachineSecrets } from '../compose/machineSecrets.ts';
import { homeAt, isPassing } from '../compose/home.ts';
import { secretStore } from '../compose/secrets.ts';
import { endText } from '../presentation/sessions/sessionText.ts';

/**
 * Delay before another attempt to resume sessions that another process has open, because that
 * process may have died.
 */
const reclaimMs = 10_000;

export interface BackgroundDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Aborted when this process must end. The sessions are then closed, so that a window can resume
   * them.
   */
  readonly signal: AbortSignal;
}

/**
 * Continues the sessions that the window handed over. Resolves when no session is left to continue.
 * Rejects if the engine cannot be built or a session cannot be read.
 */
export async function keepOn(
  handover: Handover,
  { clock, logger, signal }: BackgroundDeps,
): Promise<void> {
  await delay(clock, handover.graceMs, signal).catch(() => undefined);
  if (handover.sessions.length === 0 || signal.aborted) return;
  const engine = await createEngine({
    home: handover.home,
    assetsFolder: handover.assetsFolder,
    settings: () => handover.settings,
    ports: portsOf(handover),
    ownerKind: 'detached',
    clock,
    logger,
  });
  const progress = { logger, faults: [] as unknown[], lastReasons: new Map<SessionId, string>() };
  try {
    let remaining: readonly SessionId[] = await resumeAll(engine, handover.sessions, progress);
    while (remaining.length > 0 && !signal.aborted) {
      await idle(engine, remaining, signal);
      remaining = remaining.filter((id) => !isOver(engine, id));
      const closedIds = remaining.filter((id) => openHere(engine, id) === undefined);
      if (closedIds.length === 0) continue;
      await delay(clock, reclaimMs, signal).catch(() => undefined);
      const resumedIds = signal.aborted ? [] : await resumeAll(engine, closedIds, progress);
      remaining = [...remaining.filter((id) => !closedIds.includes(id)), ...resumedIds];
    }
  } finally {
    await engine.close();
  }
  if (progress.faults.length > 0)
    throw new AggregateError(progress.faults, 'Some sessions could not be read');
}

interface ResumeProgress {
  readonly logger: Logger;
  /** Unexpected errors while sessions were resumed. Thrown together as one error at the end. */
  readonly faults: unknown[];
  /**
   * Reason last logged for each session that was not resumed, so that the same reason is not logged
   * twice.
   */
  readonly lastReasons: Map<SessionId, string>;
}

/**
 * Resumes the sessions that have not ended and are not paused. Resolves with the ids of the
 * sessions that now run in this process, and of those to try again later, because the disk is full
 * or a terminal has the session open. If a session cannot be resumed, logs the reason; the next
 * window can resume it.
 */
async function resumeAll(
  engine: Engine,
  ids: readonly SessionId[],
  progress: ResumeProgress,
): Promise<SessionId[]> {
  const retainedIds: SessionId[] = [];
  for (const id of ids) if (await resumeOne(engine, id, progress)) retainedIds.push(id);
  return retainedIds;
}

async function resumeOne(
  engine: Engine,
  id: SessionId,
  { logger, faults, lastReasons }: ResumeProgress,
): Promise<boolean> {
  const refuse = (why: string): void => {
    if (lastReasons.get(id) !== why) logger.warn(`Session ${id} is not resumed: ${why}`);
    lastReasons.set(id, why);
  };
  try {
    const owner = await engine.sessions.owner(id);
    if (owner?.kind === 'terminal') {
      refuse(
        `It is open in a terminal (process ${owner.pid} on ${owner.host}). It is resumed when that process ends.`,
      );
      return true;
    }
    if (!(await canResume(engine, id))) return false;
    const session = await engine.sessions.resume(id);
    lastReasons.delete(id);
    logger.info(`Resumed session ${id}.`);
    void session.ended.then((reason) =>
      logger.info(`Session ${id} has ended: ${endText(reason)}.`),
    );
    return true;
  } catch (error) {
    refuse(adviceOf(error));
    if (!isPassing(error) && !(error instanceof UserFacing)) faults.push(error);
    return isPassing(error);
  }
}

async function canResume(engine: Engine, id: SessionId): Promise<boolean> {
  const { state } = await engine.sessions.read(id);
  if (!isGoing({ state })) return false;
  if (engine.providers().some((provider) => provider.id === state.provider)) return true;
  throw new UserFacing(`Its provider ${state.provider} is available only in a VS Code window.`);
}

const isGoing = ({ state }: Pick<Session, 'state'>): boolean =>
  state.phase !== 'ended' && state.phase !== 'paused';

const openHere = ({ sessions }: Engine, id: SessionId): Session | undefined =>
  sessions.open().find((session) => session.id === id);

/** Returns whether the session has ended or was paused in this process. */
function isOver(engine: Engine, id: SessionId): boolean {
  const session = openHere(engine, id);
  return session !== undefined && !isGoing(session);
}

/**
 * Resolves as soon as any of the sessions is not running in this process, or the signal is aborted.
 */
function idle(engine: Engine, ids: readonly SessionId[], signal: AbortSignal): Promise<void> {
  const isGoingHere = (id: SessionId): boolean => {
    const session = openHere(engine, id);
    return session !== undefined && isGoing(session);
  };
  return new Promise((resolve) => {
    const check = (): void => {
      if (ids.every(isGoingHere) && !signal.aborted) return;
      listener.dispose();
      signal.removeEventListener('abort', check);
      resolve();
    };
    const listener = engine.sessions.onDidChange(check);
    signal.addEventListener('abort', check, { once: true });
    check();
  });
}

/**
 * Returns ports for an engine without a user. Secrets, and answers to password prompts of machines,
 * are those that the window handed over. Unknown host keys are refused. Renewed
 * sign-ins are written to files, from which the next window reads them.
 */
function portsOf({ home, secrets, machineSecrets, interpreters = {} }: Handover): EnginePorts {
  const secretValues = new Map(Object.entries(secrets));
  const storeRenewed = secretStore(homeAt(home).renewedSecretsFolder);
  const vault = new Map(Object.entries(machineSecrets));
  const answers = new MachineSecrets(
    {
      get: (key) => Promise.resolve(vault.get(key)),
      store: (key, value) => Promise.resolve(vault.set(key, value)),
      delete: (key) => Promise.resolve(vault.delete(key)),
    },
    () => Promise.resolve(undefined),
  );
  return {
    secret: (name) => Promise.resolve(secretValues.get(name)),
    storeSecret: async (name, value) => {
      if (value === undefined) secretValues.delete(name);
      else secretValues.set(name, value);
      await storeRenewed(name, value);
    },
    interpreter: (workFolder) => Promise.resolve(interpreters[workFolder]),
    askSecret: (question, signal) => answers.answer(question, signal),
    keptSecret: (question) => answers.kept(question),
    confirmHostKey: () => Promise.resolve(false),
  };
}
