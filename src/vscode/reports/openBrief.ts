/** Opens a brief as a Markdown preview, or as text if the preview is not available. */
import { commands, Uri, ViewColumn, window } from 'vscode';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { openFile } from '../ui/commandRegistry.ts';

/**
 * Id of the Markdown extension's custom editor, which is the only preview that can open without
 * taking the focus.
 */
const previewEditor = 'vscode.markdown.preview.editor';

export async function openPreview(
  file: string,
  logger: Logger,
  place: { readonly viewColumn?: ViewColumn; readonly preserveFocus?: boolean } = {},
): Promise<void> {
  try {
    await commands.executeCommand('vscode.openWith', Uri.file(file), previewEditor, {
      ...place,
      preview: false,
    });
  } catch (error) {
    logger.warn(`Could not open the Markdown preview: ${messageOf(error)}`);
    await openFile(file);
  }
}

/** Opens the brief next to the active editor, without taking the focus. */
export function openToTheSide(file: string, logger: Logger): Promise<void> {
  const hasOpenTabs = window.tabGroups.all.some(({ tabs }) => tabs.length > 0);
  const viewColumn = hasOpenTabs ? ViewColumn.Beside : ViewColumn.Active;
  return openPreview(file, logger, { viewColumn, preserveFocus: true });
}
