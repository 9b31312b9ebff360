/** Icons for phases and ends of sessions, and for verdicts of runs. */
import type { EndReason } from '../../agent/journal/events.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { needsUser } from '../../presentation/sessions/sessionText.ts';
import type { Verdict } from '../../runs/run.ts';

/** A codicon id and the id of its theme colour. Default colour: the colour of the text. */
export interface Icon {
  readonly id: string;
  readonly color?: string;
}

/** Returns the icon for a verdict; `undefined` means that the run is running. */
export function verdictIcon(verdict: Verdict | undefined): Icon {
  if (verdict === undefined) return { id: 'sync~spin', color: 'charts.blue' };
  switch (verdict.kind) {
    case 'ok':
      return { id: 'pass', color: 'testing.iconPassed' };
    case 'failed':
    case 'signalled':
      return { id: 'error', color: 'testing.iconFailed' };
    case 'out_of_memory':
      return { id: 'warning', color: 'testing.iconFailed' };
    case 'time_limit':
      return { id: 'watch', color: 'charts.yellow' };
    case 'preempted':
      return { id: 'debug-step-back', color: 'charts.yellow' };
    case 'killed':
      return { id: 'circle-slash', color: 'disabledForeground' };
    case 'lost':
      return { id: 'question', color: 'charts.yellow' };
  }
}

const endIcons: Readonly<Record<EndReason, Icon>> = {
  answered: { id: 'comment', color: 'charts.blue' },
  goal: { id: 'pass-filled', color: 'testing.iconPassed' },
  best_found: { id: 'pass-filled', color: 'testing.iconPassed' },
  claimed: { id: 'circle-large-outline', color: 'charts.yellow' },
  blocked: { id: 'circle-slash', color: 'charts.yellow' },
  budget: { id: 'credit-card', color: 'charts.yellow' },
  no_progress: { id: 'circle-slash', color: 'charts.yellow' },
  plateau: { id: 'dash', color: 'charts.yellow' },
  // VS Code draws `debug-stop` red where an icon has no colour of its own, such as in a quick pick.
  user: { id: 'stop-circle', color: 'disabledForeground' },
  error: { id: 'error', color: 'testing.iconFailed' },
};

/** Returns the icon for the end of a session, which a newer version may have recorded. */
export const endIcon = (reason: EndReason): Icon =>
  (endIcons as Partial<typeof endIcons>)[reason] ?? { id: 'circle-outline' };

export function phaseIcon(state: SessionState): Icon {
  switch (state.phase) {
    case 'ready':
    case 'thinking':
    case 'acting':
      return { id: 'sync~spin', color: 'charts.blue' };
    case 'sleeping':
      return { id: 'clock' };
    case 'paused':
      return needsUser(state) ? { id: 'warning', color: 'charts.yellow' } : { id: 'debug-pause' };
    case 'ended':
      return state.end ? endIcon(state.end.reason) : { id: 'circle-outline' };
  }
}
