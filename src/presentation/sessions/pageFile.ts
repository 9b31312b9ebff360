/** The file of a page that shares a session. */
import type { SessionSummary } from '../../agent/contract/sessions.ts';
import { sessionName } from '../../agent/journal/sessionName.ts';
import { slug } from '../../base/slug.ts';

/** Returns a name for the file: `helios-bring-loss-below-1-123456.html`. */
export const pageFileName = (summary: Pick<SessionSummary, 'id' | 'goal' | 'title'>): string =>
  `${['helios', slug(sessionName(summary), 40), summary.id.slice(-6)].filter((part) => part !== '').join('-')}.html`;
