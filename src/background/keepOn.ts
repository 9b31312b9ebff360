/**
 * Goes on with the sessions of a window that is gone, until they end or the next window takes them
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
 * Who asked for a session and did not take it, or took it in a terminal, may have died over it:
 * then it is taken up again.
 */
const reclaimMs = 10_000;

export interface BackgroundDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when this process is to end: the sessions are let go of in good order. */
  readonly signal: AbortSignal;
}

/**
 * Resolves when nothing is left to do here. Rejects when the engine cannot be built, or a session
 * was not read.
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
  /** What is no fault of the session. */
  readonly faults: unknown[];
  /** Why a session was not taken up, as it was said last. */
  readonly told: Map<SessionId, string>;
}

/**
 * Those that go on here now, or may later: the disk may take something again, and a terminal may
 * end without an end of the session, which no window is there to notice. Any other is said, and
 * left to the next window.
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

/** Ended or paused here, which a window or a terminal that took it would not have told of. */
function isOver(engine: Engine, id: SessionId): boolean {
  const session = openHere(engine, id);
  return session !== undefined && !isGoing(session);
}

/** Resolves when one of them is not being worked on here, or the signal is aborted. */
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
 * Nobody is here to be asked. What was kept is answered with, and what is renewed is kept for the
 * next window.
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
