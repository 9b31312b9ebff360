/** The three trees: plain rows → what VS Code draws. */
import { hostname } from 'node:os';
import {
  env,
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  window,
  type TreeDataProvider,
  type TreeView,
} from 'vscode';
import type { Engine, Sessions, SessionSummary } from '../agent/engine.ts';
import { systemClock } from '../base/clock.ts';
import { DisposableStore, type Disposable } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import type { Machine } from '../machines/machine.ts';
import { placeText } from '../machines/machineEntry.ts';
import { messageOf } from '../base/errors.ts';
import { views } from './contributions.ts';
import type { EngineHost } from './engineHost.ts';
import { Frames } from './metricsPanel/frames.ts';
import type { Notes } from './notes.ts';
import type { OpenSessions } from './openSessions.ts';
import { experimentRows, runningRuns } from './present/experimentRows.ts';
import { machineRows, problemRows, type MachineView } from './present/machineRows.ts';
import { memoryRows } from './present/memoryRows.ts';
import type { TreeNode } from './present/treeNode.ts';

export interface TreeParts {
  readonly host: EngineHost;
  readonly sessions: OpenSessions;
  readonly notes: Notes;
  readonly logger: Logger;
}

/** A tree is drawn anew at most this often: each time is a round trip for every open row. */
const frameMs = 1_000;
const onlyLocal = 'Runs go to this computer. Add Machine brings in the hosts that you reach by SSH.';
/** Sessions of other windows and of the terminal are looked for at most this often. */
const listEveryMs = 60_000;

export class Trees implements Disposable {
  readonly #owned = new DisposableStore();
  #listed: { readonly atMs: number; readonly openIds: string; readonly value: readonly SessionSummary[] } | undefined;
  readonly #trees: readonly Tree[];
  readonly #about = new Map<string, Pick<MachineView, 'description' | 'problem'>>();

  constructor({ host, sessions, notes, logger }: TreeParts) {
    const experiments = this.#tree(views.experiments, async () => {
      const engine = await host.get();
      const open = sessions.views();
      experiments.badge(runningRuns(open));
      return experimentRows({
        open,
        listed: await this.#list(engine.sessions),
        nowMs: Date.now(),
        read: (id) => engine.sessions.read(id),
      });
    });
    const machines = this.#tree(views.machines, async () => {
      const engine = await host.get();
      const list = engine.machines.list();
      machines.message(list.length > 1 ? undefined : onlyLocal);
      const shown = list.map((machine) => this.#machineView(engine, machine, () => machines.refresh()));
      return [...machineRows(shown, sessions.views(), Date.now()), ...problemRows(engine.machines.problems)];
    });
    const memory = this.#tree(views.memory, async () => memoryRows(await notes.sections()));
    this.#trees = [experiments, machines, memory];
    const frames = this.#owned.add(
      new Frames(systemClock, frameMs, () => {
        experiments.badge(runningRuns(sessions.views()));
        experiments.refresh();
        machines.refresh();
      }),
    );
    this.#owned.add(sessions.onDidChange(() => frames.request()));
    this.#owned.add(host.onDidOpen((engine) => this.#owned.add(engine.machines.onDidChange(() => frames.request()))));
    this.#owned.add(notes.onDidChange(() => memory.refresh()));
    for (const tree of this.#trees) tree.onFailure = (error) => logger.warn(`${tree.id}: ${messageOf(error)}`);
  }

  /** Asks everything anew, machines included. */
  refresh(): void {
    this.#about.clear();
    this.#listed = undefined;
    for (const tree of this.#trees) tree.refresh();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #tree(id: string, load: () => Promise<readonly TreeNode[]>): Tree {
    return this.#owned.add(new Tree(id, load));
  }

  async #list(sessions: Sessions): Promise<readonly SessionSummary[]> {
    const nowMs = Date.now();
    const openIds = sessions
      .open()
      .map(({ id }) => id)
      .join();
    if (this.#listed === undefined || this.#listed.openIds !== openIds || nowMs - this.#listed.atMs > listEveryMs)
      this.#listed = { atMs: nowMs, openIds, value: await sessions.list() };
    return this.#listed.value;
  }

  /** A machine is asked once, and drawn again when it has answered. To be looked at is no reason to connect. */
  #machineView({ machines }: Engine, machine: Machine, redraw: () => void): MachineView {
    const { id, kind } = machine;
    const entry = machines.entries().find((each) => each.id === id);
    if (entry === undefined && env.remoteName === 'ssh-remote')
      return { ...this.#asked(machine, redraw), host: hostname() };
    if (entry === undefined) return this.#asked(machine, redraw);
    const status = machines.status(id);
    if (status.kind === 'connected') return { ...this.#asked(machine, redraw), isConnected: true };
    this.#about.delete(id);
    return status.kind === 'unused'
      ? { id, kind, description: `${placeText(entry)} · not used yet` }
      : { id, kind, problem: status.why };
  }

  #asked(machine: Machine, redraw: () => void): MachineView {
    const { id, kind } = machine;
    const known = this.#about.get(id);
    if (known !== undefined) return { id, kind, ...known };
    this.#about.set(id, {});
    void machine.describe().then(
      (description) => {
        this.#about.set(id, { description });
        redraw();
      },
      (error: unknown) => {
        this.#about.set(id, { problem: messageOf(error) });
        redraw();
      },
    );
    return { id, kind };
  }
}

