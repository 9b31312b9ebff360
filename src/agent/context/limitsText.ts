/** Renders for the model how much of its limits a session has used. */
import type { PermissionMode } from '../../permissions/mode.ts';
import { amountText, usedText } from '../journal/limitText.ts';
import type { SessionState } from '../journal/state.ts';

/**
 * Returns the use of the limits as text. Time is counted up to the last event, so that the same
 * journal always gives the same text.
 */
export function limitsText(state: SessionState, permissionMode: PermissionMode): string {
  const { turns, usd, minutes, tokens } = state.budget;
  const spentMinutes = Math.round((state.lastEventMs - state.startedMs) / 60_000);
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
  return `Used so far: ${used.join(', ')}. Runs: ${state.runs.size}.\n${modeText[permissionMode]}`;
}

const modeText = {
  ask: 'Every call that changes something needs the approval of the user; continue without calls that are refused or not answered. remote_exec needs no approval for commands that only read files of the working folder or the state of the machine (ls, grep, tail, git status, nvidia-smi).',
  mandate:
    'Calls that the mandate covers run without asking: work in the working folder, its worktrees and run folders, installs into an environment of the folder (.venv/bin/pip, uv, conda -p ./env), downloads from package indexes and hubs. The others are refused at once, as outside the mandate: choose another way.',
  allow:
    'Every tool may be used without asking. Commands that no mode allows are refused: reading keys, running what was downloaded, removing whole folders of the system.',
} as const;
