/**
 * Continues the sessions of a closed window, until the sessions end or the next window takes them
 * back.
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

/**
 * Delay before another attempt to resume sessions that another process holds, because that process
 * may have died.
 */
const reclaimMs = 10_000;

export interface BackgroundDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when this process must end; its sessions are then closed properly. */
  readonly signal: AbortSignal;
}

/**
 * Continues the sessions of the handover. Resolves when no session is left. Rejects if the engine
 * cannot be built or a session could not be read.
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
  const taking = { logger, faults: [] as unknown[], told: new Map<SessionId, string>() };
  try {
    let left: readonly SessionId[] = await takeAllUp(engine, handover.sessions, taking);
    while (left.length > 0 && !signal.aborted) {
      await idle(engine, left, signal);
      left = left.filter((id) => !isOver(engine, id));
      const away = left.filter((id) => openHere(engine, id) === undefined);
      if (away.length === 0) continue;
      await delay(clock, reclaimMs, signal).catch(() => undefined);
      const back = signal.aborted ? [] : await takeAllUp(engine, away, taking);
      left = [...left.filter((id) => !away.includes(id)), ...back];
    }
  } finally {
    await engine.close();
  }
  if (taking.faults.length > 0)
    throw new AggregateError(taking.faults, 'Not every session could be read');
}

interface Taking {
  readonly logger: Logger;
  /** Unexpected errors while the sessions were resumed, thrown together at the end. */
  readonly faults: unknown[];
  /**
   * Reason last logged for each session that was not resumed, so that the same reason is not logged
   * twice.
   */
  readonly told: Map<SessionId, string>;
}

/**
 * Resumes the sessions. Returns those that run here and those that may run later: a full disk may
 * recover, and a terminal that holds a session may end. For any other session, logs the reason and
 * leaves the session to the next window.
 */
async function takeAllUp(
  engine: Engine,
  ids: readonly SessionId[],
  taking: Taking,
): Promise<SessionId[]> {
  const kept: SessionId[] = [];
  for (const id of ids) if (await isKept(engine, id, taking)) kept.push(id);
  return kept;
}

async function isKept(
  engine: Engine,
  id: SessionId,
  { logger, faults, told }: Taking,
): Promise<boolean> {
  const refuse = (why: string): void => {
    if (told.get(id) !== why) logger.warn(`${id} is not taken up: ${why}`);
    told.set(id, why);
  };
  try {
    const owner = await engine.sessions.owner(id);
    if (owner?.kind === 'terminal') {
      refuse(
        `It goes on in a terminal (process ${owner.pid} on ${owner.host}), and is looked at until that ends.`,
      );
      return true;
    }
    if (!(await isLeft(engine, id))) return false;
    const session = await engine.sessions.resume(id);
    told.delete(id);
    logger.info(`Goes on with ${id}.`);
    void session.ended.then((reason) => logger.info(`${id} has ended: ${reason}.`));
    return true;
  } catch (error) {
    refuse(adviceOf(error));
    if (!isPassing(error) && !(error instanceof UserFacing)) faults.push(error);
    return isPassing(error);
  }
}

async function isLeft(engine: Engine, id: SessionId): Promise<boolean> {
  const { state } = await engine.sessions.read(id);
  if (!isGoing({ state })) return false;
  if (engine.providers().some((provider) => provider.id === state.provider)) return true;
  throw new UserFacing(`Its model is one of ${state.provider}, which is there only in a window.`);
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
 * Resolves when one of the sessions no longer runs in this process, or when the signal is aborted.
 */
function idle(engine: Engine, ids: readonly SessionId[], signal: AbortSignal): Promise<void> {
  const isGoingHere = (id: SessionId): boolean => {
    const session = openHere(engine, id);
    return session !== undefined && isGoing(session);
  };
  return new Promise((resolve) => {
    const check = (): void => {
      if (ids.every(isGoingHere) && !signal.aborted) return;
      heard.dispose();
      signal.removeEventListener('abort', check);
      resolve();
    };
    const heard = engine.sessions.onDidChange(check);
    signal.addEventListener('abort', check, { once: true });
    check();
  });
}

/**
 * Returns the ports for an engine without a user: secrets and answers are those that the window
 * handed over, approvals are refused, and renewed sign-ins are stored for the next window.
 */
function portsOf({ home, secrets, machineSecrets }: Handover): EnginePorts {
  const known = new Map(Object.entries(secrets));
  const keep = secretStore(homeAt(home).renewedSecretsFolder);
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
    secret: (name) => Promise.resolve(known.get(name)),
    storeSecret: async (name, value) => {
      if (value === undefined) known.delete(name);
      else known.set(name, value);
      await keep(name, value);
    },
    approve: () => Promise.reject(new UserFacing('Nobody is there to be asked.')),
    askSecret: (question, signal) => answers.answer(question, signal),
    keptSecret: (question) => answers.kept(question),
    confirmHostKey: () => Promise.resolve(false),
  };
}
