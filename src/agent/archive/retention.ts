/**
 * Removes old sessions, so that they do not fill the disk over time. Never removes a session that
 * has not ended, that is open in a process, that has an active run, or that the user protected.
 */
import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeFile } from '../../base/heldFiles.ts';
import type { Clock } from '../../base/clock.ts';
import { adviceOf, codeOf, UserFacing } from '../../base/errors.ts';
import { isRunId, type RunId, type SessionId } from '../../base/ids.ts';
import { shellQuote } from '../../base/text.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { tidyWorktrees } from '../../experiments/git/tidyWorktrees.ts';
import type { Machine, Machines } from '../../machines/machine.ts';
import { localId } from '../../machines/machineEntry.ts';
import { runFolder } from '../../runs/supervisor.ts';
import type { Home } from '../../storage/home.ts';
import { copiesFolder } from '../experiments/storedCode.ts';
import type { SessionState } from '../journal/state.ts';
import type {
  CleanReport,
  OldSession,
  Retention,
  RetentionLimits,
  RetentionPlan,
} from '../contract/retention.ts';
import type {
  SessionOwner,
  SessionReading,
  Sessions,
  SessionSummary,
} from '../contract/sessions.ts';

interface RetentionDeps {
  readonly home: Home;
  readonly clock: Clock;
  list(): Promise<readonly SessionSummary[]>;
  read(id: SessionId): Promise<SessionReading>;
  owner(id: SessionId): Promise<SessionOwner | undefined>;
  release(id: SessionId): Promise<void>;
  machinesIn(workFolder: string): Machines;
}

/**
 * Name of the marker file in a session's folder that protects the session from removal, whatever
 * its age.
 */
const keepFile = 'keep';

/** Protects a session from removal, or ends the protection. */
async function keepSession(home: Home, id: SessionId, isKept: boolean): Promise<void> {
  const file = path.join(home.sessionFolder(id), keepFile);
  if (isKept) await writeFile(file, '', { mode: 0o600 });
  else await removeFile(file);
}

export function retentionOf(
  sessions: Pick<Sessions, 'list' | 'read' | 'owner' | 'release'>,
  around: Pick<RetentionDeps, 'home' | 'clock' | 'machinesIn'>,
): Retention {
  const deps: RetentionDeps = {
    ...around,
    list: () => sessions.list(),
    read: (id) => sessions.read(id),
    owner: (id) => sessions.owner(id),
    release: (id) => sessions.release(id),
  };
  return {
    plan: (limits) => planRetention(deps, limits),
    carryOut: (plan) => carryOutRetention(deps, plan),
    obstacle: (id) => obstacleTo(deps, id),
    remove: (id) => removeUnused(deps, id),
    keep: (id, isKept) => keepSession(around.home, id, isKept),
  };
}

/**
 * Chooses the sessions to remove: those older than the maximum age and, while all sessions together
 * exceed the maximum size, the oldest sessions. The age of a session is that of its last event.
 * Removes nothing.
 */
async function planRetention(deps: RetentionDeps, limits: RetentionLimits): Promise<RetentionPlan> {
  const oldestFirst = (await deps.list()).toSorted(
    (one, other) => one.lastEventMs - other.lastEventMs,
  );
  const sized: OldSession[] = [];
  for (const summary of oldestFirst) sized.push({ summary, bytes: await bytesOf(deps, summary) });
  const totalBytes = sized.reduce((sum, { bytes }) => sum + bytes, 0);
  const oldestMs = deps.clock.now() - (limits.maxAgeMs ?? Infinity);
  const goes: OldSession[] = [];
  const stays: (OldSession & { readonly why: string })[] = [];
  let remainingBytes = totalBytes;
  for (const session of sized) {
    const isBeyond =
      session.summary.lastEventMs < oldestMs || remainingBytes > (limits.maxBytes ?? Infinity);
    if (!isBeyond) continue;
    const why = await whyKept(deps, session.summary);
    if (why !== undefined) stays.push({ ...session, why });
    else {
      goes.push(session);
      remainingBytes -= session.bytes;
    }
  }
  return { goes, stays, totalBytes };
}

/**
 * Removes the sessions of the plan. Checks each session again before removing it, because it may
 * have changed since the plan was made.
 */
async function carryOutRetention(
  deps: RetentionDeps,
  { goes }: RetentionPlan,
): Promise<CleanReport> {
  const removed: OldSession[] = [];
  const problems: string[] = [];
  for (const session of goes) {
    const { id, lastEventMs } = session.summary;
    const now = (await deps.list()).find((each) => each.id === id);
    if (now === undefined) continue;
    const why =
      now.lastEventMs === lastEventMs
        ? await whyKept(deps, now)
        : 'it has changed since the plan was made';
    if (why !== undefined) problems.push(`${id} was not removed: ${why}`);
    else {
      problems.push(...(await removeSession(deps, id)));
      removed.push(session);
    }
  }
  return { removed, problems };
}

async function whyKept(deps: RetentionDeps, summary: SessionSummary): Promise<string | undefined> {
  if (summary.endReason === undefined) return 'it has not ended';
  const inUse = await whyUsed(deps, summary);
  return inUse ?? ((await deps.owner(summary.id)) === undefined ? undefined : 'it is open');
}

