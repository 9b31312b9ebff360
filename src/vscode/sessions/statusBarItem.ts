/** The status bar item. A click on the item shows a quick pick of actions. */
import { MarkdownString, StatusBarAlignment, ThemeColor, window } from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { Approvals } from '../window/approvals.ts';
import type { CommandId } from '../ui/contributions.ts';
import type { OpenSessions } from '../window/openSessions.ts';
import { folderMode } from './permissionCommands.ts';
import { modeCommand, statusBarText } from './statusBar.ts';

export function createStatusBar(sessions: OpenSessions, approvals: Approvals): Disposable {
  const owned = new DisposableStore();
  const item = owned.add(window.createStatusBarItem('helios.status', StatusBarAlignment.Left, 10));
  item.name = 'Helios';
  item.command = 'helios.showActions' satisfies CommandId;
  const draw = (): void => {
    const glances = sessions.all().map((session) => sessions.glance(session));
    const { text, tooltip, spoken, isWarning } = statusBarText(
      glances,
      approvals.pending().length,
      Date.now(),
      folderMode,
    );
    item.text = text;
    const markdown = new MarkdownString(tooltip);
    markdown.isTrusted = { enabledCommands: [modeCommand] };
    item.tooltip = markdown;
    item.accessibilityInformation = { label: spoken, role: 'button' };
    item.backgroundColor = isWarning
      ? new ThemeColor('statusBarItem.warningBackground')
      : undefined;
  };
  owned.add(sessions.onDidChange(draw));
  owned.add(approvals.onDidChange(draw));
  // Without a session, the mode is that of the folder of the active editor.
  owned.add(window.onDidChangeActiveTextEditor(draw));
  draw();
  item.show();
  return owned;
}
