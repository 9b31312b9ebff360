import type { ChatResponseStream, ChatResult } from 'vscode';
import { systemClock } from '../../base/clock.ts';
import { plain } from '../../base/markdown.ts';
import { isOpen, targetSentence, sessionName } from '../../presentation/sessions/sessionText.ts';
import { costPart } from '../sessions/costTable.ts';
import { engineSettings } from '../ui/settings.ts';
import type { ChatFollower } from './chatFollower.ts';
import { showLinks, withIcons } from './chatStream.ts';
import { about, type ChatDeps } from './chatTurn.ts';

/**
 * Shows each session that has not ended, with its cost. If all sessions have ended, shows the
 * newest.
 */
export async function showStatus(
  { sessions, host }: ChatDeps,
  follower: ChatFollower,
  stream: ChatResponseStream,
): Promise<ChatResult> {
  const shown = sessions.going().length > 0 ? sessions.going() : sessions.all().slice(-1);
  if (shown.length === 0) {
    stream.markdown('No session is open in this window. Type a goal to start one.');
    return {};
  }
  const today = await (await host.get()).spentToday();
  for (const session of shown) {
    const { text, parts: ways, links } = follower.standing(session, 'time');
    const { state } = session;
    const nowMs = isOpen(state) ? systemClock.now() : state.lastEventMs;
    const costs = costPart({ state, nowMs, today, dayLimits: engineSettings().dayLimits });
    const target = state.profile === 'goal' ? [plain(targetSentence(state), 600)] : [];
    const parts = [`**${plain(sessionName(state), 300)}**`, text, ...target, costs, ''];
    stream.markdown(withIcons(parts.join('\n\n')));
    for (const show of ways) show(stream);
    showLinks(stream, links);
  }
  return shown.length === 1 ? about(shown[0]) : {};
}
