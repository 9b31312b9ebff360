/** The quick pick of permission modes. */
import { QuickPickItemKind, ThemeIcon, window, type QuickPickItem } from 'vscode';
import type { PermissionMode } from '../../permissions/mode.ts';
import { modeEffects } from '../../presentation/sessions/permissionText.ts';

export type PermissionAnswer = PermissionMode | 'container';

export interface PermissionQuestion {
  readonly title: string;
  readonly placeholder: string;
  readonly answers: readonly PermissionAnswer[];
  /** The answer that applies now. */
  readonly current?: PermissionAnswer;
  /** Whether sessions continue when VS Code closes; omitted if this cannot be chosen. */
  readonly keepsRunning?: boolean | undefined;
  /** Whether Docker or Podman is on this computer. */
  readonly hasEngine: boolean;
}

export type Permissions = { readonly answer: PermissionAnswer } & Pick<
  PermissionQuestion,
  'keepsRunning'
>;

interface Item extends QuickPickItem {
  /** Permission mode of the item. Omitted for the item that turns `keepsRunning` on and off. */
  readonly answer?: PermissionAnswer;
}

/**
 * Asks for the permissions. Resolves with `undefined` when the user closes the quick pick or the
 * signal aborts.
 */
export function askPermissions(
  question: PermissionQuestion,
  signal?: AbortSignal,
): Promise<Permissions | undefined> {
  const { promise, resolve } = Promise.withResolvers<Permissions | undefined>();
  const pick = window.createQuickPick<Item>();
  let { keepsRunning } = question;
  const draw = (active: (item: Item) => boolean): void => {
    pick.items = [
      ...question.answers.map((answer) => itemOf(answer, question)),
      ...tick(keepsRunning),
    ];
    // If no item is active, an Enter key that was meant for the chat selects nothing.
    pick.activeItems = pick.items.filter(active);
  };
  pick.title = question.title;
  pick.placeholder = question.placeholder;
  draw(({ answer }) => answer !== undefined && answer === question.current);
  pick.onDidAccept(() => {
    const [item] = pick.selectedItems;
    if (item?.answer !== undefined) return resolve({ answer: item.answer, keepsRunning });
    if (item === undefined) return;
    keepsRunning = keepsRunning !== true;
    draw(({ answer, label }) => answer === undefined && label === item.label);
  });
  pick.onDidHide(() => resolve(undefined));
  signal?.addEventListener('abort', () => resolve(undefined), { once: true });
  pick.show();
  return promise.finally(() => pick.dispose());
}

const itemOf = (answer: PermissionAnswer, { current, hasEngine }: PermissionQuestion): Item => {
  const mode = answer === 'container' ? 'mandate' : answer;
  return {
    answer,
    label: labels[answer],
    description: answer === current ? `${mode} · current` : mode,
    detail: answer === 'container' ? containerEffect(hasEngine) : modeEffects[answer],
    iconPath: new ThemeIcon(icons[answer]),
  };
};

const tick = (isTicked: boolean | undefined): readonly Item[] =>
  isTicked === undefined
    ? []
    : [
        { label: '', kind: QuickPickItemKind.Separator },
        {
          label: 'Keep Running When VS Code Closes',
          iconPath: new ThemeIcon(isTicked ? 'pass-filled' : 'circle-large-outline'),
        },
      ];

const labels: Readonly<Record<PermissionAnswer, string>> = {
  mandate: 'Work Within This Folder',
  container: 'Work in a Container…',
  ask: 'Ask Me',
  allow: 'Allow Everything',
};

const icons: Readonly<Record<PermissionAnswer, string>> = {
  mandate: 'folder',
  container: 'package',
  ask: 'comment-discussion',
  allow: 'unlock',
};

const containerEffect = (hasEngine: boolean): string =>
  hasEngine
    ? 'Commands run without asking: in a new container, and outside it only within this folder.'
    : 'No Docker or Podman found here. Opens the guide; until then, Helios asks you.';
