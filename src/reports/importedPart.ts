/** Lists the imported results, which are never ranked in a report. */
import { plain } from '../base/markdown.ts';
import { counted } from '../base/text.ts';
import type { BriefFacts } from './facts.ts';
import { bounded } from './mentions.ts';

const maxSources = 5;

export function importedPart({ ledger: { imported } }: BriefFacts): string {
  if (imported.length === 0) return '';
  const sources = [...Map.groupBy(imported, ({ id }) => id.split('#')[0] ?? id)];
  const lines = bounded(sources, maxSources, 'imports', ([id, results]) => {
    const crashes = results.filter(({ status }) => status === 'crash').length;
    const crashed = crashes === 0 ? '' : `, ${crashes} of them crashed`;
    return `- ${id}: ${counted(results.length, 'result')}${crashed} from ${plain(results[0]?.source ?? '', 200)}`;
  });
  return `## Imported, not measured by Helios\n\n${lines.join('\n')}`;
}
