/** The tree views of the side bar, and the events that redraw them. */
import { commands } from 'vscode';
import type { SessionOwner, Sessions, SessionSummary } from '../agent/contract/sessions.ts';
import { systemClock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { messageOf } from '../base/errors.ts';
import { contextKeys, views } from './ui/contributions.ts';
import type { Arrangement } from './experiments/arrangement.ts';
import type { Approvals } from './window/approvals.ts';
import type { EngineHost } from './window/engineHost.ts';
import { MachineViews } from './machines/machineViews.ts';
import { Frames } from './ui/frames.ts';
import type { Notes } from './memory/notes.ts';
import type { OpenSessions } from './window/openSessions.ts';
import { experimentRows, runningRuns } from './experiments/experimentRows.ts';
import { inboxCount, inboxRows, type InboxFacts } from './inbox/inboxRows.ts';
import { memoryRows } from './memory/memoryRows.ts';
import type { TreeNode } from './ui/treeNode.ts';
import { Tree } from './ui/tree.ts';

export interface TreesDeps {
  readonly host: EngineHost;
  readonly sessions: OpenSessions;
  readonly notes: Notes;
  readonly approvals: Approvals;
  readonly logger: Logger;
  readonly arrangement: Arrangement;
}

/**
 * Minimum time between redraws of a tree. Limited because VS Code requests the children of every
 * expanded row again on each redraw.
 */
const frameMs = 1_000;
/**
 * Maximum age of the cached session list. When it is older, the list is read again to find new
 * sessions of other processes.
 */
const listEveryMs = 60_000;
/**
 * Interval at which the Experiments tree is redrawn while another process works on a session,
 * because no event reports the changes of such a session.
 */
const foreignEveryMs = 10_000;

interface Listed {
  readonly atMs: number;
  readonly openIds: string;
  readonly value: readonly SessionSummary[];
}

export class Trees implements Disposable {
  readonly #owned = new DisposableStore();
  #listed: Listed | undefined;
  #isListed = false;
  #foreign: Disposable | undefined;
  readonly #trees: readonly Tree[];
  readonly #machineViews: MachineViews;

  constructor({ host, sessions, notes, approvals, logger, arrangement }: TreesDeps) {
    const tree = (id: string, what: string, load: () => Promise<readonly TreeNode[]>): Tree => {
      const onFailure = (error: unknown): void =>
        logger.error(`${what} could not be read: ${messageOf(error)}`);
      return this.#owned.add(new Tree({ id, what, load, onFailure }));
    };
    const experiments = tree(views.experiments, 'Sessions', async () => {
      const engine = await host.get();
      const open = sessions.views();
      experiments.badge(runningRuns(open), 'active run', 'active runs');
      const listed = await this.#list(engine.sessions);
      const owners = await ownersOf(engine.sessions, listed);
      this.#foreign?.dispose();
      this.#foreign =
        owners.size > 0 ? systemClock.after(foreignEveryMs, () => experiments.reload()) : undefined;
      this.#announceList();
      return experimentRows({
        open,
        listed,
        owners,
        nowMs: Date.now(),
        isTree: arrangement.isTree,
        read: (id) => engine.sessions.read(id),
      });
    });
    const machines = tree(views.machines, 'Machines', () =>
      this.#machineViews.rows(sessions.views()),
    );
    const memory = tree(views.memory, 'Notes', async () => memoryRows(await notes.sections()));
    const inboxFacts = (): InboxFacts => ({
      sessions: sessions.all().map(({ state }) => state),
      approvals: approvals.pending(),
      nowMs: Date.now(),
    });
    const inbox = tree(views.inbox, 'Inbox', () => Promise.resolve(inboxRows(inboxFacts())));
    this.#trees = [experiments, inbox, machines, memory];
    const inboxFrames = this.#frames(() => {
      inbox.badge(inboxCount(inboxFacts()), 'answer needed', 'answers needed');
      inbox.refresh();
    });
    this.#owned.add(approvals.onDidChange(() => inboxFrames.request()));
    this.#owned.add(sessions.onDidChange(() => inboxFrames.request()));
    const runFrames = this.#frames(() => {
      experiments.badge(runningRuns(sessions.views()), 'active run', 'active runs');
      experiments.refresh();
    });
    const machineFrames = this.#frames(() => machines.refresh());
    this.#machineViews = this.#owned.add(new MachineViews(host, () => machineFrames.request()));
    this.#owned.add(
      machines.onDidChangeVisibility((isVisible) => this.#machineViews.show(isVisible)),
    );
    this.#machineViews.show(machines.isVisible);
    this.#owned.add(
      sessions.onDidChange(() => {
        runFrames.request();
        machineFrames.request();
      }),
    );
    this.#owned.add(notes.onDidChange(() => memory.refresh()));
  }

  /** Reads all data of the trees again, including the cached data of machines. */
  refresh(): void {
    this.#machineViews.forget();
    this.#listed = undefined;
    for (const tree of this.#trees) tree.reload();
  }

  dispose(): void {
    this.#foreign?.dispose();
    this.#owned.dispose();
  }

  /** Lets the view show its welcome text, which would be untrue before the sessions were listed. */
  #announceList(): void {
    if (this.#isListed) return;
    this.#isListed = true;
    void commands.executeCommand('setContext', contextKeys.sessionsListed, true);
  }

  #frames(draw: () => void): Frames {
    return this.#owned.add(new Frames(systemClock, frameMs, draw));
  }

  async #list(sessions: Sessions): Promise<readonly SessionSummary[]> {
    const nowMs = Date.now();
    const openIds = sessions
      .open()
      .map(({ id }) => id)
      .join();
    if (
      this.#listed === undefined ||
      this.#listed.openIds !== openIds ||
      nowMs - this.#listed.atMs > listEveryMs
    )
      this.#listed = { atMs: nowMs, openIds, value: await sessions.list() };
    return this.#listed.value;
  }
}

/**
 * Resolves with the process that works on each session, by session id. Omits sessions that have
 * ended, are open in this window, or that no process works on.
 */
async function ownersOf(
  sessions: Sessions,
  listed: readonly SessionSummary[],
): Promise<ReadonlyMap<string, SessionOwner>> {
  const open = new Set<string>(sessions.open().map(({ id }) => id));
  const others = listed.filter(({ id, endReason }) => endReason === undefined && !open.has(id));
  const found = await Promise.all(
    others.map(async ({ id }) => [id, await sessions.owner(id)] as const),
  );
  return new Map(
    found.flatMap(([id, owner]) => (owner === undefined ? [] : [[id, owner] as const])),
  );
}
