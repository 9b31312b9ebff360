/**
 * A tree view that converts plain rows to VS Code's tree items. A redraw updates only the changed
 * rows.
 */
import {
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
import { coalesced } from '../../base/coalesced.ts';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Event } from '../../base/emitter.ts';
import { failureRow } from './failureRow.ts';
import type { TreeNode } from './treeNode.ts';

export interface TreeDeps {
  readonly id: string;
  /** Name of what the tree shows, for the row of a failure: `Sessions`. */
  readonly what: string;
  /** Resolves with the current top-level rows. */
  load(): Promise<readonly TreeNode[]>;
  onFailure(error: unknown): void;
}

/**
 * The element object of a row. VS Code identifies a row by its element object, so a redraw changes
 * the content of the object instead of creating a new object.
 */
type Row = { -readonly [Key in keyof TreeNode]: TreeNode[Key] };

export class Tree implements TreeDataProvider<TreeNode>, Disposable {
  readonly #deps: TreeDeps;
  readonly #changed = new EventEmitter<TreeNode | undefined>();
  readonly #view: TreeView<TreeNode>;
  readonly #owned = new DisposableStore();
  readonly #rows = new Map<string, Row>();
  #roots: readonly TreeNode[] | undefined;
  /** Top-level rows that a redraw has loaded and that VS Code has not requested yet. */
  #loaded: readonly TreeNode[] | undefined;
  #isStale = false;
  readonly #update = coalesced(() => this.#redraw());
  readonly onDidChangeTreeData = this.#changed.event;
  readonly onDidChangeVisibility: Event<boolean>;

  constructor(deps: TreeDeps) {
    this.#deps = deps;
    this.#view = this.#owned.add(
      window.createTreeView(deps.id, {
        treeDataProvider: this,
        canSelectMany: true,
        showCollapseAll: true,
      }),
    );
    this.#owned.add(this.#changed);
    this.#owned.add(
      this.#view.onDidChangeVisibility(({ visible }) => visible && this.#isStale && this.refresh()),
    );
    this.onDidChangeVisibility = (listener) =>
      this.#view.onDidChangeVisibility(({ visible }) => listener(visible));
  }

  get isVisible(): boolean {
    return this.#view.visible;
  }

  /** Redraws the changed rows now or, if the tree is hidden, when the tree becomes visible. */
  refresh(): void {
    this.#isStale = !this.#view.visible;
    if (!this.#isStale) void this.#update();
  }

  /**
   * Redraws all rows, not only the changed rows, now or when the tree becomes visible. Children
   * that are loaded when the user expands a row are loaded again.
   */
  reload(): void {
    this.#roots = undefined;
    this.refresh();
  }

  /**
   * Sets the badge and its tooltip. `one` and `several`: singular and plural of the counted
   * objects, such as `active run` and `active runs`.
   */
  badge(count: number, one: string, several: string): void {
    const tooltip = `${count} ${count === 1 ? one : several}`;
    if (this.#view.badge?.value !== count)
      this.#view.badge = count === 0 ? undefined : { value: count, tooltip };
  }

  async getChildren(row?: TreeNode): Promise<TreeNode[]> {
    try {
      const children = row === undefined ? await this.#takeRoots() : row.children;
      const nodes = typeof children === 'function' ? await children() : (children ?? []);
      return nodes.map((node) => this.#rowFor(node));
    } catch (error) {
      return [this.#rowFor(this.#failure(row?.label ?? this.#deps.what, error, row?.id))];
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
      item.iconPath = new ThemeIcon(
        node.icon.id,
        node.icon.color ? new ThemeColor(node.icon.color) : undefined,
      );
    if (node.onClick !== undefined)
      item.command = { command: node.onClick, title: 'Open', arguments: [node] };
    return item;
  }

  dispose(): void {
    this.#owned.dispose();
  }

  async #takeRoots(): Promise<readonly TreeNode[]> {
    const roots = this.#loaded ?? (await this.#deps.load());
    this.#loaded = undefined;
    this.#roots = roots;
    return roots;
  }

  /**
   * Redraws the changed top-level rows with their children, or all rows if a top-level row was
   * added, removed or moved.
   */
  async #redraw(): Promise<void> {
    try {
      const before = this.#roots;
      const roots = await this.#deps.load();
      this.#roots = roots;
      if (before === undefined || String(roots.map(idOf)) !== String(before.map(idOf))) {
        this.#loaded = roots;
        this.#rows.clear();
        this.#changed.fire(undefined);
        return;
      }
      for (const [index, root] of roots.entries())
        if (JSON.stringify(root) !== JSON.stringify(before[index]))
          this.#changed.fire(this.#rowFor(root));
    } catch (error) {
      const failure = this.#failure(this.#deps.what, error);
      // Rows that were read before are of more use than the failure.
      if (this.#roots !== undefined) return;
      this.#loaded = [failure];
      this.#changed.fire(undefined);
    }
  }

  #failure(what: string, error: unknown, place = ''): TreeNode {
    this.#deps.onFailure(error);
    return failureRow(what, error, place);
  }

  /** Returns the element object of the row, with the new content. */
  #rowFor(node: TreeNode): TreeNode {
    const row = this.#rows.get(node.id) ?? { ...node };
    for (const key of Object.keys(row)) if (!(key in node)) delete row[key as keyof Row];
    this.#rows.set(node.id, Object.assign(row, node));
    return row;
  }
}

const idOf = ({ id }: TreeNode): string => id;

function collapsibleState(node: TreeNode): TreeItemCollapsibleState {
  if (node.children === undefined) return TreeItemCollapsibleState.None;
  return node.isExpanded ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed;
}
