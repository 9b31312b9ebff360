/** The list of sessions for `/resume`. */
import type { SessionSummary } from '../../agent/contract/sessions.ts';
import { counted, oneLine } from '../../base/text.ts';
import { costText, endText } from '../../presentation/sessions/sessionText.ts';
import { plain } from '../../base/markdown.ts';
import { relativeTime } from '../../base/span.ts';

const max = 20;

/** Returns the list as Markdown. The numbers in the list are the arguments of `/resume n`. */
export function resumeList(listed: readonly SessionSummary[], nowMs: number): string {
  if (listed.length === 0) return 'There is no session yet. Type a goal to start one.';
  const lines = listed.slice(0, max).map((summary, index) => {
    const state = summary.endReason === undefined ? 'not ended' : endText(summary.endReason);
    const facts = [state, summary.best ?? '', counted(summary.runs, 'run'), costText(summary)];
    const words = [...facts, relativeTime(summary.lastEventMs, nowMs)].filter(
      (word) => word !== '',
    );
    return `${index + 1}. ${plain(oneLine(summary.goal, 100), 120)} — ${words.map((word) => plain(word, 60)).join(' · ')}`;
  });
  const more =
    listed.length > max
      ? `\n\n${listed.length - max} older sessions: *Helios: Search Sessions*.`
      : '';
  return `${lines.join('\n')}${more}\n\n\`/resume 1\` resumes the first; text after the number is sent to it as a message.`;
}
