/** Reports the files that the session edited. */
import { plain } from '../base/markdown.ts';
import type { BriefFacts } from './facts.ts';

const maxFiles = 50;

export function editsPart({ edits, session }: BriefFacts): string {
  if (edits.length === 0) return '';
  const lines = edits
    .slice(0, maxFiles)
    .map(({ path, by }) => `- ${plain(path, 300)}${by === 'tool' ? '' : ', while a command ran'}`);
  const rest = edits.length - maxFiles;
  const all = rest > 0 ? [...lines, `- … and ${rest} more`] : lines;
  return `## Edited files\n\n${all.join('\n')}\n\n“Helios: Undo Edits of Session” or \`helios undo ${session.id}\` gives them their content from before.`;
}
