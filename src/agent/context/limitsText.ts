/** Renders for the model how much of its limits a session has used. */
import { amountText, usedText } from '../journal/limitText.ts';
import type { SessionState } from '../journal/state.ts';

/**
 * Returns the use of the limits as text. Time is counted up to the last event, so that the same
 * journal always gives the same text.
 */
export function limitsText(state: SessionState): string {
  const { turns, usd, minutes, tokens } = state.budget;
  const spentMinutes = Math.round(
    (state.lastEventMs - state.startedMs - (state.restMs ?? 0)) / 60_000,
  );
  const used = [
    turns === undefined
      ? amountText('turns', state.turns)
      : usedText({ limit: 'turns', used: state.turns, of: turns }),
    ...(usd === undefined ? [] : [usedText({ limit: 'usd', used: state.usd, of: usd })]),
    ...(minutes === undefined
      ? []
      : [usedText({ limit: 'minutes', used: spentMinutes, of: minutes })]),
    ...(tokens === undefined
      ? []
      : [usedText({ limit: 'tokens', used: state.inputTokens + state.outputTokens, of: tokens })]),
  ];
  return `Used so far: ${used.join(', ')}. Runs: ${state.runs.size}.`;
}
