/** Renders for the model how much of its limits a session has used. */
import { formatUsd } from '../../base/text.ts';
import type { SessionState } from '../journal/state.ts';

/**
 * Returns the use of the limits as text. Time is counted up to the last event, so that the same
 * journal always gives the same text.
 */
export function limitsText(state: SessionState, permissionMode: 'ask' | 'allow'): string {
  const { turns, usd, minutes, tokens } = state.budget;
  const spentMinutes = Math.round((state.lastEventMs - state.startedMs) / 60_000);
  const used = [
    `${state.turns}${of(turns)} turns`,
    ...(usd === undefined ? [] : [`${formatUsd(state.usd)} of ${formatUsd(usd)}`]),
    ...(minutes === undefined ? [] : [`${spentMinutes} of ${minutes} minutes`]),
    ...(tokens === undefined
      ? []
      : [`${state.inputTokens + state.outputTokens} of ${tokens} tokens`]),
  ];
  return `Used so far: ${used.join(', ')}. Runs: ${state.runs.size}.\n${modeText[permissionMode]}`;
}

const of = (limit: number | undefined): string => (limit === undefined ? '' : ` of ${limit}`);

const modeText = {
  ask: 'Whatever changes something needs the approval of the user; do without what is refused or not answered.',
  allow: 'Every tool may be used without asking.',
} as const;
