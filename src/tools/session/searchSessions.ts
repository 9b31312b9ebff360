import * as z from 'zod';
import { exactTime } from '../../base/localTime.ts';
import { counted, oneLine } from '../../base/text.ts';
import { defineTool, type Tool } from '../tool.ts';

export interface SessionHit {
  readonly sessionId: string;
  readonly goal: string;
  readonly atMs: number;
  readonly kind: string;
  readonly text: string;
}

export interface SessionSearcher {
  /** Resolves with the newest texts of any session that contain all words. */
  search(query: string, limit: number, signal: AbortSignal): Promise<readonly SessionHit[]>;
}

const parameters = z.strictObject({
  query: z.string().min(1).describe('All words must occur in one text; "quotes" mark a phrase.'),
  limit: z.int().min(1).max(50).default(20).meta({ hidden: true }),
});

const maxGoalChars = 80;

export const searchSessions = (searcher: SessionSearcher): Tool =>
  defineTool({
    name: 'search_sessions',
    description:
      'Search what was said, called and returned in every session on this computer, newest first.',
    effect: 'read',
    countedAs: 'result',
    parameters,
    aliases: { text: 'query', words: 'query' },
    describe: ({ query }) => `Searched the sessions for ${oneLine(query, 80)}`,
    async execute({ query, limit }, { signal }) {
      const hits = await searcher.search(query, limit, signal);
      const bySession = Map.groupBy(hits, ({ sessionId }) => sessionId);
      const found = [...bySession].flatMap(([id, group]) => [
        `${id}: ${oneLine(group[0]?.goal ?? '', maxGoalChars)}`,
        ...group.map(({ atMs, kind, text }) => `- ${exactTime(atMs)} ${kind}: ${text}`),
      ]);
      return {
        content: { found: found.length === 0 ? 'nothing' : found.join('\n') },
        ...(hits.length > 0 && { origins: { found: 'earlier sessions' } }),
        summary: counted(hits.length, 'result'),
      };
    },
  });