class Tree implements TreeDataProvider<TreeNode>, Disposable {
  readonly id: string;
  readonly #load: () => Promise<readonly TreeNode[]>;
  readonly #changed = new EventEmitter<void>();
  readonly #view: TreeView<TreeNode>;
  readonly #owned = new DisposableStore();
  #isStale = false;
  onFailure: (error: unknown) => void = () => undefined;
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(id: string, load: () => Promise<readonly TreeNode[]>) {
    this.id = id;
    this.#load = load;
    this.#view = this.#owned.add(
      window.createTreeView(id, { treeDataProvider: this, canSelectMany: true, showCollapseAll: true }),
    );
    this.#owned.add(this.#changed);
    this.#owned.add(this.#view.onDidChangeVisibility(({ visible }) => visible && this.#isStale && this.refresh()));
  }

  /** A hidden tree is drawn when it is shown. */
  refresh(): void {
    this.#isStale = !this.#view.visible;
    if (!this.#isStale) this.#changed.fire();
  }

  badge(running: number): void {
    const tooltip = `${running} ${running === 1 ? 'run' : 'runs'} going`;
    if (this.#view.badge?.value !== running) this.#view.badge = running === 0 ? undefined : { value: running, tooltip };
  }

  /** Above the rows; `undefined` takes it away. */
  message(text: string | undefined): void {
    if (this.#view.message !== (text ?? '')) this.#view.message = text ?? '';
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    try {
      const children = node === undefined ? await this.#load() : node.children;
      return [...(typeof children === 'function' ? await children() : (children ?? []))];
    } catch (error) {
      this.onFailure(error);
      return [];
    }
  }

  getTreeItem(node: TreeNode): TreeItem {
    const item = new TreeItem(node.label, collapsibleState(node));
    item.id = node.id;
    item.accessibilityInformation = { label: node.spoken };
    if (node.description !== undefined) item.description = node.description;
    if (node.context !== undefined) item.contextValue = node.context;
    if (node.tooltip !== undefined) item.tooltip = new MarkdownString(node.tooltip);
    if (node.icon !== undefined)
      item.iconPath = new ThemeIcon(node.icon.id, node.icon.color ? new ThemeColor(node.icon.color) : undefined);
    if (node.onClick !== undefined) item.command = { command: node.onClick, title: 'Open', arguments: [node] };
    return item;
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function collapsibleState(node: TreeNode): TreeItemCollapsibleState {
  if (node.children === undefined) return TreeItemCollapsibleState.None;
  return node.isExpanded ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed;
}