async function whyUsed(
  { home }: RetentionDeps,
  { id, going }: SessionSummary,
): Promise<string | undefined> {
  if (going > 0) return going === 1 ? 'a run is active' : `${going} runs are active`;
  return (await isThere(path.join(home.sessionFolder(id), keepFile)))
    ? 'it is protected'
    : undefined;
}

async function obstacleTo(deps: RetentionDeps, id: SessionId): Promise<string | undefined> {
  const summary = (await deps.list()).find((each) => each.id === id);
  if (summary === undefined) return 'it does not exist';
  const isAtRest = summary.phase === 'ended' || summary.phase === 'paused';
  if (!isAtRest && (await deps.owner(id)) !== undefined) return 'it is working';
  return whyUsed(deps, summary);
}

async function removeUnused(deps: RetentionDeps, id: SessionId): Promise<readonly string[]> {
  const why = await obstacleTo(deps, id);
  if (why !== undefined) throw notRemoved(why);
  await deps.release(id);
  if ((await deps.owner(id)) !== undefined) throw notRemoved('it is open in another process');
  return removeSession(deps, id);
}

const notRemoved = (why: string): UserFacing =>
  new UserFacing(`The session was not deleted: ${why}.`, 'Stop it and its runs, then try again.');

async function bytesOf(
  { home, read }: RetentionDeps,
  { id, runs }: SessionSummary,
): Promise<number> {
  const folders = [home.sessionFolder(id)];
  if (runs > 0)
    folders.push(...runIdsOf((await read(id)).state).valid.map((run) => home.runFolder(run)));
  const sizes = await Promise.all(folders.map(folderBytes));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

async function folderBytes(folder: string): Promise<number> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true });
    const files = entries.filter((entry) => entry.isFile());
    let bytes = 0;
    for (const file of files) bytes += (await stat(path.join(file.parentPath, file.name))).size;
    return bytes;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * Removes a session and resolves with the problems, as sentences. Removes the data on machines
 * first and the journal last, because only the journal records where the other data is. If the
 * removal on a machine fails, the journal is removed all the same: the data on that machine stays,
 * and its removal is not retried.
 */
async function removeSession(deps: RetentionDeps, id: SessionId): Promise<string[]> {
  const reading = await deps.read(id);
  const { state } = reading;
  const machines = deps.machinesIn(state.workFolder);
  const { valid: runIds, invalid } = runIdsOf(state);
  const problems = invalid.map(
    (run) =>
      `Files of run ${JSON.stringify(run)} of session ${id} were not removed: its id is not valid`,
  );
  const byMachine = Map.groupBy(runIds, (run) => state.runs.get(run)?.spec.machineId ?? '');
  if (!byMachine.has(localId)) byMachine.set(localId, []);
  for (const [machineId, runs] of byMachine) {
    try {
      const machine = machines.get(machineId);
      await machine.ready?.();
      await removeRuns(machine, [
        ...runs.map((run) => runFolder(machine.runsFolder, run).path),
        copiesFolder(machine, id),
      ]);
      const { kept } = await tidyWorktrees({
        machine,
        sessionId: id,
        clock: deps.clock,
        repos: reposOn(reading, machineId),
      });
      problems.push(
        ...kept.map(({ path: place, why }) => `${place} on ${machineId} was not removed: ${why}`),
      );
    } catch (error) {
      problems.push(`Files of session ${id} on ${machineId} were not removed: ${adviceOf(error)}`);
    }
  }
  for (const run of runIds) await removeFile(deps.home.runFolder(run), { recursive: true });
  await removeFile(deps.home.sessionFolder(id), { recursive: true });
  return problems;
}

/**
 * Returns the ids of the session's runs, which are also the names of their folders. Omits ids that
 * would lead to other folders, which a damaged journal may contain.
 */
function runIdsOf({ runs }: SessionState): {
  readonly valid: readonly RunId[];
  readonly invalid: readonly string[];
} {
  const ids = [...runs.keys()];
  return { valid: ids.filter(isRunId), invalid: ids.filter((id) => !isRunId(id)) };
}

/**
 * Returns the folders on a machine whose repositories may contain stored code: of the session's
 * experiments; on this computer also of its uploads, whether a run used them or not, and of its
 * checkout.
 */
const reposOn = (
  { events, state: { experiments, workFolder } }: Pick<SessionReading, 'events' | 'state'>,
  machineId: string,
): readonly string[] => [
  ...[...experiments.values()].flatMap(({ plan: { code, machineId: ranOn } }) =>
    code.kind === 'git' && (code.uploaded ? localId : ranOn) === machineId ? [code.repo] : [],
  ),
  ...events.flatMap((event) =>
    event.type === 'code.uploaded' && machineId === localId ? [event.upload.repo] : [],
  ),
  ...(machineId === localId ? [workFolder] : []),
];

const foldersAtOnce = 200;

async function removeRuns(machine: Machine, folders: readonly string[]): Promise<void> {
  for (let first = 0; first < folders.length; first += foldersAtOnce) {
    const paths = folders
      .slice(first, first + foldersAtOnce)
      .map(shellQuote)
      .join(' ');
    const { outcome, stderr } = await machine.exec(`rm -rf -- ${paths}`, {
      cwd: '/',
      timeoutMs: 120_000,
    });
    if (outcome.kind !== 'exited' || outcome.code !== 0)
      throw new Error(quotedReason(stderr, machine.id, outcome.kind));
  }
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
