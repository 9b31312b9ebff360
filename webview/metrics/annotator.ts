/** Sends the user's tags and notes to the host. */
import type { MessageConnection } from 'vscode-jsonrpc';
import { annotateRuns } from '../../src/protocol/metricsTable.ts';
import type { Item } from './items.ts';

/**
 * Saves the text that the user gave an item. Tags are changed on all runs of the item: those that the
 * text lacks are removed, so that tags of single runs of a group stay. Resolves with a sentence that
 * says what was done, or why not.
 */
export async function saveText(
  connection: MessageConnection,
  { runIds, name, tags = [] }: Item,
  field: 'tags' | 'note',
  text: string,
): Promise<{ readonly text: string; readonly isProblem: boolean }> {
  const title = field === 'note' ? 'Note' : 'Tags';
  const change = field === 'note' ? { note: text } : tagChange(tags, text);
  try {
    await connection.sendRequest(annotateRuns, { runIds, ...change });
    return { text: `${title} of ${name} saved`, isProblem: false };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { text: `${title} of ${name} not saved: ${why}`, isProblem: true };
  }
}

function tagChange(tags: readonly string[], text: string) {
  const wanted = text.split(/[\s,]+/).filter((word) => word !== '');
  return { addTags: wanted, removeTags: tags.filter((tag) => !wanted.includes(tag)) };
}
