/** Lists the approvals that apply beyond one session, each with a button that revokes it. */
import { ThemeIcon, window, type QuickPickItem } from 'vscode';
import { approvalsAt, storedApprovals, type ApprovalRow } from '../../compose/approvals.ts';
import { tell } from '../ui/commandRegistry.ts';
import { homeFolder } from '../ui/settings.ts';
import type { WindowDeps } from '../window/windowDeps.ts';

interface Item extends QuickPickItem {
  readonly id: string;
}

const revokeButton = { iconPath: new ThemeIcon('trash'), tooltip: 'Revoke' };

/** Resolves when the list is shown. Rejects with `UserFacing` if it cannot be read. */
export async function manageApprovals({ logger }: Pick<WindowDeps, 'logger'>): Promise<void> {
  const home = homeFolder();
  const rows = await storedApprovals(home);
  const pick = window.createQuickPick<Item>();
  const show = (shown: readonly ApprovalRow[]): void => {
    pick.items = shown.map(itemOf);
    pick.placeholder =
      shown.length === 0
        ? 'Nothing is approved in a workspace, or always approved'
        : 'What Helios may do without asking. Approvals for a session end with the session.';
  };
  pick.title = 'Manage Approvals';
  pick.matchOnDescription = true;
  show(rows);
  const revoke = async (id: string): Promise<void> => {
    await approvalsAt(home).revoke(id);
    show(await storedApprovals(home));
  };
  pick.onDidTriggerItemButton(({ item }) =>
    revoke(item.id).catch((error: unknown) => tell(error, logger)),
  );
  pick.onDidHide(() => pick.dispose());
  pick.show();
}

const itemOf = ({ id, workspace, covers }: ApprovalRow): Item => ({
  id,
  label: covers,
  description: workspace === undefined ? 'always' : `in workspace ${workspace}`,
  buttons: [revokeButton],
});
