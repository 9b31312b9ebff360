/** Goes on with the sessions of a window that is gone, until they end or the next window takes them back. */
import { createEngine } from '../compose.ts';
import type { Engine, EnginePorts, Session } from '../agent/engine.ts';
import type { Handover } from '../agent/session/handover.ts';
import { delay, type Clock } from '../base/clock.ts';
import { adviceOf, UserFacing } from '../base/errors.ts';
import type { SessionId } from '../base/ids.ts';
import type { Logger } from '../base/logger.ts';
import { MachineSecrets } from '../machines/machineSecrets.ts';
import { homeAt } from '../storage/home.ts';
import { isPassing } from '../storage/storageFailure.ts';
import { secretKeeper } from '../storage/secretFiles.ts';

/** Who asked for a session and did not take it has died over it: then it is taken up again. */
const reclaimMs = 10_000;

export interface KeeperWorld {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when this process is to end: the sessions are let go of in good order. */
  readonly signal: AbortSignal;
}

/** Resolves when nothing is left to do here. Rejects when the engine cannot be built, or a session was not read. */
export async function keepOn(handover: Handover, { clock, logger, signal }: KeeperWorld): Promise<void> {
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
  const faults: unknown[] = [];
  const takeUp = (ids: Handover['sessions']): Promise<Handover['sessions']> =>
    takeAllUp(engine, ids, { logger, faults });
  try {
    let left = await takeUp(handover.sessions);
    while (left.length > 0) {
      await idle(engine, signal);
      left = handedOver(engine, left);
      if (left.length > 0) await delay(clock, reclaimMs, signal).catch(() => undefined);
      left = signal.aborted ? [] : await takeUp(left);
    }
  } finally {
    await engine.close();
  }
  if (faults.length > 0) throw new AggregateError(faults, 'Not every session could be read');
}

/** Those that go on here now, or may when the disk takes something again. Any other is said, and left to the next window. */
async function takeAllUp(
  engine: Engine,
  ids: readonly SessionId[],
  { logger, faults }: { readonly logger: Logger; readonly faults: unknown[] },
): Promise<SessionId[]> {
  const taken: SessionId[] = [];
  for (const id of ids) {
    try {
      if (!(await isLeft(engine, id))) continue;
      const session = await engine.sessions.resume(id);
      taken.push(id);
      logger.info(`Goes on with ${id}.`);
      void session.ended.then((reason) => logger.info(`${id} has ended: ${reason}.`));
    } catch (error) {
      logger.warn(`${id} is not taken up: ${adviceOf(error)}`);
      if (isPassing(error)) taken.push(id);
      else if (!(error instanceof UserFacing)) faults.push(error);
    }
  }
  return taken;
}

async function isLeft(engine: Engine, id: SessionId): Promise<boolean> {
  const { state } = await engine.sessions.read(id);
  if (!isGoing({ state })) return false;
  if (engine.providers().some((provider) => provider.id === state.provider)) return true;
  throw new UserFacing(`Its model is one of ${state.provider}, which is there only in a window.`);
}

const isGoing = ({ state }: Pick<Session, 'state'>): boolean => state.phase !== 'ended' && state.phase !== 'paused';

/** Resolves when no session is being worked on here, or the signal is aborted. */
function idle({ sessions }: Engine, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (sessions.open().some(isGoing) && !signal.aborted) return;
      heard.dispose();
      signal.removeEventListener('abort', check);
      resolve();
    };
    const heard = sessions.onDidChange(check);
    signal.addEventListener('abort', check, { once: true });
    check();
  });
}

const handedOver = ({ sessions }: Engine, ids: readonly SessionId[]): SessionId[] => {
  const open = new Set<SessionId>(sessions.open().map(({ id }) => id));
  return ids.filter((id) => !open.has(id));
};

/** Nobody is here to be asked. What was kept is answered with, and what is renewed is kept for the next window. */
function portsOf({ home, secrets, machineSecrets }: Handover): EnginePorts {
  const known = new Map(Object.entries(secrets));
  const keep = secretKeeper(homeAt(home).renewedSecretsFolder);
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
