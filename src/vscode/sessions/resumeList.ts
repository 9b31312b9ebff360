/** The list of sessions for `/resume`. */
import type { SessionSummary } from '../../agent/contract/sessions.ts';
import { oneLine } from '../../base/text.ts';
import { summaryText, sessionName } from '../../presentation/sessions/sessionText.ts';
import { plain } from '../../base/markdown.ts';

const max = 20;

/** Returns the list as Markdown. The numbers in the list are the arguments of `/resume n`. */
export function resumeList(listed: readonly SessionSummary[], nowMs: number): string {
  if (listed.length === 0) return 'There is no session yet. Type a goal to start one.';
  const lines = listed
    .slice(0, max)
    .map(
      (summary, index) =>
        `${index + 1}. ${plain(oneLine(sessionName(summary), 100), 120)} — ${plain(summaryText(summary, nowMs), 200)}`,
    );
  const more =
    listed.length > max
      ? `\n\nFind ${listed.length - max} older sessions with *Helios: Search Sessions*.`
      : '';
  return `${lines.join('\n')}${more}\n\n\`/resume 1\` resumes the first session; text after the number is sent to the session as a message.`;
}
