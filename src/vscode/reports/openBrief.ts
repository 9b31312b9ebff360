/** Shows a brief as VS Code shows Markdown: as a preview, or as text where there is none. */
import { commands, Uri, ViewColumn, window } from 'vscode';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { openFile } from '../ui/commandRegistry.ts';

/**
 * The custom editor of the Markdown extension: the only preview that can be told to leave the focus
 * where it is.
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
    logger.warn(`There is no preview of Markdown: ${messageOf(error)}`);
    await openFile(file);
  }
}

/** Beside what the user works on, where there is anything, and without taking them there. */
export function openToTheSide(file: string, logger: Logger): Promise<void> {
  const isAtWork = window.tabGroups.all.some(({ tabs }) => tabs.length > 0);
  const viewColumn = isAtWork ? ViewColumn.Beside : ViewColumn.Active;
  return openPreview(file, logger, { viewColumn, preserveFocus: true });
}
