/** The header and the inbox of the session view. */
import {
  openQuestions,
  costText,
  needsUser,
  phaseText,
  sessionName,
} from '../../presentation/sessions/sessionText.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { oneLine } from '../../base/text.ts';
import type { Inbox, SessionHeader, Tone } from '../../protocol/sessionView.ts';
import type { SessionViewSource } from './viewSource.ts';

export function headerOf(
  source: SessionViewSource,
  state: SessionState,
  rows: number,
): SessionHeader {
  const controls = source.controls();
  return {
    sessionId: source.id,
    title: oneLine(sessionName(state), 300),
    phase: phaseText(state, state.lastEventMs),
    tone: toneOf(state),
    rows,
    turns: state.turns,
    cost: costText(state),
    startedMs: state.startedMs,
    isGrowing: source.isGrowing && state.phase !== 'ended',
    openQuestions: openQuestions(state).length,
    notes: state.stickies.size,
    experiments: source.ledger().experiments.length,
    ...(typeof controls === 'string' && { readOnly: controls }),
  };
}

function toneOf(state: SessionState): Tone {
  if (needsUser(state)) return 'bad';
  if (state.phase === 'ended') return state.end?.reason === 'goal' ? 'good' : 'muted';
  return state.phase === 'sleeping' || state.phase === 'paused' ? 'plain' : 'busy';
}

export const inboxOf = (state: SessionState): Inbox => ({
  questions: [...state.questions.values()].map(({ answer, ...question }) => ({
    ...question,
    ...(answer && { answer: { text: answer.text, isDefault: answer.by === 'default' } }),
  })),
  notes: [...state.stickies].map(([number, text]) => ({ number, text })),
});
